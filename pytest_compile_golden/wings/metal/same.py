"""Whether kernels that are written differently compile to the same machine code."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

from pytest_compile_golden.formats import get_format
from pytest_compile_golden.formats.code import Language, kernel_files, restored
from pytest_compile_golden.formats.machine_code import MachineCodeFormat
from pytest_compile_golden.formats.machine_code.languages import LANGUAGES, MACHINE_CODE
from pytest_compile_golden.formats.triton.depth import HINTS
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.code import MachineCode, OutputCode
from pytest_compile_golden.record.graphs import GraphKey
from pytest_compile_golden.wings.metal import cpp
from pytest_compile_golden.wings.metal.compile import compiled
from pytest_compile_golden.wings.metal.kernels import Kernel, load

# If more kernels of a case changed, the answer is not worth the time.
_MOST = 16


def same_machine_code(record: Record, before: str, without_hints: bool = False) -> bool:
    """Whether the kernels of `record` have the same instructions on its target as those in `before`.

    without_hints: leave out Triton's hints to loads and stores on both sides, whose effect is not compared then.
    before: kernels as printed by the stage `triton_code`, or `cpp_code` on CPU targets. Kernels whose texts differ are
    compiled on both sides with the installed tools, in each configuration that is offered. Also False if the installed
    torch cannot compile the old kernels, or if more than a few changed.
    """
    return (
        _same_in_cpp(record, before) if record.device_type == "cpu" else _same_in_triton(record, before, without_hints)
    )


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


def _same_in_triton(record: Record, before: str, without_hints: bool) -> bool:
    changed = _changed(record, before, "triton", "triton_code")
    if without_hints:
        changed = [(HINTS.sub("", old), HINTS.sub("", new)) for old, new in changed]
    if not 0 < len(changed) <= _MOST:
        return False

    def load_kernels(folder: Path) -> Iterator[Kernel]:
        for number, pair in enumerate(changed):
            for side, module in zip(("old", "new"), pair, strict=True):
                yield Kernel(GraphKey(number), side, load(module, folder / f"{side}_{number}.py"))

    with contextlib.suppress(Exception):  # an older kernel may use anything that this torch lacks
        # Most changes show in the first configuration: the others are compiled only if it shows none.
        return all(_alike(compiled(record.target, load_kernels, every_config=every)) for every in (False, True))
    return False


def _alike(codes: Sequence[MachineCode]) -> bool:
    sides = [_form([code for code in codes if code.kernel == side]) for side in ("old", "new")]
    return sides[0] == sides[1] and all(code.resources is not None for code in codes)


def _changed(record: Record, before: str, language: Language, stage: str) -> list[tuple[str, str]]:
    """The files, old and new, of kernels that differ; empty if any kernel has no counterpart."""
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
    """The kernel's text in one language, independent of label names; empty if it has none."""
    format_of = get_format(stage)
    assert isinstance(format_of, MachineCodeFormat)
    return format_of.renamed(LANGUAGES[stage].cleaned(code.texts.get(stage, ""), code.symbol))
