"""How far a torch can be read, as plain data: kept per torch version, shown by runs, reports and `doctor --try`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class UnreadStage:
    """A stage that does not show what it must show for any torch."""

    target: str
    stage: str
    reason: str
    """What is missing, or which fact does not hold."""


@dataclass(frozen=True)
class Reading:
    """What tiny programs with known facts showed of one torch."""

    torch: str
    targets: tuple[str, ...]
    stages: tuple[str, ...]
    """The stages that were tried, in pipeline order."""
    unread: tuple[UnreadStage, ...] = ()

    @property
    def title(self) -> str:
        """`this torch cannot be read yet: 2 of 30 stages`; empty if all can be."""
        if not self.unread:
            return ""
        gone = len({each.stage for each in self.unread})
        return f"this torch cannot be read yet: {gone} of {len(self.stages)} stages"

    @property
    def reasons(self) -> tuple[str, ...]:
        """`lowered_ir, scheduler_nodes: NAME is gone`, a line for each reason; with the targets if not all of them."""
        stages: dict[str, dict[str, set[str]]] = {}
        for each in self.unread:
            stages.setdefault(each.reason, {}).setdefault(each.stage, set()).add(
                each.target
            )
        lines = []
        for reason, targets in stages.items():
            on = set().union(*targets.values())
            where = "" if on == set(self.targets) else f" on {', '.join(sorted(on))}"
            lines.append(f"{_listed(targets)}{where}: {reason}")
        return tuple(lines)


def _listed(stages: Iterable[str]) -> str:
    names = list(stages)
    return (
        ", ".join(names)
        if len(names) <= 8
        else f"{', '.join(names[:6])} and {len(names) - 6} more stages"
    )


def merged(readings: Iterable[Reading]) -> Reading | None:
    """The readings of one torch's targets as one; None if there are none."""
    every = list(readings)
    if not every:
        return None
    return Reading(
        every[0].torch,
        tuple(dict.fromkeys(target for reading in every for target in reading.targets)),
        tuple(dict.fromkeys(stage for reading in every for stage in reading.stages)),
        tuple(dict.fromkeys(unread for reading in every for unread in reading.unread)),
    )
