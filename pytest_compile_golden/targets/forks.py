"""Work in forks of this process, in which all is there that it imported and made."""

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
"""In a fork: what it is there for."""


def in_forks(work: Callable[[T], R], items: Iterable[T], processes: int) -> list[R]:
    """What `work` returns for each of `items`, in their order; at most so many forks are at work at a time.

    Items and results are pickled, `work` is not. Raises what `work` raises, and CaptureFailed where a fork ends before
    its work does.
    """
    with warnings.catch_warnings():
        # Of Python 3.12 and newer: other threads of torch's stay behind, and none of them is waited for in a fork.
        warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning)
        with ProcessPoolExecutor(processes, multiprocessing.get_context("fork"), _begin, (work,)) as pool:
            try:
                return list(pool.map(_called, items))
            except BrokenProcessPool as error:
                raise CaptureFailed(
                    "a process ended before what it had to capture was done: out of memory, or killed. Give fewer "
                    "processes=, or leave it out to see what happens."
                ) from error


def _begin(work: Callable[[Any], Any]) -> None:
    import torch

    global _work
    _work = work
    gc.freeze()  # what is here already is no garbage, and to look through it would copy it
    torch.set_num_threads(1)  # OpenMP's own threads are not there, and would be waited for


def _called(item: Any) -> Any:
    return _work(item)
