"""How a schedule has other operations: more or fewer of a kind, or some of a kind that the other does not have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from pytest_compile_golden.changes import schedules
from pytest_compile_golden.changes.change import Change, counts, sorted_counts
from pytest_compile_golden.changes.common_types import CountedNewOrGone, NewOrGone
from pytest_compile_golden.changes.trail import ResultsStored
from pytest_compile_golden.common.surplus import surplus
from pytest_compile_golden.facts.schedules import Operation, buffer
from pytest_compile_golden.formats.canonical_text import short, without_overload
from pytest_compile_golden.formats.schedules import operation_edits, roles
from pytest_compile_golden.formats.schedules.group_edits import GroupEdit

_WITH_INDEX = ("argmax_value", "argmax_with_value", "argmin_value", "argmin_with_value")
_KERNELS = frozenset({"pointwise", "reduction", "sort", "scan", "argreduction"})

_Sides = tuple[list[Operation], list[Operation]]
"""Operations of the old and of the new schedule."""
_Copies = Sequence[Sequence[tuple[Operation, str]]]
"""By side, the operations that copy an input of a library call, each with the operator of the call (`roles.copies`)."""


def kind_edits(
    old: Sequence[Operation],
    new: Sequence[Operation],
    copying: _Copies,
    grouped: Sequence[GroupEdit],
) -> Iterator[Change]:
    """How `old` became `new`, which are of other kinds: first what is known for what it is, then each part of the rest
    that has nothing to do with another, since no operator is in both and none reads what the other makes.

    copying: by side, the operations that copy an input of a library call, each with the operator of the call
    (`roles.copies`). grouped: how groups were merged and split.
    """
    calls = set(map(roles.called, (*old, *new)))

    def does(operation: Operation) -> roles.Signature:
        # torch says of what is made for a call that it computes the call.
        own = [each for each in operation.computes if short(each.operator) not in calls]
        return roles.signature(
            replace(operation, computes=tuple(own or operation.computes))
        )

    # What is recognised is taken out of `left` before the next is looked for: parts of it would else be told again, as
    # operations that are gone or new.
    left = surplus(old, new, does), surplus(new, old, does)
    if combined := roles.combined(old, new):
        more = len(new) > len(old)
        yield NewOrGone("reduction-steps", combined, more, touches=combined)
        left = _without(
            left,
            [[op for op in side if op.kind.startswith(roles.WELFORD)] for side in left],
        )
    copied = _CopiedOtherwise(old, new, copying)
    yield from copied.edits(grouped)
    left = _without(left, copied.copies)
    # A maximum that is computed where its index is is the same otherwise.
    times = [Counter(does(op)[1:] for op in side) for side in left]
    same = [
        [op for op in side if times[0][does(op)[1:]] == times[1][does(op)[1:]]]
        for side in left
    ]
    for part in _parts_of(*same):
        edit = _part_changed(*part, (), ())
        if edit is not None and edit.code == "value-with-index":
            yield operation_edits.touching(edit, *part)
            left = _without(left, part)
    for two, operators in _stepped(old, new):
        reducing = [
            [
                op
                for op in side
                if roles.reduces(op) and roles.operators(op) & operators.keys()
            ]
            for side in left
        ]
        names = tuple(dict.fromkeys(map(without_overload, operators)))
        yield operation_edits.touching(
            NewOrGone("reduction-steps", names, two), *reducing
        )
        left = _without(left, reducing)
    every = [
        frozenset(name for op in side for name in roles.operators(op))
        for side in (old, new)
    ]
    makers = [roles.makers(side) for side in (old, new)]
    read = [{buffer(read) for op in side for read in op.reads} for side in (old, new)]
    for part in _parts_of(*left):
        edit = _part_changed(
            *part, every[0] & every[1], read[len(part[1]) > len(part[0])]
        )
        if edit is None:
            continue
        edit = operation_edits.touching(
            edit,
            *(
                roles.with_makers(side, by_buffer)
                for side, by_buffer in zip(part, makers, strict=True)
            ),
        )
        # In the place of what is left over, the other side has what is told for itself.
        yield edit.following(
            not holds_of_all(edit, old, new) or copied.is_about(edit, part)
        )


def _without(sides: _Sides, known: Sequence[Collection[Operation]]) -> _Sides:
    old, new = (
        [op for op in side if op not in of_side]
        for side, of_side in zip(sides, known, strict=True)
    )
    return old, new


_COPIES = "extern InplaceCopyFallback aten.copy_"
"""A library call that copies (torch/_inductor/ir.py: InplaceCopyFallback)."""


class _CopiedOtherwise:
    """The inputs of library calls that one side alone copies."""

    def __init__(
        self, old: Sequence[Operation], new: Sequence[Operation], copying: _Copies
    ) -> None:
        kernels = [Counter(operation.kind for operation in side) for side in (old, new)]
        made_for = [roles.made_for(side) for side in (old, new)]
        times = [Counter(call for _, call in side) for side in copying]
        self.calls: list[Counter[str]] = []
        """By side, for which calls it copies more inputs than the other, and how many more."""
        self.copies: list[list[Operation]] = []
        """By side, what copies an input of such a call."""
        for side, other in ((0, 1), (1, 0)):
            # The other side may copy by calls of a library.
            by_calls = kernels[other][_COPIES] - kernels[side][_COPIES]
            more = Counter(
                {
                    call: count
                    for call, count in (times[side] - times[other]).items()
                    if count > by_calls
                    # What is computed for a call alone is as much as before if it only looks like a copy on this side.
                    and (
                        kernels[side]["pointwise"] > kernels[other]["pointwise"]
                        or made_for[side][call] > made_for[other][call]
                    )
                }
            )
            self.calls.append(more)
            self.copies.append([op for op, call in copying[side] if more[call]])

    def edits(self, grouped: Sequence[GroupEdit]) -> Iterator[Change]:
        for side, copied in ((0, False), (1, True)):
            calls, copies = self.calls[side], self.copies[side]
            # A copy in a kernel that was merged with what it copies is computed there, which says it.
            merged = set[str]().union(*(each.operations[side] for each in grouped))
            if calls:
                yield CountedNewOrGone(
                    "inputs-copied-for",
                    counts(calls),
                    copied,
                    touches=tuple(sorted(calls)),
                    follows=merged.issuperset(op.name for op in copies),
                )

    def is_about(self, edit: Change, part: Sequence[Sequence[Operation]]) -> bool:
        """Whether a change of these operations is about what is copied, or about what it is copied for: what a copy is
        made from, or reads it, is written otherwise with it."""
        return any(
            buffer(read) in {buffer(output) for op in copies for output in op.outputs}
            for side, copies in zip(part, self.copies, strict=True)
            for op in side
            for read in op.reads
        ) or any(name in calls for calls in self.calls for name in edit.touches)


def _stepped(
    old: Sequence[Operation], new: Sequence[Operation]
) -> Iterator[tuple[bool, Counter[str]]]:
    """The operators that are reduced in two steps instead of one, if True, and those in one instead of two: of a large
    reduction parts are computed, and then the result over those. Both steps are of one operator."""
    halves = [roles.halves(side) for side in (old, new)]
    reduced = [
        Counter(
            name
            for operation in side
            if roles.reduces(operation)
            for name in roles.operators(operation)
        )
        for side in (old, new)
    ]
    for two in (False, True):
        # One that reads what another has reduced is no second step if both sides have as many.
        stepped = (halves[two] - halves[not two]) & (reduced[two] - reduced[not two])
        if stepped:
            yield two, stepped


def holds_of_all(
    edit: Change, old: Iterable[Operation], new: Iterable[Operation]
) -> bool:
    """Whether there are more operations of these kinds, or fewer, also among all of both sides: another may stand in
    the place of one that is gone."""
    if not isinstance(edit, schedules.OperationsChanged):
        return True
    before, after = (
        sum(operation.kind in edit.kinds for operation in side) for side in (old, new)
    )
    return (before < after) if edit.more else (before > after)


def _parts_of(
    old: Sequence[Operation], new: Sequence[Operation]
) -> Iterator[tuple[tuple[Operation, ...], tuple[Operation, ...]]]:
    """Operations of both sides by what they have to do with each other."""
    left = [
        (side, operation)
        for side, operations in enumerate((old, new))
        for operation in operations
    ]
    while left:
        part = [left.pop(0)]
        for side, operation in part:
            joined = [
                entry for entry in left if _belong_together(side, operation, *entry)
            ]
            left = [entry for entry in left if entry not in joined]
            part += joined
        yield (
            tuple(op for side, op in part if not side),
            tuple(op for side, op in part if side),
        )


def _belong_together(
    side: int, one: Operation, other_side: int, other: Operation
) -> bool:
    """Whether two operations may have changed together: they compute an operator in common, one reads what the other
    makes, or each may stand in the other's place, since they make the same kind of value of the same."""
    if roles.operators(one) & roles.operators(other):
        return True
    makes = [
        set(map(buffer, (*operation.outputs, *operation.writes)))
        for operation in (one, other)
    ]
    reads = [set(map(buffer, operation.reads)) for operation in (one, other)]
    if side == other_side:
        return bool(makes[0] & reads[1] or makes[1] & reads[0])
    return (
        all(map(roles.called, (one, other)))
        or roles.signature(one).types == roles.signature(other).types
    ) and bool(reads[0] & reads[1])


def _part_changed(
    old: Sequence[Operation],
    new: Sequence[Operation],
    anywhere: Collection[str],
    read: Collection[str],
) -> Change | None:
    """How one part of a schedule changed; None if as many operations of the same kinds read as many values, and only
    compute something else. anywhere: the operators that both schedules compute. read: the buffers that any operation of
    the schedule with more of them reads."""
    more = len(new) - len(old)
    before, after = (
        Counter(operation.kind for operation in side) for side in (old, new)
    )
    gone, come = sorted_counts(before - after), sorted_counts(after - before)
    if more:
        of = _besides(old, new) if more > 0 else _besides(new, old)
        # What nothing reads is returned: that is not stored for another operation.
        stored = _is_read(new if more > 0 else old, read) and all(
            roles.operators(operation) <= set(anywhere) for operation in (*old, *new)
        )
        if stored and {kind for kind, _ in (*gone, *come)} == {"pointwise"}:
            return ResultsStored(
                _stored(new if more > 0 else old, abs(more)) or of, abs(more), more > 0
            )
        return schedules.OperationsChanged(abs(more), more > 0, gone, come, of)
    if not gone and not come:
        pairs = zip(old, new, strict=True)
        return next(
            (
                operation_edits.reads_changed(was, now)
                for was, now in pairs
                if len(was.reads) != len(now.reads)
            ),
            None,
        )
    both = any(reduction in name for name, _ in come for reduction in _WITH_INDEX)
    return schedules.KindsChanged(
        "value-with-index" if both else "operation-kinds", gone, come
    )


def _is_read(operations: Iterable[Operation], read: Collection[str]) -> bool:
    return any(
        buffer(output) in read
        for operation in operations
        for output in operation.outputs
    )


def _stored(operations: Sequence[Operation], times: int) -> tuple[str, ...]:
    """The operators of the operations whose results others of them read; empty if these are not so many."""
    read = {buffer(read) for operation in operations for read in operation.reads}
    stored = [
        operation
        for operation in operations
        if not read.isdisjoint(map(buffer, operation.outputs))
    ]
    names = dict.fromkeys(
        short(computed.operator)
        for operation in stored
        for computed in operation.computes
    )
    return tuple(roles.computing(names) or names) if len(stored) == times else ()


def call_edits(
    old: Sequence[Operation], new: Sequence[Operation]
) -> Iterator[NewOrGone]:
    """Operators that a library computes now instead of a kernel, or the other way round."""
    before, after = (set(map(roles.called, side)) for side in (old, new))
    for calls, kernels, library in (
        (after - before, old, True),
        (before - after, new, False),
    ):
        computed = {
            name
            for operation in kernels
            if operation.kind.partition(" ")[0] in _KERNELS
            for name in roles.operators(operation)
        }
        for name in sorted(calls & computed):
            yield NewOrGone("library-called", (name,), library, touches=(name,))


def _besides(old: Sequence[Operation], new: Sequence[Operation]) -> tuple[str, ...]:
    """The operators of the program for which `new` has more operations of the same kind than `old`."""

    def does(operation: Operation) -> tuple[str, tuple[str, ...]]:
        return operation.kind, tuple(
            dict.fromkeys(short(computed.operator) for computed in operation.computes)
        )

    more = Counter(map(does, new)) - Counter(map(does, old))
    operators = dict.fromkeys(name for _, names in more for name in names)
    return tuple(roles.computing(operators) or operators)
