"""The trail: what each step of a compile made and decided, as facts in the evidence beside the goldens."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable

from pytest_compile_golden.changes.change import Change, distinct
from pytest_compile_golden.facts.steps import Fact
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.format import Format, Significant, Unreadable
from pytest_compile_golden.formats.trail import compare, shown


class TrailFormat(Format):
    """A document is a tuple of facts, sorted as lines. It is rendered from other stages (`trail.write.render`)."""

    def write(self, document: Iterable[Fact]) -> str:
        return evidence.lines(document)

    def read(self, text: str) -> tuple[Fact, ...]:
        facts: tuple[Fact, ...] = evidence.parsed(text, Fact)
        return facts

    def canonical(self, text: str) -> Hashable:
        """Each stage with its digest, and the decisions that no digest shows; see `compare.Steps`."""
        try:
            return compare.Steps(self.read(text)).significant
        except Unreadable:
            return text

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        return distinct([step.change for step in compare.divergences(old, new)]) or super().edits(old, new)

    def significant(self, old: str, new: str) -> Significant | None:
        try:
            return Significant(*shown.in_words(*(compare.Steps(self.read(text)) for text in (old, new))))
        except Unreadable:
            return None

    def carry_over(self, golden: str, text: str, unavailable: Collection[str]) -> str:
        """`text` plus the facts of `golden` about steps that this torch version cannot show."""
        try:
            return self.write(compare.carry_over(self.read(golden), self.read(text), unavailable))
        except Unreadable:
            return text

    def of_goldens(self, golden: str, text: str, same: Collection[str]) -> str:
        """The trail of a golden without what it says of the stages `same`, whose own goldens say the same as `text`.

        Where it differs from them, they were edited, or merged, after it was written.
        """
        try:
            return self.write(compare.with_steps(self.read(golden), self.read(text), same))
        except Unreadable:
            return golden


TRAIL = TrailFormat()
