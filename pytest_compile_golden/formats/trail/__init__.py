"""The trail: a summary of what each step of a compile decided."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pytest_compile_golden.formats.format import Format, Significant, Unreadable
from pytest_compile_golden.formats.trail import compare, form, printed, shown
from pytest_compile_golden.formats.trail.printed import TrailStep


class TrailFormat(Format):
    """A document is a tuple of `trail.printed.TrailStep`. It is rendered from other stages (`trail.write.render`)."""

    def write(self, document: Iterable[TrailStep]) -> str:
        return printed.write(document)

    def read(self, text: str) -> tuple[TrailStep, ...]:
        return printed.read(text)

    def canonical(self, text: str) -> object:
        return form.canonical(text)

    def significant(self, old: str, new: str) -> Significant | None:
        try:
            return Significant(*shown.in_words(self.read(old), self.read(new)))
        except Unreadable:
            return None

    def carry_over(self, golden: str, text: str, unavailable: Collection[str], order: Sequence[str]) -> str:
        try:
            return compare.carry_over(golden, text, unavailable, order)
        except Unreadable:
            return text


TRAIL = TrailFormat()
