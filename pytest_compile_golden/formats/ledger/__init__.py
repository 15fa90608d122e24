"""The pass ledger: every pass of every phase in the order it ran, and what it did."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_compile_golden.formats.align import align
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format, Significant
from pytest_compile_golden.formats.ledger import form, printed, write
from pytest_compile_golden.formats.ledger.printed import PassRow
from pytest_compile_golden.record import Record


class LedgerFormat(Format):
    """A document is a tuple of `ledger.printed.PassRow`."""

    def render(self, record: Record, stage: str) -> Artifact | None:
        return write.render(record, stage)

    def write(self, document: Iterable[PassRow]) -> str:
        return printed.write(document)

    def read(self, text: str) -> tuple[PassRow, ...]:
        return printed.read(text)

    def canonical(self, text: str) -> object:
        return form.canonical(text)

    def significant(self, old: str, new: str) -> Significant:
        """The passes that did something."""
        return align(old, new, lambda _: frozenset(), form.significant)


LEDGER = LedgerFormat()
