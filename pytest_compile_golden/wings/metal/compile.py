"""Compiles the kernels of a capture to machine code, on a machine that may differ from the target, or have no GPU."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.observe.probes.launches import described
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.code import MachineCode
from pytest_compile_golden.stages import without_compiled_kernels
from pytest_compile_golden.targets import get_target
from pytest_compile_golden.targets.loading import own_variables
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_names import kernels as names
from pytest_compile_golden.torch_names import settings
from pytest_compile_golden.wings.metal import amd, cpp, drops, nvidia
from pytest_compile_golden.wings.metal.cores import usable_cores
from pytest_compile_golden.wings.metal.kernels import LoadedKernel, kernels
from pytest_compile_golden.wings.metal.triton_ir import triton_ir


# Static launchers keep only parts of a kernel, but we need all of it (torch/_inductor/runtime/triton_heuristics.py).
# The two names are for different torch versions.
def compile_kernels(record: Record, *, every_config: bool = False) -> None:
    """Add to `record` the machine code of each of its kernels, which are Triton or C++ depending on the target.

    A Triton kernel is compiled in its first configuration, or in every one. A kernel that does not compile is added
    with the reason. If this torch or Triton differs from what we know, or if there is no C++ compiler, the stages that
    need compiled kernels become unavailable. Raises CompileGoldenError inside another target.
    """
    try:
        record.entries["machine_code"] = (
            cpp.compiled(record.target, cpp.cpp_kernels(record))
            if record.device_type == "cpu"
            else compiled(record.target, partial(kernels, record), every_config=every_config)
        )
    except CompileGoldenError:
        raise
    except cpp.NoCompiler as error:
        without_compiled_kernels(record, str(error))
    except Exception as error:  # a changed internal can raise anything
        without_compiled_kernels(record, f"compiling the kernels failed ({type(error).__name__}: {error})")


def triton_irs(target: str, load_kernels: Callable[[Path], Iterable[LoadedKernel]]) -> list[list[str]]:
    """Each kernel in Triton's own IR, one text per configuration on offer."""
    with get_target(target).active(), _private_triton_cache() as folder:
        return [triton_ir(kernel) for kernel in load_kernels(folder)]


def compiled(
    target: str, load_kernels: Callable[[Path], Iterable[LoadedKernel]], *, every_config: bool
) -> list[MachineCode]:
    """The machine code of each kernel that `load_kernels` yields, given a folder for files, in the same order."""
    with get_target(target).active(), _private_triton_cache() as folder:
        offered = [
            (kernel, index)
            for kernel in load_kernels(folder)
            for index in range(len(kernel.autotuner.configs) if every_config else 1)
        ]
        # Triton's passes and ptxas do not hold the GIL while they work.
        with ThreadPoolExecutor(usable_cores()) as pool:
            # torch's config lives in the context, and each thread has its own.
            tasks = [
                pool.submit(copy_context().run, partial(_compiled, kernel, index, folder)) for kernel, index in offered
            ]
            return [task.result() for task in tasks]


@contextmanager
def _private_triton_cache() -> Iterator[Path]:
    """A new folder for Triton's cache and our files, so that nothing comes from an earlier run's cache."""
    with tempfile.TemporaryDirectory(prefix="compile-golden-") as folder, own_variables(), Patches() as patches:
        os.environ["TRITON_CACHE_DIR"] = str(Path(folder) / "triton")
        patches.configure({settings.STATIC_LAUNCHER: False})
        # The caller reports what does not compile; torch would also log its whole source.
        patches.put(names.HEURISTICS_LOG.get(), "disabled", True)
        yield Path(folder)


def _compiled(kernel: LoadedKernel, index: int, folder: Path) -> MachineCode:
    config = kernel.autotuner.configs[index]
    identity = (kernel.key, kernel.name, described(config), index)
    try:
        # Inductor's own way from a configuration to Triton's options (torch/_inductor/runtime/triton_heuristics.py).
        binary: Any = kernel.autotuner._precompile_config(config).kernel
    except Exception as error:  # whatever the kernel, Triton or ptxas raises is reported for the kernel
        return MachineCode(*identity, dropped=drops.not_compiled(error))
    vendor = amd if "amdgcn" in binary.asm else nvidia
    texts, resources = vendor.disassembled(binary, folder)
    return MachineCode(
        *identity,
        compiler=vendor.compiler(binary),
        symbol=binary.metadata.name,
        texts=texts,
        resources=resources,
        dropped=drops.drop_reason(kernel.autotuner, binary, resources),
    )
