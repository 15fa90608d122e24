"""The pass ledger: every pass of every phase in the order it ran, and what it did."""

from __future__ import annotations

from pytest_compile_golden.formats.align import align
from pytest_compile_golden.formats.format import Format, Significant
from pytest_compile_golden.formats.ledger import form, printed, write


class LedgerFormat(Format):
    """A document is a tuple of `ledger.printed.PassRow`."""

    render = staticmethod(write.render)
    read = staticmethod(printed.read)
    write = staticmethod(printed.write)
    canonical = staticmethod(form.canonical)

    def significant(self, old: str, new: str) -> Significant:
        """The passes that did something."""
        return align(old, new, lambda _: frozenset(), form.significant)


LEDGER = LedgerFormat()
