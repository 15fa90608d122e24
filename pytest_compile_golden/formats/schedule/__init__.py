"""Inductor's operations before fusion, and the scheduler's groups after it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_compile_golden.formats.align import align, without_comment
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format, Significant
from pytest_compile_golden.formats.inventory import Inventory, inventory
from pytest_compile_golden.formats.schedule import form, holds, printed, write
from pytest_compile_golden.formats.schedule.printed import Section
from pytest_compile_golden.record import Record

_NAME = re.compile(r"(?<![A-Za-z0-9])(?:op|buf)\d+(?![A-Za-z0-9])")

_OWN = re.compile(r"op\d+$")


class ScheduleFormat(Format):
    """A document is a tuple of `schedule.printed.Section`, one a graph."""

    def write(self, document: Iterable[Section]) -> str:
        return printed.write(document)

    def read(self, text: str) -> tuple[Section, ...]:
        return printed.read(text)

    def canonical(self, text: str) -> object:
        return form.canonical(text)

    def size(self, artifact: Artifact) -> str:
        """The operations of the graph itself: those of a branch or a loop in it are named after the branch."""
        operations = (each for section in self.read(artifact.text) for each in section.operations)
        return f"{sum(_OWN.match(each.name) is not None for each in operations)} operations"

    def depth(self, old: str, new: str) -> str:
        return form.depth(old, new)

    def significant(self, old: str, new: str) -> Significant:
        """Operations and buffers keep the golden's numbers."""
        return align(old, new, lambda text: set(_NAME.findall(text)), without_comment, _NAME)


class OperationsFormat(ScheduleFormat):
    """Operations before fusion."""

    def render(self, record: Record, stage: str) -> Artifact | None:
        return write.render_operations(record, stage)

    def inventory(self, text: str) -> Inventory:
        """Operations by kind, and what their loop bodies compute."""
        return inventory(holds.operations(self.read(text)))


class GroupsFormat(ScheduleFormat):
    """Groups after fusion, what autotuning chose, and the pairs that stayed apart."""

    def render(self, record: Record, stage: str) -> Artifact | None:
        return write.render_groups(record, stage)


OPERATIONS = OperationsFormat()
GROUPS = GroupsFormat()
