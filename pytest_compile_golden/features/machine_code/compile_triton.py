"""Compiles the kernels of a capture to machine code, on a machine that may differ from the target, or have no GPU."""

from __future__ import annotations

import importlib.util
import os
import tempfile
import types
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import torch

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.facts.generated_code import (
    MachineCode,
    OutputCode,
    Resources,
)
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.features.machine_code import compile_cpp, vendor_tools
from pytest_compile_golden.features.machine_code.compile_cpp import usable_cores
from pytest_compile_golden.formats import get_format
from pytest_compile_golden.formats.inductor_module import kernel_files
from pytest_compile_golden.formats.machine_code import MachineCodeFormat
from pytest_compile_golden.formats.machine_code.languages import LANGUAGES
from pytest_compile_golden.observe.compile_isolation import no_trace_logging
from pytest_compile_golden.observe.probes.output_code import described
from pytest_compile_golden.stages import without_compiled_kernels
from pytest_compile_golden.targets import get_target
from pytest_compile_golden.targets.import_torch import own_variables
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device, settings
from pytest_compile_golden.torch_internals import kernels as names
from pytest_compile_golden.torch_internals.kernels import CUDA_STAGES, GRID, HIP_STAGES

Made = TypeVar("Made")
_TENSOR_MEMORY = 512  # columns that a block may have (triton/compiler/compiler.py: CompiledKernel._init_handles)
_SPILLS = 16
_STAGE = "ttir"


def compile_kernels(record: Record, *, every_config: bool = False) -> None:
    """Add to `record` the machine code of each of its kernels, which are Triton or C++ depending on the target.

    A Triton kernel is compiled in its first configuration, or in every one. A kernel that does not compile is added
    with the reason. If this torch or Triton differs from what we know, or if there is no C++ compiler, the stages that
    need compiled kernels become unavailable. Raises CompileGoldenError inside another target.
    """
    try:
        record.entries["machine_code"] = (
            compile_cpp.compiled(record.target, compile_cpp.cpp_kernels(record))
            if record.device_type == "cpu"
            else compiled(
                record.target, partial(kernels, record), every_config=every_config
            )
        )
    except CompileGoldenError:
        raise
    except compile_cpp.NoCompiler as error:
        without_compiled_kernels(record, str(error))
    except Exception as error:  # a changed internal can raise anything
        without_compiled_kernels(
            record, f"compiling the kernels failed ({type(error).__name__}: {error})"
        )


def triton_irs(
    target: str, load_kernels: Callable[[Path], Iterable[LoadedKernel]]
) -> list[list[str]]:
    """Each kernel in Triton's own IR, with the compiler's options, one text per configuration on offer.

    Equal IR and options give equal machine code (triton/compiler/compiler.py: compile).
    """
    with (
        get_target(target).active(),
        _private_triton_cache() as folder,
        Patches() as patches,
    ):
        for row in (CUDA_STAGES, HIP_STAGES):
            if row.here:
                patches.wrap(*row.resolve(), _stopping)
        autotuners = [kernel.autotuner for kernel in load_kernels(folder)]
        return [
            _at_once(partial(_until_ir, each, config) for config in each.configs)
            for each in autotuners
        ]


def compiled(
    target: str,
    load_kernels: Callable[[Path], Iterable[LoadedKernel]],
    *,
    every_config: bool,
) -> list[MachineCode]:
    """The machine code of each kernel that `load_kernels` yields, given a folder for files, in the same order."""
    with get_target(target).active(), _private_triton_cache() as folder:
        offered = [
            (kernel, index)
            for kernel in load_kernels(folder)
            for index in range(len(kernel.autotuner.configs) if every_config else 1)
        ]
        return _at_once(
            partial(_compiled, kernel, index, folder) for kernel, index in offered
        )


def _at_once(tasks: Iterable[Callable[[], Made]]) -> list[Made]:
    """The results of all tasks, in order. Triton's passes and ptxas do not hold the GIL while they work."""
    with ThreadPoolExecutor(usable_cores()) as pool:
        # torch's config lives in the context, and each thread has its own.
        return [
            done.result()
            for done in [pool.submit(copy_context().run, task) for task in tasks]
        ]


@contextmanager
def _private_triton_cache() -> Iterator[Path]:
    """A new folder for Triton's cache and our files, so that nothing comes from an earlier run's cache."""
    with (
        tempfile.TemporaryDirectory(prefix="compile-golden-") as folder,
        own_variables(),
        no_trace_logging(),
        Patches() as patches,
    ):
        os.environ["TRITON_CACHE_DIR"] = str(Path(folder) / "triton")
        # Static launchers keep only parts of a kernel (torch/_inductor/runtime/triton_heuristics.py).
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
        return MachineCode(*identity, dropped=not_compiled(error))
    texts, resources = vendor_tools.disassembled(binary, folder)
    return MachineCode(
        *identity,
        compiler=vendor_tools.compiler(binary),
        symbol=binary.metadata.name,
        texts=texts,
        resources=resources,
        dropped=drop_reason(kernel.autotuner, binary, resources),
    )


def not_compiled(error: Exception) -> str:
    """The reason for a configuration that Triton or ptxas rejects; torch goes on without it."""
    first = next((line.strip() for line in split_lines(str(error)) if line.strip()), "")
    return f"does not compile: {type(error).__name__}" + (f": {first}" if first else "")


def drop_reason(autotuner: Any, binary: Any, resources: Resources) -> str:
    """Why a configuration that compiles is dropped before its first launch; empty if it is not.

    Follows CompiledKernel._init_handles in triton/compiler/compiler.py, which rejects kernels that exceed the card's
    resources, and CachingAutotuner.bench in torch/_inductor/runtime/triton_heuristics.py, which does not time kernels
    that spill.
    """
    device = torch.cuda.get_device_properties(torch.cuda.current_device())
    shared = device.shared_memory_per_block_optin
    if resources.shared > shared:
        return f"{resources.shared} bytes of shared memory, of {shared} that a block may have"
    tensor_memory = names.TENSOR_MEMORY.of(binary.metadata, None) or 0
    if tensor_memory > _TENSOR_MEMORY:
        return f"{tensor_memory} columns of tensor memory, of {_TENSOR_MEMORY} that a block may have"
    if not resources.occupancy:
        return f"{resources.registers} registers for each of {resources.threads} threads, more than there are"
    limit = autotuner.inductor_meta.get("spill_threshold", _SPILLS)
    if (
        resources.spills > limit
        and len(autotuner.configs) > 1
        and not autotuner.custom_kernel
    ):
        return f"{resources.spills} spills: with more than {limit}, torch takes another configuration"
    return ""


class _Reached(Exception):
    """The compiler is stopped here, with what it has so far."""


def _until_ir(autotuner: Any, config: Any) -> str:
    try:
        autotuner._precompile_config(config)
    except Exception as error:
        reached = error.__cause__ if isinstance(error.__cause__, _Reached) else error
        if not isinstance(reached, _Reached):
            raise
        options, text = reached.args
        form = get_format(_STAGE)
        assert isinstance(form, MachineCodeFormat)
        return f"{options}\n{form.renamed(LANGUAGES[_STAGE].cleaned(text, autotuner.fn.__name__))}"
    raise AssertionError("Triton compiled a kernel without its own IR")


def _stopping(add_stages: Callable[..., None]) -> Callable[..., None]:
    def add(
        self: Any, stages: dict[str, Callable[..., Any]], options: Any, *rest: Any
    ) -> None:
        add_stages(self, stages, options, *rest)
        make_ir = stages[_STAGE]

        def stop(source: Any, metadata: dict[str, Any]) -> None:
            raise _Reached(str(options), str(make_ir(source, metadata)))

        stages[_STAGE] = stop

    return add


@dataclass(frozen=True)
class LoadedKernel:
    """A kernel that can be compiled."""

    key: GraphKey
    name: str
    autotuner: Any
    """Inductor's CachingAutotuner (torch/_inductor/runtime/triton_heuristics.py); `configs` has its configurations."""


def kernels(record: Record, folder: Path) -> Iterator[LoadedKernel]:
    """Every Triton kernel of a capture, in the order in which they were written; files go into `folder`."""
    codes: list[OutputCode] = record.get("output_code")
    for graph, code in enumerate(codes):
        for number, (name, text) in enumerate(kernel_files(code.code, "triton")):
            # Triton looks up a kernel's source in its file (triton/runtime/jit.py: JITFunction).
            yield LoadedKernel(
                code.key, name, load(text, folder / f"kernel_{graph}_{number}.py")
            )


def load(text: str, path: Path) -> Any:
    """The autotuner of the only kernel in a module that Inductor wrote; the module is written to `path`."""
    autotuners = device.AUTOTUNER.get()
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module: types.ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return next(
        value for value in vars(module).values() if isinstance(value, autotuners)
    )


def launches(autotuner: Any, options: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """How Inductor launches a kernel: each configuration on offer, with the grid that follows from it.

    options: which options of a template count.
    """
    meta = autotuner.inductor_meta
    config_args = {
        name: value
        for name, value in (meta.get("config_args") or {}).items()
        if name in options
    }
    given = [meta.get("extra_launcher_args"), config_args]
    return tuple(
        (
            described(config),
            *grid.prefix,
            *map(str, (grid.x_grid, grid.y_grid, grid.z_grid)),
            repr(given),
        )
        for config in autotuner.configs
        for grid in [GRID.get()(meta, config)]
    )
