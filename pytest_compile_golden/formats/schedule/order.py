"""The same operations in another order: which of them runs earlier or later, and relative to what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from pytest_compile_golden.formats.edits import Edit, edit
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.operators import short
from pytest_compile_golden.formats.schedule.printed import Operation, Section, read

_ORDER = "order: "
_IN_OTHER_ORDER = "the same operations in another order"


def names_moved_operations(change: Edit) -> bool:
    """Whether an edit says which operations moved."""
    return change.key.startswith(_ORDER)


def edit_of(old: Iterable[Section], new: Iterable[Section]) -> Edit:
    """The edit that brings the operations of `old` into the order of `new`."""
    for one, other in zip(old, new, strict=True):
        before, after = ([_name(operation) for operation in section.operations] for section in (one, other))
        if before != after:
            moved = _moved(before, after)
            return edit(moved, "memory", key=f"{_ORDER}{moved}")
    return edit(_IN_OTHER_ORDER, "memory")


def moved(old: str, new: str) -> str:
    """Which operation runs earlier or later in another schedule; empty if none does or if the operations differ."""
    try:
        one, other = ([op for section in read(text) for op in section.operations] for text in (old, new))
    except Unreadable:
        return ""
    before, after = (list(map(_name, operations)) for operations in (one, other))
    if before != after:
        return _moved(before, after) if sorted(before) == sorted(after) else ""
    # Operations of the same name are distinguished by the numbers that they were given before scheduling.
    return _IN_OTHER_ORDER if _ranks(one) != _ranks(other) else ""


def _ranks(operations: Sequence[Operation]) -> list[int]:
    numbers = [int("".join(filter(str.isdigit, operation.name)) or 0) for operation in operations]
    return [sorted(numbers).index(number) for number in numbers]


def _moved(old: Sequence[str], new: Sequence[str]) -> str:
    changed = [
        opcode for opcode in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if opcode[0] != "equal"
    ]
    kind, low, high, start, end = changed[0]
    if kind == "insert" and low < len(old):
        return f"{_listed(new[start:end])} runs earlier, ahead of {old[low]}"
    if kind == "delete" and high < len(old):
        # The current position of the first of them.
        at = max(new.index(old[low], start) if old[low] in new[start:] else start, 1)
        return f"{_listed(old[low:high])} runs later, behind {new[at - 1]}"
    return (
        f"other order, first of {new[start]} and {old[low]}" if start < len(new) and low < len(old) else "other order"
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} (and {len(names) - 1} more)"


def _name(operation: Operation) -> str:
    """The function called, or the last operator that a kernel computes."""
    kind, _, called = operation.kind.partition(" ")
    if kind == "extern":
        return short(called.rpartition(" ")[2].removeprefix("torch.ops.")).rpartition(".")[2]
    return short(operation.computes[-1].operator) if operation.computes else operation.kind
