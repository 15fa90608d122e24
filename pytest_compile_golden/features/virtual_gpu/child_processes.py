"""A virtual GPU in the processes that a run starts: they find out about it from variables of their environment."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_compile_golden.common.constants import VIRTUAL_GPU
from pytest_compile_golden.targets.import_torch import own_variables

if TYPE_CHECKING:
    from pytest_compile_golden.features.virtual_gpu.gpu import ComputingGpu
    from pytest_compile_golden.features.virtual_gpu.kernel_values import Source

_STARTUP = Path(__file__).with_name("startup")


@contextlib.contextmanager
def with_gpu(name: str, devices: int, values: Source) -> Iterator[None]:
    """Until the block ends, each Python that this process starts has these GPUs from when it imports torch; if this one
    was started by such a process, as a worker of pytest-xdist is, it has its own by then."""
    importlib.import_module("torch")
    wanted = variables(
        name, devices, values, Path(__file__).parents[3], os.environ.get("PYTHONPATH")
    )
    with own_variables(wanted):
        os.environ.update(wanted)
        yield


def variables(
    name: str, devices: int, values: Source, package: Path, path: str | None = None
) -> dict[str, str]:
    """The variables of a Python that has these GPUs. package: the folder that this package is in; path: PYTHONPATH."""
    # Ours first: it executes any other sitecustomize.
    folders = os.pathsep.join(filter(None, [str(_STARTUP), path, str(package)]))
    return {VIRTUAL_GPU: f"{name} {devices} {values}", "PYTHONPATH": folders}


_gpu: ComputingGpu | None = None
"""The GPU that `start` has put into this process."""


def summary() -> list[str]:
    """What the kernels of the GPU that this process was started with have computed, and what they have not."""
    return [] if _gpu is None else _gpu.summary()


def start() -> None:
    """Put the GPU in for the rest of this process, if its environment says so."""
    global _gpu
    wanted = os.environ.get(VIRTUAL_GPU)
    if wanted is None:
        return
    import atexit

    from pytest_compile_golden.features.virtual_gpu.gpu import running

    name, count, values = wanted.split()
    stack = contextlib.ExitStack()
    _gpu = stack.enter_context(running(name, int(count), cast("Source", values)))
    atexit.register(stack.close)
