"""The pass ledger as text: one row a pass, what it did under it."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_compile_golden.observe.record import GraphKey, Pass, Record
from pytest_compile_golden.stages.artifact import Artifact


@dataclass(frozen=True)
class PassesArtifact(Artifact):
    """Every pass of every phase, in the order it ran."""

    passes: tuple[Pass, ...]

    def ran(self, name: str) -> bool:
        """Whether a pass called `name` ran."""
        return any(each.name == name for each in self.passes)

    def changed(self, name: str) -> bool:
        """Whether a pass called `name` changed a graph."""
        return any(each.name == name and each.changed for each in self.passes)

    def matches(self, pattern: str) -> int:
        """How often patterns whose name contains `pattern` matched."""
        return sum(match.count for each in self.passes for match in each.patterns if pattern in match.name)


def _counts(sign: str, operators: dict[str, int]) -> list[str]:
    return [f"{sign}{name}" + (f" x{times}" if times > 1 else "") for name, times in operators.items()]


def _rows(each: Pass) -> list[str]:
    where = f"  # {each.where}" if each.where else ""
    if not each.changed and not each.patterns:
        return [f"  {each.phase:<9} {each.name:<40} .{where}".rstrip()]
    rows = [f"  {each.phase:<9} {each.name:<40} {each.before} -> {each.after}{where}"]
    for match in each.patterns:
        place = f"  # {match.where}" if match.where else ""
        rows.append(f"      pattern {match.name}: matched {match.count}{place}")
    operators = [*_counts("-", each.removed), *_counts("+", each.added)]
    if operators:
        rows.append("      " + "  ".join(operators))
    elif each.changed and each.phase != "scheduler":
        rows.append("      same operators, other order or arguments")
    return rows


def render_passes(record: Record) -> PassesArtifact | None:
    """The ledger of all graphs; None where no pass ran."""
    passes: list[Pass] = record.get("passes")
    lines: list[str] = []
    at: GraphKey | None = None
    for each in passes:
        if each.key != at:
            at = each.key
            lines += ([""] if lines else []) + [f"{at.label}:"]
        lines += _rows(each)
    return PassesArtifact("passes", "\n".join(lines) + "\n", tuple(passes)) if passes else None
