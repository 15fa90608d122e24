"""Inductor's operations before fusion, and the scheduler's groups after it."""

from __future__ import annotations

import re
from collections.abc import Collection

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.decisions import NotUnpacked
from pytest_compile_golden.formats.align import align, without_comment
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format, Significant
from pytest_compile_golden.formats.inventory import Inventory, inventory
from pytest_compile_golden.formats.schedule import contents, form, printed, write
from pytest_compile_golden.formats.schedule.unpacked import equal_except_unpacking

_NAME = re.compile(r"(?<![A-Za-z0-9])(?:op|buf)\d+(?![A-Za-z0-9])")

_OWN = re.compile(r"op\d+$")


class ScheduleFormat(Format):
    """A document is a tuple of `facts.schedules.Schedule`, one per graph."""

    read = staticmethod(printed.read)
    write = staticmethod(printed.write)
    canonical = staticmethod(form.canonical)
    depth = staticmethod(form.depth)

    def size(self, artifact: Artifact) -> str:
        """The number of operations in the graph itself; those in its branches and loops are named after the branch."""
        operations = (operation for section in self.read(artifact.text) for operation in section.operations)
        return f"{sum(_OWN.match(operation.name) is not None for operation in operations)} operations"

    def significant(self, old: str, new: str) -> Significant:
        """Operations and buffers keep the golden's numbers."""
        return align(old, new, lambda text: set(_NAME.findall(text)), without_comment, _NAME)

    def explains(self, old: str, new: str, codes: Collection[str]) -> bool:
        """Whether only the results of library calls are represented otherwise."""
        return set(codes) == {NotUnpacked.code} and equal_except_unpacking(old, new)

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        from pytest_compile_golden.formats.schedule.edits import edits

        return edits(old, new)


class OperationsFormat(ScheduleFormat):
    """Operations before fusion."""

    render = staticmethod(write.render_operations)

    def inventory(self, text: str) -> Inventory:
        """Operations by kind, and what their loop bodies compute."""
        return inventory(contents.operations(self.read(text)))


class GroupsFormat(ScheduleFormat):
    """Groups after fusion, the choices of autotuning, and the pairs that were not fused."""

    render = staticmethod(write.render_groups)


OPERATIONS = OperationsFormat()
GROUPS = GroupsFormat()
