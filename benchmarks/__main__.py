"""`python -m benchmarks [overhead|today|memory]`: run these, or all."""

from __future__ import annotations

import sys

from benchmarks import memory, overhead, today

BENCHMARKS = {"overhead": overhead.run, "today": today.run, "memory": memory.run}

for name in sys.argv[1:] or BENCHMARKS:
    print(f"== {name}")
    BENCHMARKS[name]()
