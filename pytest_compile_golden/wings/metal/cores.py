"""How many kernels to compile at once."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """The number of cores that this process may use; pytest-xdist workers share them equally."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
