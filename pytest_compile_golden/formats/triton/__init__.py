"""Triton kernels, as Inductor wrote them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.formats.align import align, without_comment
from pytest_compile_golden.formats.code import KernelsFormat
from pytest_compile_golden.formats.format import Significant
from pytest_compile_golden.formats.metadata import ENTRY, has_effect
from pytest_compile_golden.formats.triton import kernels

HINTS = re.compile(r",\s*(?:eviction_policy|cache_modifier|volatile)=(?:'[^']*'|True|False)")
"""Arguments that change how a kernel is cached, never what it computes."""
_ARGUMENT = re.compile(r"(size_hints|reduction_hint)=(?:\{.*?\}|ReductionHint\.\w+),?")


def without_hints(text: str) -> str:
    """Kernels without what changes how they are cached and how their threads wait, never what they compute."""
    return kernels.without_idle_barriers(HINTS.sub("", text))


def _without_argument(name: str, text: str) -> str:
    """Kernels without one argument of their launch."""
    return _ARGUMENT.sub(lambda found: "" if found[1] == name else found[0], text)


_WRITTEN: dict[str, Callable[[str], str]] = {
    "hints-changed": partial(HINTS.sub, ""),
    "idle-barrier": kernels.without_idle_barriers,
    "reduction-hint": partial(_without_argument, "reduction_hint"),
    "size-hints": partial(_without_argument, "size_hints"),
    # The last arguments, if they are off, of torch/_inductor/runtime/triton_helpers.py: online_softmax_combine.
    "softmax-flag": partial(re.compile(r"(online_softmax_\w+\([^()]*?)(?:,\s*False)+(?=\s*\))").sub, r"\1"),
}
"""Kernels without what these codes name."""


class TritonFormat(KernelsFormat):
    """Each kernel with its decorator, one line per entry of its metadata."""

    canonical = staticmethod(kernels.canonical)
    evened = _WRITTEN

    def significant(self, old: str, new: str) -> Significant:
        """The lines without metadata that has no effect."""
        return align(old, new, _names, _line)

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        from pytest_compile_golden.formats.statement_edits import code_edits
        from pytest_compile_golden.formats.triton.edits import kernel_edits

        return code_edits(self.read(old), self.read(new), self.comment, kernel_edits)


def _names(text: str) -> set[str]:
    """The names that may differ between kernels that do the same."""
    names: set[str] = set()
    for function in kernels.read(text):
        names.update(name for name, _ in function.parameters)
        names.update(name for step in function.steps for name in step.targets)
        if function.is_kernel:
            names.add(function.name)
    return names


def _line(line: str) -> str | None:
    entry = ENTRY.match(line.strip())
    if entry is not None and not has_effect(entry[1], entry[2]):
        return None
    return without_comment(line)


TRITON = TritonFormat("triton", "cuda")
