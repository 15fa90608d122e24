"""How many kernels are compiled at once."""

from __future__ import annotations

import os


def share_of_cores() -> int:
    """The cores that this process may use; a worker of pytest-xdist leaves the others theirs."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, there // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
