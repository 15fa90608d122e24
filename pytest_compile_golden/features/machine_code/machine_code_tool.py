"""How the core asks for machine code: what `captured.KernelCompiler` describes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_compile_golden.stages import without_compiled_kernels

if TYPE_CHECKING:
    from pytest_compile_golden.facts.record import Record


def compile_kernels(record: Record, *, every_config: bool) -> None:
    """Add to `record` the machine code of each of its kernels; see `compile_triton`."""
    from pytest_compile_golden.common.installed_torch import torch_version

    if torch_version() is None:
        without_compiled_kernels(
            record, "kernels are compiled with torch, which is not installed"
        )
        return
    from pytest_compile_golden.features.machine_code import compile_triton

    compile_triton.compile_kernels(record, every_config=every_config)


def same_machine_code(record: Record, before: str, without_hints: bool) -> bool:
    """Whether the kernels of `record` and those in the text `before` compile to the same; see `machine_code.same`."""
    from pytest_compile_golden.features.machine_code import compare_machine_code

    return compare_machine_code.same_machine_code(record, before, without_hints)


def cpp_compiler() -> str:
    """The C++ compiler that is installed, or what is missing, in words."""
    try:
        from pytest_compile_golden.features.machine_code.compile_cpp import (
            NoCompiler,
            installed_compiler,
        )
    except ImportError:  # the stage `assembly` reports what is missing
        return "C++ compiler unknown"
    try:
        return installed_compiler()
    except NoCompiler as error:
        return f"C++ compiler missing, needed for native-cpu and the stage assembly: {error}"
