"""Import the parts of torch that a compile needs, without side effects on the process; and what has been imported."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from types import ModuleType

from pytest_compile_golden.torch_internals import device

# Set for the rest of the process by numeric_utils.py, cache_dir_utils.py, triton_heuristics.py, compile_tasks.py,
# cpp_builder.py and codecache.py of torch/_inductor.
_VARIABLES = (
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_HOME",
    "KMP_DUPLICATE_LIB_OK",
    "TORCHINDUCTOR_CACHE_DIR",
    "TRITON_CACHE_DIR",
    "TRITON_LIBDEVICE_PATH",
    "TRITON_PTXAS_PATH",
    "_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR",
)


@contextlib.contextmanager
def compiler() -> Iterator[None]:
    """Import torch's compiler; on leaving, restore the environment variables that it sets."""
    _load()
    with own_variables():
        yield


@functools.cache
def _load() -> None:
    """Import torch's compiler without its warnings about itself and without the variables that it sets."""
    with own_variables(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in (*device.COMPILER, device.COMPILE_FX):
            if row.here:  # modules come and go between torch versions
                row.get()


@contextlib.contextmanager
def own_variables(names: Iterable[str] = _VARIABLES) -> Iterator[None]:
    """Restore, when the block ends, environment variables: those that torch's compiler sets as it runs."""
    before = {name: os.environ.get(name) for name in names}
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _Package:
    """The modules imported so far whose names begin with one of some prefixes."""

    def __init__(self, prefixes: tuple[str, ...]) -> None:
        self.prefixes = prefixes
        self.looked_at: set[str] = set()
        self.all: list[str] = []
        self.names: list[str] = []

    def look(self) -> None:
        everything = list(sys.modules)
        if everything == self.all:
            return  # as mostly: the same strings, which takes a tenth of looking each of them up
        self.all = everything
        new = [name for name in everything if name not in self.looked_at]
        self.looked_at.update(new)
        self.names += [name for name in new if name.startswith(self.prefixes)]


_package = cache(_Package)


def imported(*prefixes: str) -> dict[str, ModuleType]:
    """The modules whose names begin with one of `prefixes`, by name, in the order of their import."""
    package = _package(prefixes)
    package.look()
    return {name: sys.modules[name] for name in package.names if name in sys.modules}


def run_backward() -> None:
    """Make torch start the threads of backward here, as if there were no GPU.

    A first backward while a compile makes torch believe in a GPU would forbid any in the forks of this process
    (torch/csrc/autograd/engine.cpp: start_device_threads).
    """
    import torch

    torch.ones((), requires_grad=True).backward()
