"""The same operations in another order: which of them runs earlier or later, and relative to what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from pytest_compile_golden.changes.schedules import OperationsMoved
from pytest_compile_golden.facts.schedules import Operation, Schedule
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.schedule.printed import read
from pytest_compile_golden.formats.text import short


def change(old: Iterable[Schedule], new: Iterable[Schedule]) -> OperationsMoved:
    """What brings the operations of `old` into the order of `new`."""
    for one, other in zip(old, new, strict=True):
        before, after = ([_name(operation) for operation in section.operations] for section in (one, other))
        if before != after:
            return _moved(before, after)
    return OperationsMoved(())


def moved(old: str, new: str) -> OperationsMoved | None:
    """Which operation runs earlier or later in another schedule; None if none does or if the operations differ."""
    try:
        one, other = ([op for section in read(text) for op in section.operations] for text in (old, new))
    except Unreadable:
        return None
    before, after = (list(map(_name, operations)) for operations in (one, other))
    if before != after:
        return _moved(before, after) if sorted(before) == sorted(after) else None
    # Operations of the same name are distinguished by the numbers that they were given before scheduling.
    return OperationsMoved(()) if _ranks(one) != _ranks(other) else None


def _ranks(operations: Sequence[Operation]) -> list[int]:
    numbers = [int("".join(filter(str.isdigit, operation.name)) or 0) for operation in operations]
    return [sorted(numbers).index(number) for number in numbers]


def _moved(old: Sequence[str], new: Sequence[str]) -> OperationsMoved:
    changed = [
        opcode for opcode in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if opcode[0] != "equal"
    ]
    kind, low, high, start, end = changed[0]
    if kind == "insert" and low < len(old):
        return OperationsMoved(tuple(new[start:end]), old[low])
    if kind == "delete" and high < len(old):
        # The current position of the first of them.
        at = max(new.index(old[low], start) if old[low] in new[start:] else start, 1)
        return OperationsMoved(tuple(old[low:high]), new[at - 1], earlier=False)
    known = start < len(new) and low < len(old)
    return OperationsMoved((new[start],), old[low], swapped=True) if known else OperationsMoved(())


def _name(operation: Operation) -> str:
    """The function called, or the last operator that a kernel computes."""
    kind, _, called = operation.kind.partition(" ")
    if kind == "extern":
        return short(called.rpartition(" ")[2].removeprefix("torch.ops.")).rpartition(".")[2]
    return short(operation.computes[-1].operator) if operation.computes else operation.kind
