"""Triton kernels, as Inductor wrote them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from functools import partial

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.known_rewrites import SPELLINGS
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.inductor_module import KernelsFormat, Piece
from pytest_compile_golden.formats.kernel_metadata import ENTRY, has_effect
from pytest_compile_golden.formats.triton import triton_kernels

HINTS = re.compile(
    r",\s*(?:eviction_policy|cache_modifier|volatile)=(?:'[^']*'|True|False)"
)
"""Arguments that change how a kernel is cached, never what it computes."""
_ARGUMENT = re.compile(r"(size_hints|reduction_hint)=(?:\{.*?\}|ReductionHint\.\w+),?")


def without_hints(source: str) -> str:
    """A kernel without what changes how it is cached and how its threads wait, never what it computes."""
    return triton_kernels.without_idle_barriers(HINTS.sub("", source))


def _without_argument(name: str, source: str) -> str:
    """A kernel without one argument of its launch."""
    return _ARGUMENT.sub(lambda found: "" if found[1] == name else found[0], source)


_REWRITES: dict[str, Callable[[str], str]] = {
    **SPELLINGS,
    "hints-changed": partial(HINTS.sub, ""),
    "idle-barrier": triton_kernels.without_idle_barriers,
    "reduction-hint": partial(_without_argument, "reduction_hint"),
    "size-hints": partial(_without_argument, "size_hints"),
}
"""A kernel without what these codes name."""


class TritonFormat(KernelsFormat):
    """Each kernel with its decorator, one line per entry of its metadata."""

    rewrites = _REWRITES
    form_of = staticmethod(triton_kernels.form)

    def edits_of(self, old: Sequence[Piece], new: Sequence[Piece]) -> Iterable[Change]:
        from pytest_compile_golden.formats.statement_edits import code_edits
        from pytest_compile_golden.formats.triton.edits import kernel_edits

        return code_edits(old, new, self.comment, self.form_of, kernel_edits)

    def names(self, text: str) -> Set[str]:
        try:
            functions = [
                function
                for piece in self.document(text)
                for function in triton_kernels.read(piece.source)
            ]
        except Unreadable:
            return frozenset()
        return {
            *(function.name for function in functions if function.is_kernel),
            *(name for function in functions for name, _ in function.parameters),
            *(
                name
                for function in functions
                for step in function.steps
                for name in step.targets
            ),
        }

    def significant_line(self, line: str) -> str | None:
        """A line without its comment, and without metadata that has no effect."""
        entry = ENTRY.match(line.strip())
        if entry is not None and not has_effect(entry[1], entry[2]):
            return None
        return super().significant_line(line)


TRITON = TritonFormat("triton", "cuda")
