"""Work in forks of this process, which inherit everything that it has imported and made."""

from __future__ import annotations

import gc
import multiprocessing
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from pytest_compile_golden.errors import CaptureFailed

T = TypeVar("T")
R = TypeVar("R")

_work: Callable[[Any], Any]
"""In a fork: the function that it runs."""


def in_forks(work: Callable[[T], R], items: Iterable[T], processes: int) -> list[R]:
    """What `work` returns for each of `items`, in their order; at most `processes` forks run at a time.

    Items and results are pickled, `work` is not. Raises what `work` raises, and CaptureFailed if a fork ends before its
    work is done.
    """
    with warnings.catch_warnings():
        # Python 3.12 and newer warn: torch's other threads do not exist in a fork, but nothing there waits for them.
        warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning)
        with ProcessPoolExecutor(processes, multiprocessing.get_context("fork"), _begin, (work,)) as pool:
            try:
                return list(pool.map(_called, items))
            except BrokenProcessPool as error:
                raise CaptureFailed(
                    "a process ended before its captures were done: it ran out of memory, or was killed. Pass a lower "
                    "processes=, or leave it out to see what happens."
                ) from error


def _begin(work: Callable[[Any], Any]) -> None:
    import torch

    global _work
    _work = work
    gc.freeze()  # what already exists is not garbage, and scanning it would copy its memory
    torch.set_num_threads(1)  # OpenMP's own threads do not exist here, and would be waited for


def _called(item: Any) -> Any:
    return _work(item)
