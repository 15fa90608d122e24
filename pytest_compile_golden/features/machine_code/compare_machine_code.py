"""Whether kernels that are written differently compile to the same machine code."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from pathlib import Path

from pytest_compile_golden.facts.generated_code import MachineCode, OutputCode
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.features.machine_code import compile_cpp
from pytest_compile_golden.features.machine_code.compile_triton import (
    LoadedKernel,
    compiled,
    launches,
    load,
    triton_irs,
)
from pytest_compile_golden.formats import get_format, triton
from pytest_compile_golden.formats.inductor_module import (
    Language,
    kernel_files,
    restored,
)
from pytest_compile_golden.formats.machine_code import MachineCodeFormat
from pytest_compile_golden.formats.machine_code.languages import LANGUAGES, MACHINE_CODE

# If more kernels of a case changed, the answer is not worth the time.
_MOST = 16
_REDUCTION = re.compile(r"(\breduction_hint=ReductionHint\.)\w+")


def same_machine_code(record: Record, before: str, without_hints: bool = False) -> bool:
    """Whether the kernels of `record` have the same instructions on its target as those in `before`.

    without_hints: leave out Triton's hints to loads and stores on both sides, barriers that order nothing, and
    Inductor's hint for the launch of reductions, whose effect is not compared then.
    before: kernels as printed by the stage `triton_code`, or `cpp_code` on CPU targets. Kernels whose texts differ are
    compiled on both sides with the installed tools, in each configuration that is offered. Also False if the installed
    torch cannot compile the old kernels, or if more than a few changed.
    """
    codes: list[OutputCode] = record.get("output_code")
    language: Language = "cpp" if record.device_type == "cpu" else "triton"
    artifact = get_format(language).render(record, f"{language}_code")
    modules = [text for code in codes for _, text in kernel_files(code.code, language)]
    pairs = changed(
        language, before, "" if artifact is None else artifact.text, modules
    )
    if language == "triton":
        return same_in_triton(record.target, pairs, without_hints)
    if not 0 < len(pairs) <= _MOST:
        return False
    kernels = [
        compile_cpp.CppKernel(GraphKey(number), side, text, codes[0].settings)
        for number, pair in enumerate(pairs)
        for side, text in zip(("old", "new"), pair, strict=True)
    ]
    with contextlib.suppress(compile_cpp.NoCompiler):
        return _alike(compile_cpp.compiled(record.target, kernels))
    return False


def changed(
    language: Language, before: str, after: str, modules: Sequence[str]
) -> list[tuple[str, str]]:
    """The files, old and new, of kernels that differ; empty if any kernel has no counterpart.

    modules: for each kernel of `after`, the file of a kernel that has what texts leave out.
    """
    form = get_format(language)
    old, new = form.read(before), form.read(after)
    if not len(old) == len(new) == len(modules):
        return []
    return [
        (restored(old_kernel.source, module), restored(new_kernel.source, module))
        for old_kernel, new_kernel, module in zip(old, new, modules, strict=True)
        if form.canonical(form.write([old_kernel]))
        != form.canonical(form.write([new_kernel]))
    ]


def same_in_triton(
    target: str, pairs: Sequence[tuple[str, str]], without_hints: bool = False
) -> bool:
    """Whether the kernels of each pair of files compile to the same machine code, and are launched alike."""
    if without_hints:
        pairs = [(_without_hints(old), _without_hints(new)) for old, new in pairs]
    if not 0 < len(pairs) <= _MOST:
        return False
    # An older kernel may use anything that this torch lacks.
    with contextlib.suppress(Exception):
        irs = triton_irs(target, partial(_loaded, pairs))
        left = [
            pair
            for pair, old, new in zip(pairs, irs[::2], irs[1::2], strict=True)
            if old != new
        ]
        # Most changes show in the first configuration: the others are compiled only if it shows none.
        return not left or all(
            _alike(compiled(target, partial(_loaded, left), every_config=every))
            for every in (False, True)
        )
    return False


def _loaded(pairs: Sequence[tuple[str, str]], folder: Path) -> Iterator[LoadedKernel]:
    """Both kernels of each pair; raises _LaunchedOtherwise at the first pair that is."""
    for number, pair in enumerate(pairs):
        both = [
            LoadedKernel(
                GraphKey(number), side, load(module, folder / f"{side}_{number}.py")
            )
            for side, module in zip(("old", "new"), pair, strict=True)
        ]
        options = [
            kernel.autotuner.inductor_meta.get("config_args") or {} for kernel in both
        ]
        common = options[0].keys() & options[1].keys()
        # An option that only one of the templates has shows in its code, if it does anything.
        if launches(both[0].autotuner, common) != launches(both[1].autotuner, common):
            raise _LaunchedOtherwise
        yield from both


def _without_hints(module: str) -> str:
    return _REDUCTION.sub(r"\1DEFAULT", triton.without_hints(module))


class _LaunchedOtherwise(Exception):
    pass


def _alike(codes: Sequence[MachineCode]) -> bool:
    sides = [
        [_form(code) for code in codes if code.kernel == side]
        for side in ("old", "new")
    ]
    return sides[0] == sides[1] and all(code.resources is not None for code in codes)


def _form(code: MachineCode) -> Hashable:
    """Its texts, independent of label names and empty in a language that it has none in, and how it is launched."""
    texts = []
    for stage in MACHINE_CODE:
        format_of = get_format(stage)
        assert isinstance(format_of, MachineCodeFormat)
        texts.append(
            format_of.renamed(
                LANGUAGES[stage].cleaned(code.texts.get(stage, ""), code.symbol)
            )
        )
    return code.key, code.config, code.resources, *texts
