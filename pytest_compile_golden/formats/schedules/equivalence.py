"""Schedules that run the same: torch only represents or lists something otherwise, or runs it in another order.

A library call with one result gives it directly. Up to torch 2.13, every `FallbackKernel` call gave a
`MultiOutputLayout`, and a `MultiOutput` took out its one result (torch/_inductor/lowering.py: fallback_handler). What
runs is the same, but torch counts the bytes differently.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from msgspec.structs import replace

from pytest_compile_golden.changes.schedules import OperationsMoved
from pytest_compile_golden.facts.schedules import Operation, Schedule, buffer
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.graphs.effects import operator_name
from pytest_compile_golden.formats.schedules import form

OPTION = re.compile(r"(\w+)=('[^']*'|[^,()]+)")
"""An option of a template in a choice of autotuning, and its value."""
SEVERAL = "MultiOutputLayout"
"""The type of what a library call with several results gives."""


def equal_except_unpacking(old: Sequence[Schedule], new: Sequence[Schedule]) -> bool:
    """Whether two schedules run the same, and differ only in how the one result of a library call is represented."""
    return old != new and form.form(unpacked(old)) == form.form(unpacked(new))


def equal_except_lists(old: Sequence[Schedule], new: Sequence[Schedule]) -> bool:
    """Whether two schedules run the same, and differ only in that, or in what torch lists of autotuning."""
    if len(old) != len(new) or old == new:
        return False
    pairs = [
        _listed_in_both(*pair)
        for pair in zip(unpacked(old), unpacked(new), strict=True)
    ]
    return form.form(one for one, _ in pairs) == form.form(other for _, other in pairs)


def _listed_in_both(old: Schedule, new: Schedule) -> tuple[Schedule, Schedule]:
    """Both with only the options of chosen templates that both sides list, and with as many candidates as there are now
    if there were fewer."""
    if len(old.choices) != len(new.choices):
        return old, new
    pairs = list(zip(old.choices, new.choices, strict=True))
    common = [
        dict(OPTION.findall(was.chosen)).keys()
        & dict(OPTION.findall(now.chosen)).keys()
        for was, now in pairs
    ]
    before, after = (
        tuple(
            replace(
                pair[side],
                chosen=f"{pair[side].chosen.partition(' ')[0]} {_options(pair[side].chosen, names)}",
                candidates=max(pair[side].candidates, pair[1].candidates),
            )
            for pair, names in zip(pairs, common, strict=True)
        )
        for side in (0, 1)
    )
    return replace(old, choices=before), replace(new, choices=after)


def _options(chosen: str, names: Collection[str]) -> str:
    """Those of its options, and whatever else it says."""
    return OPTION.sub(
        lambda match: match[0] if match[1] in names else "", chosen
    ).replace(", ", "")


def unpacked(sections: Iterable[Schedule]) -> tuple[Schedule, ...]:
    """The schedules with each call of one result giving it directly."""
    return tuple(map(_section, sections))


def _section(section: Schedule) -> Schedule:
    """The section without operations that take out the only result of a call, which then has that result's type."""
    producers = {
        buffer(output): op for op in section.operations for output in op.outputs
    }
    unpacks: dict[str, list[Operation]] = {}
    for op in section.operations:
        if op.kind == "unpack":
            for read in op.reads:
                unpacks.setdefault(read, []).append(op)
    only = {
        name: ops[0].outputs[0]
        for name, ops in unpacks.items()
        if len(ops) == 1
        and len(ops[0].outputs) == 1
        and name in producers
        and SEVERAL in " ".join(producers[name].outputs)
    }
    names = {buffer(output): name for name, output in only.items()}
    groups = [
        replace(
            group,
            operations=tuple(
                _renamed(op, only, names)
                for op in group.operations
                if not _drops(op, names)
            ),
        )
        for group in section.groups
    ]
    return replace(
        section, groups=tuple(group for group in groups if group.operations), apart=()
    )


def _drops(operation: Operation, names: Mapping[str, str]) -> bool:
    return operation.kind == "unpack" and all(
        buffer(output) in names for output in operation.outputs
    )


def _renamed(
    operation: Operation, only: Mapping[str, str], names: Mapping[str, str]
) -> Operation:
    def named(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            names.get(buffer(text), buffer(text)) + text.removeprefix(buffer(text))
            for text in texts
        )

    outputs = tuple(
        f"{buffer(output)}:{only[buffer(output)].partition(':')[2]}"
        if buffer(output) in only
        else output
        for output in operation.outputs
    )
    return replace(
        operation,
        outputs=outputs,
        reads=named(operation.reads),
        writes=named(operation.writes),
    )


def change(old: Iterable[Schedule], new: Iterable[Schedule]) -> OperationsMoved:
    """What brings the operations of `old` into the order of `new`."""
    for one, other in zip(old, new, strict=True):
        before, after = (
            [_name(operation) for operation in section.operations]
            for section in (one, other)
        )
        if before != after:
            return _moved(before, after)
    return OperationsMoved(())


def moved(old: Sequence[Schedule], new: Sequence[Schedule]) -> OperationsMoved | None:
    """Which operation runs earlier or later in another schedule; None if none does or if the operations differ."""
    one, other = (
        [op for section in side for op in section.operations] for side in (old, new)
    )
    before, after = (list(map(_name, operations)) for operations in (one, other))
    if before != after:
        return _moved(before, after) if sorted(before) == sorted(after) else None
    # Operations of the same name are distinguished by the numbers that they were given before scheduling.
    return OperationsMoved(()) if _ranks(one) != _ranks(other) else None


def _ranks(operations: Sequence[Operation]) -> list[int]:
    numbers = [
        int("".join(filter(str.isdigit, operation.name)) or 0)
        for operation in operations
    ]
    return [sorted(numbers).index(number) for number in numbers]


def _moved(old: Sequence[str], new: Sequence[str]) -> OperationsMoved:
    change = _first_moved(old, new)
    # Of several operations of one name, the name does not say which of them moved.
    return OperationsMoved(()) if change.beside in change.operations else change


def _first_moved(old: Sequence[str], new: Sequence[str]) -> OperationsMoved:
    changed = [
        opcode
        for opcode in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if opcode[0] != "equal"
    ]
    kind, low, high, start, end = changed[0]
    if kind == "insert" and low < len(old):
        return OperationsMoved(tuple(new[start:end]), old[low])
    if kind == "delete" and high < len(old):
        # The current position of the first of them.
        at = max(new.index(old[low], start) if old[low] in new[start:] else start, 1)
        return OperationsMoved(tuple(old[low:high]), new[at - 1], earlier=False)
    known = start < len(new) and low < len(old)
    return (
        OperationsMoved((new[start],), old[low], swapped=True)
        if known
        else OperationsMoved(())
    )


def _name(operation: Operation) -> str:
    """The function called, or the last operator that a kernel computes."""
    kind, _, called = operation.kind.partition(" ")
    if kind == "extern":
        return operator_name(called.rpartition(" ")[2].removeprefix("torch.ops."))
    return (
        short(operation.computes[-1].operator) if operation.computes else operation.kind
    )
