"""The kernels of a capture down to machine code, on a machine that may be another one, or have no GPU."""

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

import torch
import torch._inductor.config
from torch._inductor.runtime import triton_heuristics

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.metal import amd, cpp, drops, nvidia
from pytest_compile_golden.metal.cores import share_of_cores
from pytest_compile_golden.metal.kernels import Kernel, kernels
from pytest_compile_golden.observe.probes.launches import described
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.code import MachineCode
from pytest_compile_golden.stages import stages
from pytest_compile_golden.targets import get_target
from pytest_compile_golden.targets.loading import own_variables
from pytest_compile_golden.targets.patching import Patches

# Static launchers take a kernel apart that we want whole (torch/_inductor/runtime/triton_heuristics.py); one name each
# for older and newer versions.
_PINS: dict[str, object] = {"use_static_triton_launcher": False, "use_static_cuda_launcher": False}


def compile_kernels(record: Record, *, every_config: bool = False) -> None:
    """Add to `record` what becomes of each of its kernels, in Triton or in C++ as the target has them.

    A Triton kernel is compiled in the first configuration, or in every one. One that does not compile is added too, and
    says why. Where this torch or Triton is not as we know it, or no C++ compiler is there, the stages that are compiled
    for become unavailable. Raises CompileGoldenError inside another target.
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
        _make_unavailable(record, str(error))
    except Exception as error:  # any that an internal has which is not what it was
        _make_unavailable(record, f"compiling the kernels failed ({type(error).__name__}: {error})")


def _make_unavailable(record: Record, reason: str) -> None:
    compiled_for = [stage.name for stage in stages() if stage.compiles and record.device_type in stage.devices]
    record.unavailable.update(dict.fromkeys(compiled_for, reason))


def compiled(target: str, load_kernels: Callable[[Path], Iterable[Kernel]], *, every_config: bool) -> list[MachineCode]:
    """What becomes of each kernel that is loaded, given a folder for files, in the order in which they are."""
    with get_target(target).active(), _triton_of_our_own() as folder:
        offered = [
            (kernel, place)
            for kernel in load_kernels(folder)
            for place in range(len(kernel.autotuner.configs) if every_config else 1)
        ]
        # Triton's passes and ptxas leave the interpreter to others while they work.
        with ThreadPoolExecutor(share_of_cores()) as pool:
            # torch's config is in the context, of which a thread has one of its own.
            tasks = [
                pool.submit(copy_context().run, partial(_compiled, kernel, place, folder)) for kernel, place in offered
            ]
            return [task.result() for task in tasks]


@contextmanager
def _triton_of_our_own() -> Iterator[Path]:
    """A new folder for Triton's cache and our files, so that nothing is answered from what an earlier run left."""
    with tempfile.TemporaryDirectory(prefix="compile-golden-") as folder, own_variables(), Patches() as patches:
        os.environ["TRITON_CACHE_DIR"] = str(Path(folder) / "triton")
        patches.configure(torch._inductor.config, _PINS)
        # What does not compile is told by whoever asked, and not by a log of all of its source besides.
        patches.put(triton_heuristics.log, "disabled", True)
        yield Path(folder)


def _compiled(kernel: Kernel, place: int, folder: Path) -> MachineCode:
    config = kernel.autotuner.configs[place]
    identity = (kernel.key, kernel.name, described(config), place)
    try:
        # Inductor's own way from a configuration to Triton's options (torch/_inductor/runtime/triton_heuristics.py).
        binary: Any = kernel.autotuner._precompile_config(config).kernel
    except Exception as error:  # any that the kernel, Triton or ptxas has: it is what is said of the kernel
        return MachineCode(*identity, dropped=drops.not_compiled(error))
    maker = amd if "amdgcn" in binary.asm else nvidia
    texts, resources = maker.taken_apart(binary, folder)
    return MachineCode(
        *identity,
        compiler=maker.compiler(binary),
        symbol=binary.metadata.name,
        texts=texts,
        resources=resources,
        dropped=drops.not_launched(kernel.autotuner, binary, resources),
    )
