"""Inductor's operations before fusion, and the scheduler's groups after it: the artifacts, and their format.

coalescing: which accesses of a schedule are far apart for neighbouring threads, as Inductor tiles kernels
edits: how a schedule changed: what autotuning chose, how groups, kinds and single operations of it differ
equivalence: schedules that run the same: torch only represents or lists something otherwise
form: the significant content of a schedule (groups, accesses, indices, loop bodies), and how deep a change of it goes
group_edits: how operations are in other groups: what is fused into one kernel, and what no longer is
kind_edits: how a schedule has other operations: more or fewer of a kind, or of a kind that the other does not have
operation_edits: how one operation of a schedule became another of the same kind: its results, what it reads
printed: schedules written as text and read back; of large ones, operations that repeat an earlier one are a line each
provenance: what schedules leave out: an operation's nodes, a group's kernel, who refused to fuse, and most pairs
repeated: runs of groups that repeat earlier ones, such as the layers of a model: one line says which, and how often
roles: what operations of a schedule are for, by what is around them: copies for a library call, steps of a reduction
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from msgspec.structs import replace

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.common.name_matching import joined, near
from pytest_compile_golden.errors import UnknownName
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.facts.schedules import (
    REFUSALS,
    Choice,
    Group,
    NotFused,
    Operation,
    Schedule,
    buffer,
    ungrouped,
)
from pytest_compile_golden.formats.artifact import Answer, Artifact
from pytest_compile_golden.formats.canonical_text import sizes_by_appearance, with_sizes
from pytest_compile_golden.formats.format import Format
from pytest_compile_golden.formats.op_counts import Occurrence
from pytest_compile_golden.formats.schedules import form, printed, provenance
from pytest_compile_golden.formats.schedules.equivalence import equal_except_lists
from pytest_compile_golden.formats.schedules.provenance import parts

_LISTED = frozenset({"not-unpacked", "template-option-listed", "candidates-added"})
_ACCESSES = frozenset({"ops.load", "ops.store", "ops.store_reduction"})


@dataclass(frozen=True, repr=False)
class ScheduleArtifact(Artifact):
    """The scheduler's groups in all graphs."""

    schedules: tuple[Schedule, ...]
    not_fused: tuple[NotFused, ...]
    """Every pair, also of operations that became one group in the end."""

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of all graphs."""
        return tuple(group for schedule in self.schedules for group in schedule.groups)

    def fused(self, *operators: str) -> Answer:
        """Whether some group computes all of `operators`; if not, a failing assert shows how near they came to it.

        Raises UnknownName for an operator that no group computes: a misspelt name must not make a check pass or fail.
        """
        for operator in operators:
            if not any(group.computes(operator) for group in self.groups):
                known = sorted(
                    {name for group in self.groups for name in group.operators}
                )
                words = sorted({word for name in known for word in name.split(".")})
                raise UnknownName(
                    f"no kernel computes {operator!r}{near(operator, words)} Operators: {joined(known)}."
                )
        return fused(self.schedules, operators)


def schedule_text(schedule: Schedule) -> str:
    """The groups without their numbers, so that a diff of two schedules shows what moved between them."""
    return printed.write(
        printed.loose_group(printed.title(group), group.operations)
        for group in schedule.groups
    )


def render_operations(record: Record, stage: str) -> Artifact | None:
    """Inductor IR as lowering left it, with loop bodies; None if nothing was lowered."""
    schedules: list[Schedule] = record.get(stage)
    sections = [
        Schedule(schedule.label, ungrouped(schedule.operations))
        for schedule in schedules
    ]
    return Artifact(stage, printed.write(sections)) if schedules else None


def render_groups(record: Record, stage: str) -> ScheduleArtifact | None:
    """Groups after fusion, and pairs that were not fused with torch's reason; None if nothing was lowered.

    Of very many pairs the nearest misses are listed, and the others counted by reason (`near_misses`).
    """
    schedules = tuple(scheduled(record))
    if not schedules:
        return None
    refused: list[tuple[str, NotFused]] = record.get("not_fused")
    facts = (
        *provenance.links(schedules),
        *provenance.refused(pair for _, pair in refused),
    )
    pairs, unavailable = (
        tuple(pair for _, pair in refused),
        frozenset({REFUSALS} & record.lacks.keys()),
    )
    return ScheduleArtifact(
        stage,
        printed.write(schedules),
        schedules,
        pairs,
        facts=facts,
        unavailable=unavailable,
    )


def scheduled(record: Record) -> Iterator[Schedule]:
    """The schedule of each graph, with what was said about it at other times: choices, refusals, names of kernels."""
    choices: list[tuple[str, Choice]] = record.get("autotuned")
    refused: list[tuple[str, NotFused]] = record.get("not_fused")
    kernels: list[tuple[str, str, tuple[str, ...]]] = record.get("kernels")
    for schedule in record.get("scheduler_nodes"):
        group_of = {
            op.name: number
            for number, group in enumerate(schedule.groups)
            for op in group.operations
        }
        chosen = tuple(choice for label, choice in choices if label == schedule.label)
        kernel_of = {
            name: kernel
            for label, kernel, names in kernels
            if label == schedule.label
            for name in names
        }
        pairs: dict[tuple[str, str, str], NotFused] = {}
        for label, pair in refused:
            # A refusal does not matter if both ended up in one group.
            if label == schedule.label and _group_of(pair.first, group_of) != _group_of(
                pair.second, group_of
            ):
                pairs.setdefault((pair.first, pair.second, pair.reason), pair)
        unknown = REFUSALS in record.lacks
        apart, more_apart = (
            (None, ())
            if unknown
            else provenance.listed(pairs.values(), schedule.operations)
        )
        yield replace(
            schedule,
            groups=tuple(
                replace(group, kernel=kernel_of.get(group.operations[0].name))
                for group in schedule.groups
            ),
            tuned_by=(record.policy or "by timing") if chosen else None,
            choices=chosen,
            apart=apart,
            more_apart=more_apart,
        )


def _group_of(name: str, group_of: dict[str, int]) -> int | None:
    """The final group of a node or of nodes fused so far, whose names torch joins with underscores."""
    return group_of.get(name, group_of.get(name.partition("_")[0]))


def fused(schedules: Sequence[Schedule], operators: Sequence[str]) -> Answer:
    """Whether a group of `schedules` computes all of `operators`, each of which some group computes."""
    for schedule in schedules:
        for group in schedule.groups:
            if all(map(group.computes, operators)):
                return Answer(True, f"{group.name} of {schedule.label}")
    nearest = max(schedules, key=lambda schedule: len(_places(schedule, operators)))
    places = _places(nearest, operators)
    if len(places) < len(operators):
        named = (
            (schedule.label, ", ".join(_places(schedule, operators)))
            for schedule in schedules
        )
        return Answer(
            False,
            "; ".join(
                f"{label} has {computed or 'none of them'}" for label, computed in named
            ),
        )
    where = ", ".join(
        f"{operator} in {' and '.join(group.name for group in places[operator])}"
        for operator in places
    )
    refused = _refused(nearest, list(places.values()))
    why = (
        "why they were not fused cannot be read of this torch"
        if nearest.apart is None
        else _why(refused)
    )
    return Answer(False, f"{nearest.label} has {where}; {why}")


def _why(refused: NotFused | None) -> str:
    if refused is None:
        return "torch did not say why these were not fused"
    by = f" by {refused.author.function}" if refused.author is not None else ""
    return f"{refused} was refused{by}: {refused.reason}"


def _places(schedule: Schedule, operators: Collection[str]) -> dict[str, list[Group]]:
    """The groups that compute each of `operators`, without those that no group here computes."""
    found = {
        operator: [group for group in schedule.groups if group.computes(operator)]
        for operator in operators
    }
    return {operator: groups for operator, groups in found.items() if groups}


def _refused(schedule: Schedule, places: Sequence[Sequence[Group]]) -> NotFused | None:
    """The refusal of the largest parts of two groups that compute different ones of the operators."""
    group_of = {
        operation.name: group
        for groups in places
        for group in groups
        for operation in group.operations
    }
    between: list[NotFused] = []
    for pair in schedule.apart or ():
        first = {group_of[name] for name in parts(pair.first) if name in group_of}
        second = {group_of[name] for name in parts(pair.second) if name in group_of}
        if first and second and first != second:
            between.append(pair)
    return max(
        between,
        key=lambda pair: len(parts(pair.first)) + len(parts(pair.second)),
        default=None,
    )


class ScheduleFormat(Format):
    """A document is a tuple of `facts.schedules.Schedule`, one per graph."""

    lines_are_edits = False
    word = form.NAME
    read = staticmethod(printed.read)
    write = staticmethod(printed.write)
    form = staticmethod(form.form)

    def size(self, artifact: Artifact) -> str:
        """The number of operations in the graph itself; those in its branches and loops are named after the branch."""
        operations = (
            operation
            for section in self.read(artifact.text)
            for operation in section.operations
        )
        return f"{sum(operation.name.removeprefix('op').isdigit() for operation in operations)} operations"

    def names(self, text: str) -> Set[str]:
        """Operations and buffers."""
        return set(form.NAME.findall(text))

    def shown(self, text: str, beside: str) -> str:
        """With folded operations in full, since each refers to those before it."""
        folded = printed.any_folded(text) or printed.any_folded(beside)
        return self.write(self.document(text), fold=False) if folded else text

    def explains_of(
        self, old: Sequence[Schedule], new: Sequence[Schedule], codes: Collection[str]
    ) -> bool:
        """Whether only the results of library calls are represented otherwise, or options of templates listed."""
        return _LISTED.issuperset(codes) and equal_except_lists(old, new)

    def edits_of(
        self, old: Sequence[Schedule], new: Sequence[Schedule]
    ) -> Iterable[Change]:
        from pytest_compile_golden.formats.schedules.edits import edits

        return edits(old, new)


class OperationsFormat(ScheduleFormat):
    """Operations before fusion."""

    render = staticmethod(render_operations)

    def inventory_of(self, document: Sequence[Schedule]) -> Iterator[Occurrence]:
        """Operations by kind, and what their loop bodies compute."""
        return operations(document)


class GroupsFormat(ScheduleFormat):
    """Groups after fusion, the choices of autotuning, and the pairs that were not fused."""

    render = staticmethod(render_groups)

    def carry_over(self, golden: str, text: str, unavailable: Collection[str]) -> str:
        """The refusals of the golden, as far as it has the same groups."""
        if REFUSALS not in unavailable:
            return text
        known = {
            (each.label, each.groups): (each.apart, each.more_apart)
            for each in self.read(golden)
        }

        def completed(section: Schedule) -> Schedule:
            apart, more_apart = known.get((section.label, section.groups), (None, ()))
            return (
                replace(section, apart=apart, more_apart=more_apart)
                if section.apart is None
                else section
            )

        return self.write(map(completed, self.read(text)))


OPERATIONS = OperationsFormat()
GROUPS = GroupsFormat()


def operations(sections: Sequence[Schedule]) -> Iterator[Occurrence]:
    """Each operation before fusion, and each call in its loop body."""
    for section in sections:
        sizes = sizes_by_appearance(
            text
            for operation in section.operations
            for text in (*operation.outputs, *operation.reads)
        )
        for operation in section.operations:
            kind, _, callee = operation.kind.partition(" ")
            # `extern ExternKernelOut extern_kernels.mm`
            name = callee.split()[-1] if kind == "extern" and callee else kind
            accesses = (
                access.removeprefix(buffer(access))
                for access in (*operation.reads, "", *operation.writes)
            )
            outputs = (
                output.removeprefix(buffer(output)) for output in operation.outputs
            )
            yield Occurrence(
                name,
                with_sizes(f"{'; '.join(accesses)} -> {'; '.join(outputs)}", sizes),
            )
            yield from _body(operation, sizes)


def _body(operation: Operation, sizes: dict[str, str]) -> Iterator[Occurrence]:
    assigned = {
        name
        for name, equals, _ in (line.partition(" = ") for line in operation.body)
        if equals
    }
    for call in form.calls(operation.body):
        operator = call.partition("(")[0]
        text = form.OPERAND.sub(r"\1_", call) if operator in _ACCESSES else call
        text = form.WORD.sub(lambda word: "_" if word[0] in assigned else word[0], text)
        yield Occurrence(operator, with_sizes(text, sizes))
