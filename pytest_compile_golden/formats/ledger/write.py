"""A record's passes as the rows of a ledger."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.ledger.printed import Nodes, OperatorCount, PassRow, Pattern, write
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.graphs import Pass


@dataclass(frozen=True)
class PassesArtifact(Artifact):
    """Every pass of every phase, in the order it ran."""

    passes: tuple[Pass, ...]

    def ran(self, name: str) -> bool:
        """Whether a pass called `name` ran."""
        return any(row.name == name for row in self.passes)

    def changed(self, name: str) -> bool:
        """Whether a pass called `name` changed a graph."""
        return any(row.name == name and row.changed for row in self.passes)

    def matches(self, pattern: str) -> int:
        """How often patterns whose name contains `pattern` matched."""
        return sum(match.count for row in self.passes for match in row.patterns if pattern in match.name)


def _row(run: Pass) -> PassRow:
    if not run.changed and not run.patterns:
        return PassRow(run.key.label, run.phase, run.name, where=run.where)
    operators = (
        *(OperatorCount("-", name, times) for name, times in run.removed.items()),
        *(OperatorCount("+", name, times) for name, times in run.added.items()),
    )
    return PassRow(
        run.key.label,
        run.phase,
        run.name,
        Nodes(run.before, run.after),
        run.where,
        tuple(Pattern(match.name, match.count, match.where) for match in run.patterns),
        operators,
        # Scheduler steps work on groups, for which no operators are counted.
        rearranged=run.changed and not operators and run.phase != "scheduler",
    )


def render(record: Record, stage: str) -> PassesArtifact | None:
    """The ledger of all graphs; None if no pass ran."""
    passes: list[Pass] = record.get(stage)
    return PassesArtifact(stage, write(map(_row, passes)), tuple(passes)) if passes else None
