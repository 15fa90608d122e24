"""Work in forks of this process, which inherit all that it has imported and made; what a fork may take and say."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, TypeVar

from pytest_compile_golden.errors import CaptureFailed

T = TypeVar("T")
R = TypeVar("R")

_PARENT_DIES = 1  # PR_SET_PDEATHSIG, linux/prctl.h

_work: Callable[[Any], Any]
"""In a fork: the function that it runs."""


def in_forks(work: Callable[[T], R], items: Iterable[T], processes: int) -> list[R]:
    """What `work` returns for each of `items`, in their order; at most `processes` forks run at a time.

    Items and results are pickled, `work` is not. Raises what `work` raises, and CaptureFailed if a fork ends before its
    work is done.
    """
    with warnings.catch_warnings():
        # Python 3.12 and newer warn: torch's other threads do not exist in a fork, but nothing there waits for them.
        warnings.filterwarnings(
            "ignore",
            message=".*multi-threaded, use of fork",
            category=DeprecationWarning,
        )
        with ProcessPoolExecutor(
            processes, multiprocessing.get_context("fork"), _begin, (work,)
        ) as pool:
            try:
                return list(pool.map(_called, items))
            except BrokenProcessPool as error:
                raise CaptureFailed(
                    "a process ended before its captures were done: it ran out of memory, or was killed. Pass a lower "
                    "processes=, or leave it out to see what happens."
                ) from error


def end_with_parent() -> None:
    """End this process when the one that started it ends, whatever that ends by."""
    ctypes.CDLL(None).prctl(_PARENT_DIES, signal.SIGKILL)


def silence() -> None:
    """Let what programs print and torch logs go nowhere, and nothing be read."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def memory() -> tuple[int, int]:
    """Bytes of this process's address space, and bytes resident."""
    size, resident, *_ = Path("/proc/self/statm").read_text(encoding="ascii").split()
    page = resource.getpagesize()
    return int(size) * page, int(resident) * page


def limit_memory(more: int) -> None:
    """Refuse this process more than so many bytes of address space beyond what it has."""
    most = memory()[0] + more
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _begin(work: Callable[[Any], Any]) -> None:
    global _work
    _work = work
    end_with_parent()
    gc.freeze()  # what already exists is not garbage, and scanning it would copy its memory
    if torch := sys.modules.get("torch"):
        # OpenMP's own threads do not exist here, and would be waited for.
        torch.set_num_threads(1)


def _called(item: Any) -> Any:
    return _work(item)
