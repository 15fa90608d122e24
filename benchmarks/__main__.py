"""`python -m benchmarks [overhead|today|memory|comparison|surroundings|seconds]`: run the named ones, or all."""

from __future__ import annotations

import sys

from benchmarks import comparison, memory, overhead, seconds, surroundings, today

BENCHMARKS = {
    "overhead": overhead.run,
    "today": today.run,
    "memory": memory.run,
    "comparison": comparison.run,
    "surroundings": surroundings.run,
    "seconds": seconds.run,
}

for name in sys.argv[1:] or BENCHMARKS:
    print(f"== {name}")
    BENCHMARKS[name]()
