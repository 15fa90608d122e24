"""Whether kernels that are written differently become the same machine code."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

from pytest_compile_golden.formats import get_format
from pytest_compile_golden.formats.code import Language, kernel_files, restored
from pytest_compile_golden.formats.machine_code import MachineCodeFormat
from pytest_compile_golden.formats.machine_code.languages import LANGUAGES, MACHINE_CODE
from pytest_compile_golden.metal import cpp
from pytest_compile_golden.metal.compile import compiled
from pytest_compile_golden.metal.kernels import Kernel, load
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.code import MachineCode, OutputCode
from pytest_compile_golden.record.graphs import GraphKey

# A case of which more kernels changed would take longer than the answer is worth.
_MOST = 16


def same_machine_code(record: Record, before: str) -> bool:
    """Whether the kernels of `record` do on its target, instruction by instruction, what those in `before` do.

    before: kernels as the stage `triton_code`, on CPU targets `cpp_code`, shows them. Both are compiled by what is
    installed, where their texts differ, in each configuration that is offered. False, too, where the installed torch
    cannot compile the old ones, and where more than a few changed.
    """
    return _same_in_cpp(record, before) if record.device_type == "cpu" else _same_in_triton(record, before)


def _same_in_cpp(record: Record, before: str) -> bool:
    codes: list[OutputCode] = record.get("output_code")
    changed = _changed(record, before, "cpp", "cpp_code")
    if not 0 < len(changed) <= _MOST:
        return False
    kernels = [
        cpp.CppKernel(GraphKey(number), side, text, codes[0].settings)
        for number, pair in enumerate(changed)
        for side, text in zip(("old", "new"), pair, strict=True)
    ]
    with contextlib.suppress(cpp.NoCompiler):
        return _alike(cpp.compiled(record.target, kernels))
    return False


def _same_in_triton(record: Record, before: str) -> bool:
    changed = _changed(record, before, "triton", "triton_code")
    if not 0 < len(changed) <= _MOST:
        return False

    def load_kernels(folder: Path) -> Iterator[Kernel]:
        for number, pair in enumerate(changed):
            for side, module in zip(("old", "new"), pair, strict=True):
                yield Kernel(GraphKey(number), side, load(module, folder / f"{side}_{number}.py"))

    with contextlib.suppress(Exception):  # whatever an older kernel has that this torch does not
        # Most changes show in the first configuration: the others are compiled only where it does not.
        return all(_alike(compiled(record.target, load_kernels, every_config=every)) for every in (False, True))
    return False


def _alike(codes: Sequence[MachineCode]) -> bool:
    sides = [_form([code for code in codes if code.kernel == side]) for side in ("old", "new")]
    return sides[0] == sides[1] and all(code.resources is not None for code in codes)


def _changed(record: Record, before: str, language: Language, stage: str) -> list[tuple[str, str]]:
    """The files, old and new, of kernels that differ; none where not each of them has its counterpart."""
    form = get_format(language)
    artifact = form.render(record, stage)
    codes: list[OutputCode] = record.get("output_code")
    modules = [text for code in codes for _, text in kernel_files(code.code, language)]
    old, new = form.read(before), form.read("" if artifact is None else artifact.text)
    if not len(old) == len(new) == len(modules):
        return []
    return [
        (restored(old_kernel.source, module), module)
        for old_kernel, new_kernel, module in zip(old, new, modules, strict=True)
        if form.canonical(form.write([old_kernel])) != form.canonical(form.write([new_kernel]))
    ]


def _form(codes: Sequence[MachineCode]) -> Hashable:
    return tuple(
        (code.key, code.config, code.resources, *(_canonical(stage, code) for stage in MACHINE_CODE)) for code in codes
    )


def _canonical(stage: str, code: MachineCode) -> Hashable:
    """Its text in one language, whatever the labels are called; nothing where it has none."""
    format_of = get_format(stage)
    assert isinstance(format_of, MachineCodeFormat)
    return format_of.renamed(LANGUAGES[stage].cleaned(code.texts.get(stage, ""), code.symbol))
