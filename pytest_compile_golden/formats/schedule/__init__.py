"""Inductor's operations before fusion, and the scheduler's groups after it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.decisions import NotUnpacked
from pytest_compile_golden.changes.schedules import CandidatesAdded, TemplateOptionListed
from pytest_compile_golden.facts.schedules import REFUSALS, Operation, Schedule, buffer
from pytest_compile_golden.formats.align import align, without_comment
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format, Significant
from pytest_compile_golden.formats.inventory import Counted, Inventory, inventory
from pytest_compile_golden.formats.schedule import form, printed, write
from pytest_compile_golden.formats.schedule.same import equal_except_lists
from pytest_compile_golden.formats.text import sizes_by_appearance, with_sizes

_LISTED = frozenset({NotUnpacked.code, TemplateOptionListed.code, CandidatesAdded.code})
_NAME = re.compile(r"(?<![A-Za-z0-9])(?:op|buf)\d+(?![A-Za-z0-9])")

_BUFFER_NAME = re.compile(r"(?<=ops\.load\(')\w+(?=')|(?<=ops\.store\(')\w+(?=')|(?<=ops\.store_reduction\(')\w+(?=')")
_NAMED = re.compile(r"(?<![\w.'])[A-Za-z_]\w*\b(?![\w.(])")


class ScheduleFormat(Format):
    """A document is a tuple of `facts.schedules.Schedule`, one per graph."""

    read = staticmethod(printed.read)
    write = staticmethod(printed.write)
    canonical = staticmethod(form.canonical)

    def size(self, artifact: Artifact) -> str:
        """The number of operations in the graph itself; those in its branches and loops are named after the branch."""
        operations = (operation for section in self.read(artifact.text) for operation in section.operations)
        return f"{sum(operation.name.removeprefix('op').isdigit() for operation in operations)} operations"

    def significant(self, old: str, new: str) -> Significant:
        """Operations and buffers keep the golden's numbers. Folded ones are in full: each refers to those before it."""
        if printed.any_folded(old) or printed.any_folded(new):
            old, new = (self.write(self.read(text), fold=False) for text in (old, new))
        return align(old, new, lambda text: set(_NAME.findall(text)), without_comment, _NAME)

    def explains(self, old: str, new: str, codes: Collection[str]) -> bool:
        """Whether only the results of library calls are represented otherwise, or options of templates listed."""
        return _LISTED.issuperset(codes) and equal_except_lists(old, new)

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        from pytest_compile_golden.formats.schedule.edits import edits

        return edits(old, new)


class OperationsFormat(ScheduleFormat):
    """Operations before fusion."""

    render = staticmethod(write.render_operations)

    def inventory(self, text: str) -> Inventory:
        """Operations by kind, and what their loop bodies compute."""
        return inventory(operations(self.read(text)))


class GroupsFormat(ScheduleFormat):
    """Groups after fusion, the choices of autotuning, and the pairs that were not fused."""

    render = staticmethod(write.render_groups)

    def carry_over(self, golden: str, text: str, unavailable: Collection[str]) -> str:
        """The refusals of the golden, as far as it has the same groups."""
        if REFUSALS not in unavailable:
            return text
        known = {(each.label, each.groups): (each.apart, each.more_apart) for each in self.read(golden)}

        def completed(section: Schedule) -> Schedule:
            apart, more_apart = known.get((section.label, section.groups), (None, ()))
            return replace(section, apart=apart, more_apart=more_apart) if section.apart is None else section

        return self.write(map(completed, self.read(text)))


OPERATIONS = OperationsFormat()
GROUPS = GroupsFormat()


def operations(sections: Sequence[Schedule]) -> Iterator[Counted]:
    """Each operation before fusion, and each call in its loop body."""
    for section in sections:
        sizes = sizes_by_appearance(
            text for operation in section.operations for text in (*operation.outputs, *operation.reads)
        )
        for operation in section.operations:
            kind, _, callee = operation.kind.partition(" ")
            # `extern ExternKernelOut extern_kernels.mm`
            name = callee.split()[-1] if kind == "extern" and callee else kind
            yield Counted(name, with_sizes(f"{_accesses(operation)} -> {_outputs(operation)}", sizes))
            yield from _body(operation, sizes)


def _accesses(operation: Operation) -> str:
    return "; ".join(access.removeprefix(buffer(access)) for access in (*operation.reads, "", *operation.writes))


def _outputs(operation: Operation) -> str:
    return "; ".join(output.removeprefix(buffer(output)) for output in operation.outputs)


def _body(operation: Operation, sizes: dict[str, str]) -> Iterator[Counted]:
    lines = [line.partition(" = ")[::2] for line in operation.body]
    assigned = {name for name, value in lines if value}
    for _, value in lines:
        if value.startswith("ops."):
            text = _NAMED.sub(
                lambda name_match: "_" if name_match[0] in assigned else name_match[0], _BUFFER_NAME.sub("_", value)
            )
            yield Counted(value.partition("(")[0], with_sizes(text, sizes))
