"""The pass log: every pass of every phase in the order it ran, and what it did.

compare: two pass ledgers, read as runs of passes and compared in order: the first that did something different
from_record: a record's passes as the rows of a ledger; those that did nothing are named in its evidence
printed: the printed pass ledger, a row per pass followed by what it did: as plain data, written as text and read back
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence, Set

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import Simple
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.formats.format import Format
from pytest_compile_golden.formats.pass_log import from_record, printed
from pytest_compile_golden.formats.pass_log.printed import NOTHING, REARRANGED, PassRow

# A pass whose patterns matched but left the graph as it was; not for scheduler steps, which list no operators.
_UNCHANGED = re.compile(r"(?!scheduler ).* (\d+) -> \1$")
# How many nodes a step of the scheduler finds and leaves: what lowering made follows in other stages.
_FOUND = re.compile(r"scheduler (.+) (\d+) -> (\d+)$")
_PATTERN = "pattern "


def canonical(text: str) -> tuple[str, ...]:
    """The significant content of a ledger: what passes did to operators. A pass that did nothing may come or go.

    A pass that changed no operators does not count either: arguments and effects of the order of nodes show in its
    graph. How often a pattern matched only explains what its pass did.
    """
    lines = (significant(line) for line in split_lines(text))
    significant_lines = [
        line for line in lines if line is not None and not line.startswith(_PATTERN)
    ]
    form: list[str] = []
    graph = ""
    for line, after in zip(
        significant_lines, [*significant_lines[1:], ""], strict=False
    ):
        if line.endswith(":") and " " not in line:
            graph = line
        elif REARRANGED not in (line, after) and (
            after[:1] in ("+", "-") or _UNCHANGED.match(line) is None
        ):
            # A graph on which no pass did anything that counts is like one that is not listed.
            form += [graph, line] if graph else [line]
            graph = ""
    return tuple(form)


def significant(line: str) -> str | None:
    """The significant content of one row, without where the pass is defined; None for a pass that did nothing."""
    row = line.partition("  # ")[0].rstrip()
    return (
        None
        if not row or f"{row}\n" == NOTHING or row.endswith(" .") or row[0] == "#"
        else " ".join(row.split())
    )


class LedgerFormat(Format):
    """A document is a tuple of `pass_log.printed.PassRow`."""

    render = staticmethod(from_record.render)
    read = staticmethod(printed.read)
    write = staticmethod(printed.write)
    canonical = staticmethod(canonical)
    significant_line = staticmethod(significant)

    def names(self, text: str) -> Set[str]:
        """None: passes are never renamed."""
        return frozenset()

    def explains_of(
        self, old: Sequence[PassRow], new: Sequence[PassRow], codes: Collection[str]
    ) -> bool:
        """Whether the scheduler only starts from another number of nodes."""
        return set(codes) == {"nodes-found"} and self._only_found(old, new)

    def edits_of(
        self, old: Sequence[PassRow], new: Sequence[PassRow]
    ) -> Iterable[Change]:
        return (Simple("nodes-found"),) if self._only_found(old, new) else ()

    def _only_found(self, old: Sequence[PassRow], new: Sequence[PassRow]) -> bool:
        before, after = (canonical(self.write(side)) for side in (old, new))
        return (
            before != after
            and len(before) == len(after)
            and all(map(_as_much, zip(before, after, strict=True)))
        )


def _as_much(both: tuple[str, str]) -> bool:
    """Whether a row says the same, or a step of the scheduler leaves as many nodes, or takes away or adds as many."""
    old, new = both
    rows = [_FOUND.match(row) for row in both]
    if old == new or None in rows:
        return old == new
    (was, found, left), (name, finds, leaves) = (
        row.groups() for row in rows if row is not None
    )
    return was == name and (
        left == leaves or int(found) - int(left) == int(finds) - int(leaves)
    )


LEDGER = LedgerFormat()
