"""How a schedule changed: what is fused, what autotuning chose, which operations there are, and what they compute.

Names say little here: torch numbers operations and buffers anew in each compile, so that one operation more renames all
after it. Operations and groups are therefore matched by what they compute, and only where both sides have the same
kinds of operations are these paired, one with one, and compared part by part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from pytest_compile_golden.changes import schedules
from pytest_compile_golden.changes.change import Change, counts, distinct, sorted_counts
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    NumberChanged,
    Replaced,
)
from pytest_compile_golden.changes.graphs import OperatorsChanged
from pytest_compile_golden.changes.trail import not_unpacked
from pytest_compile_golden.facts.schedules import (
    Choice,
    Operation,
    Schedule,
    buffer,
    type_of,
)
from pytest_compile_golden.formats.canonical_text import without_overload
from pytest_compile_golden.formats.schedules import (
    equivalence,
    form,
    operation_edits,
    roles,
)
from pytest_compile_golden.formats.schedules.equivalence import (
    OPTION,
    equal_except_unpacking,
    unpacked,
)
from pytest_compile_golden.formats.schedules.group_edits import GroupEdit, group_edits
from pytest_compile_golden.formats.schedules.kind_edits import call_edits, kind_edits


def edits(old: Sequence[Schedule], new: Sequence[Schedule]) -> tuple[Change, ...]:
    """The edits between two artifacts."""
    return _edits(tuple(old), tuple(new))


# Of an artifact with one graph, those of the graph are the same.
@lru_cache(maxsize=64)
def _edits(old: tuple[Schedule, ...], new: tuple[Schedule, ...]) -> tuple[Change, ...]:
    before, after = old, new
    # The same operations in the same groups: all that is left to differ is the order in which they run.
    if form.operations(old) == form.operations(new) and _shape(before) == _shape(after):
        return (equivalence.change(before, after),)
    if equal_except_unpacking(old, new):
        return (not_unpacked(),)
    all_edits: list[Change] = []
    books: tuple[Change, ...] = ()
    # Otherwise each call whose result is represented differently would count as an operation that is gone or new.
    if _unpacks(before) != _unpacks(after):
        before, after = unpacked(before), unpacked(after)
        books = (not_unpacked(),)
    if (
        books
        and form.operations(before) == form.operations(after)
        and _shape(before) == _shape(after)
    ):
        return (equivalence.change(before, after), *books)
    # With different graphs on both sides there is nothing to pair a section with; the graphs' own stages say how
    # these changed.
    others: dict[tuple[str, str], list[Schedule]] = {}
    for section in after:
        others.setdefault(_graph(section), []).append(section)
    if sorted(map(_graph, before)) == sorted(map(_graph, after)):
        for section in before:
            other = others[_graph(section)].pop(0)
            found = list(_section(section, other))
            if not found and form.form([section]) != form.form([other]):
                found += filter(None, [equivalence.moved([section], [other])])
            all_edits += found
    return distinct([*_added_up(all_edits), *books])


def _added_up(found: Sequence[Change]) -> Iterator[Change]:
    """Operations that are more or fewer in several places, as one change with all of them; the others as they are."""
    several: dict[str, list[schedules.OperationsChanged]] = {}
    for edit in found:
        if isinstance(edit, schedules.OperationsChanged) and not edit.follows:
            several.setdefault(edit.key, []).append(edit)
    for edit in found:
        alike = several.get(edit.key, ())
        if len(alike) < 2 or edit.follows:
            yield edit
        elif edit is alike[0]:
            gone, come = Counter[str](), Counter[str]()
            for each in alike:
                gone.update(dict(each.gone))
                come.update(dict(each.come))
            times = sum(each.times for each in alike)
            yield replace(alike[0], times=times, gone=counts(gone), come=counts(come))


def by_graph(
    old: Sequence[Schedule], new: Sequence[Schedule]
) -> dict[str, tuple[Change, ...]]:
    """The edits of each graph that both artifacts have; none for one that is the same."""
    found: dict[str, tuple[Change, ...]] = {}
    for label in dict.fromkeys(section.label for section in old):
        before, after = (
            [section for section in side if section.label == label]
            for side in (old, new)
        )
        if after:
            found[label] = (
                tuple(edits(before, after))
                if form.form(before) != form.form(after)
                else ()
            )
    return found


def same_operations(old: Sequence[Schedule], new: Sequence[Schedule]) -> set[str]:
    """The graphs with the same operations: as many of each kind that compute the same from as many values, wherever
    they read and whatever they are fused with."""
    sides = [
        {
            label: Counter(
                roles.signature(operation)
                for section in side
                if section.label == label
                for operation in section.operations
            )
            for label in {section.label for section in side}
        }
        for side in (old, new)
    ]
    return {label for label, does in sides[0].items() if sides[1].get(label) == does}


def _graph(section: Schedule) -> tuple[str, str]:
    return section.label, part_of(section)


def part_of(section: Schedule) -> str:
    """What the names of its operations begin with if it is a branch of `torch.cond` or another part of its graph."""
    name = section.operations[0].name if section.operations else ""
    return name.rpartition("op")[0]


def _unpacks(sections: Iterable[Schedule]) -> int:
    """How many unpack operations take out the only result of a call."""
    # Each graph numbers its buffers from 0.
    unpacks = Counter(
        (number, op.reads)
        for number, section in enumerate(sections)
        for op in section.operations
        if op.kind == "unpack"
    )
    return sum(times == 1 for times in unpacks.values())


def _shape(sections: Iterable[Schedule]) -> list[object]:
    return [
        (
            len(section.groups),
            [len(group.operations) for group in section.groups],
            section.choices,
        )
        for section in sections
    ]


def _section(old: Schedule, new: Schedule) -> Iterator[Change]:
    yield from _choices(old.choices, new.choices)
    # In this order because each may explain the next: what a library computes now is not fused any more, and what is
    # fused differently reads and computes something else.
    calls = list(call_edits(old.operations, new.operations))
    yield from calls
    reduced = _reduced_otherwise(old.operations, new.operations)
    grouped = list(group_edits(old.groups, new.groups))
    for each in grouped:
        # What is reduced by operations of another kind may be fused otherwise because of that.
        follows = bool(calls) or any(
            operation.kind in reduced
            for side, names in zip((old, new), each.operations, strict=True)
            for operation in side.operations
            if operation.name in names
        )
        yield replace(each.change, follows=follows)
    yield from _operations(old, new, grouped, reduced, bool(grouped or calls))
    if not any(
        operation.writes for side in (old, new) for operation in side.operations
    ):
        yield from _computed(old, new)


def _reduced_otherwise(old: Sequence[Operation], new: Sequence[Operation]) -> set[str]:
    """The kinds of reductions that one schedule alone has."""
    before, after = (
        {operation.kind for operation in side if roles.reduces(operation)}
        for side in (old, new)
    )
    return before ^ after


def _computed(old: Schedule, new: Schedule) -> Iterator[Change]:
    """Operators that are computed more or less often, of schedules that do not say what operations access."""
    before, after = Counter[str](), Counter[str]()
    for side, counted in ((old, before), (new, after)):
        for operation in side.operations:
            for each in operation.computes:
                counted[without_overload(each.operator)] += each.times
    gone, come = (sorted_counts(side) for side in (before - after, after - before))
    if gone or come:
        yield OperatorsChanged("operators-changed", gone, come)


def _choices(old: Sequence[Choice], new: Sequence[Choice]) -> Iterator[Change]:
    for was, now in zip(old, new, strict=False):
        if was.operator != now.operator:
            continue
        names = [choice.chosen.partition(" ")[0] for choice in (was, now)]
        if was.candidates != now.candidates:
            added = was.candidates < now.candidates and names[0] == names[1]
            code = "candidates-added" if added else "candidates-changed"
            yield NumberChanged(code, was.candidates, now.candidates, now.operator)
        if names[0] != names[1]:
            yield Replaced("choice-changed", names[0], names[1], now.operator)
            continue
        before, after = (dict(OPTION.findall(choice.chosen)) for choice in (was, now))
        for name in dict.fromkeys((*before, *after)):
            if before.get(name) != after.get(name):
                listed = name not in before or name not in after
                code = "template-option-listed" if listed else "template-argument"
                yield AttributeChanged(
                    code, "", name, before.get(name), after.get(name)
                )


def _operations(
    old: Schedule,
    new: Schedule,
    grouped: Sequence[GroupEdit],
    reduced: Collection[str],
    follows: bool,
) -> Iterator[Change]:
    """Operations whose kind changed, or what they access or compute. grouped: how groups were merged and split.

    reduced: the kinds of reductions that one side alone has.
    """
    types = {
        buffer(output): type_of(output)
        for operation in old.operations
        for output in operation.outputs
    }
    # Only with the same kinds of operations on both sides, and as many copies for each call, has each a counterpart to
    # be compared with.
    copying = [roles.copies(side.operations) for side in (old, new)]
    kinds = [
        (
            Counter(operation.kind for operation in side.operations),
            Counter(call for _, call in copied),
        )
        for side, copied in zip((old, new), copying, strict=True)
    ]
    if kinds[0] == kinds[1]:
        yield from _same_kinds(old, new, types, follows)
        return
    for edit in kind_edits(old.operations, new.operations, copying, grouped):
        # What a call's inputs are copied for is decided for that call, whatever else is fused; and how something is
        # reduced, before it is fused with anything.
        alone = edit.code in ("inputs-copied-for", "reduction-steps") or (
            isinstance(edit, schedules.KindsChanged | schedules.OperationsChanged)
            and any(kind in reduced for kind, _ in (*edit.gone, *edit.come))
        )
        yield edit if alone else edit.following(follows)
    # Whatever is fused, how a buffer is laid out is decided for itself.
    for same_operation in _alike(old.operations, new.operations):
        for _, strides in operation_edits.padded_buffers(*same_operation, types):
            padded = NumberChanged("rows-padded", *strides)
            yield operation_edits.touching(padded, same_operation)


def _same_kinds(
    old: Schedule, new: Schedule, types: Mapping[str, str], follows: bool
) -> Iterator[Change]:
    """How each operation became its counterpart. types: of the old schedule's buffers."""
    paired = _paired(old.operations, new.operations)
    makers = [roles.makers(side.operations) for side in (old, new)]
    same = {
        buffer(was): buffer(now)
        for old_op, new_op in paired
        for was, now in zip(old_op.outputs, new_op.outputs, strict=False)
    }
    # Where an operation reads more or fewer values, that is why others have other types and are read by others.
    regrouped = follows or any(len(was.reads) != len(now.reads) for was, now in paired)
    in_order = [
        (
            was,
            replace(now, reads=tuple(_counterparts(was.reads, now.reads, same)))
            if len(was.reads) == len(now.reads)
            else now,
        )
        for was, now in paired
    ]
    of_padded = {
        name
        for was, now in in_order
        if len(was.reads) == len(now.reads)
        for name, _ in operation_edits.padded_buffers(was, now, types)
    }
    edits: list[tuple[Operation, list[Change]]] = []
    for old_op, new_op in in_order:
        found = list(operation_edits.result_edits(old_op, new_op, regrouped))
        if len(old_op.reads) != len(new_op.reads):
            found.append(
                replace(operation_edits.reads_changed(old_op, new_op), follows=follows)
            )
        else:
            found += _operand_edits(old_op, new_op, makers, same, regrouped)
            found += operation_edits.place_edits(
                old_op, new_op, follows, types, of_padded
            )
            found += operation_edits.body_edits(old_op.body, new_op.body, follows)
        around = [
            roles.with_makers([op], side)
            for op, side in zip((old_op, new_op), makers, strict=True)
        ]
        edits.append(
            (old_op, [operation_edits.touching(change, *around) for change in found])
        )
    # Operations of one group share its loops.
    reordered = {
        op.name
        for op, found in edits
        if any(change.code == "loops-reordered" for change in found)
    }
    with_reordered = {
        op.name
        for group in old.groups
        if not reordered.isdisjoint(op.name for op in group.operations)
        for op in group.operations
    }
    # What is read is listed by name, so that each may stand in the place of the other.
    accessed = [
        Counter(
            operation_edits.plain_index(access)
            for operation in side.operations
            for access in (*operation.reads, *operation.writes)
        )
        for side in (old, new)
    ]
    read = [
        Counter(
            operation_edits.maker(made.get(buffer(access)))
            for operation in side.operations
            for access in operation.reads
        )
        for side, made in zip((old, new), makers, strict=True)
    ]
    for op, found in edits:
        of_loops = op.name in with_reordered
        yield from (
            change.following(
                (of_loops and change.code in operation_edits.PLACES)
                or not _is_instead(
                    change, *(read if change.code == "operand-changed" else accessed)
                )
            )
            for change in found
        )


def _operand_edits(
    old: Operation,
    new: Operation,
    makers: Sequence[Mapping[str, Operation]],
    same: Mapping[str, str],
    follows: bool,
) -> Iterator[Change]:
    """What is read instead of another buffer. same: the counterpart of each buffer that an operation makes."""
    for was, now in zip(map(buffer, old.reads), map(buffer, new.reads), strict=True):
        # Inputs are numbered, and may be in another order.
        if (was in makers[0] or now in makers[1]) and same.get(was) != now:
            yield Replaced(
                "operand-changed",
                operation_edits.maker(makers[0].get(was)),
                operation_edits.maker(makers[1].get(now)),
                subject=old.kind,
                follows=follows,
            )


def _is_instead(change: Change, old: Counter[str], new: Counter[str]) -> bool:
    """Whether the new side has fewer of what a change says was before, and more of what it says is in its place."""
    match change:
        case (
            Replaced(
                code="index-changed" | "operand-changed", before=before, after=after
            )
            | schedules.DimensionsChanged(before=before, after=after)
        ):
            return old[before] > new[before] and old[after] < new[after]
    return True


def _counterparts(
    old: Sequence[str], new: Sequence[str], same: Mapping[str, str]
) -> list[str]:
    """What an operation reads now, in the order of what it read before: reads are listed by the names of buffers, whose
    numbers shift. same: the counterpart of each buffer that an operation makes."""
    left = list(new)
    found: list[str | None] = []
    for was in old:
        counterpart = same.get(buffer(was))
        now = next((read for read in left if buffer(read) == counterpart), None)
        found.append(now)
        if now is not None:
            left.remove(now)
    return [left.pop(0) if now is None else now for now in found]


def _paired(
    old: Sequence[Operation], new: Sequence[Operation]
) -> list[tuple[Operation, Operation]]:
    """Operations of both sides that do the same; of the others, see `_paired_by_kind`, without which nothing says which
    operations are which."""
    by_kind = _paired_by_kind(old, new)
    found = {was.name: now for was, now in _alike(old, new)}
    taken = {each.name for each in found.values()}
    rest = [each for each in old if each.name not in found]
    others = _paired_by_kind(rest, [each for each in new if each.name not in taken])
    if not by_kind or len(others) < len(rest):
        return by_kind
    found |= {was.name: now for was, now in others}
    return [(each, found[each.name]) for each in old]


def _alike(
    old: Sequence[Operation], new: Sequence[Operation]
) -> Iterator[tuple[Operation, Operation]]:
    """Operations of both sides that do the same, as many on both, in the order in which they were made."""
    alike: dict[tuple[object, ...], tuple[list[Operation], list[Operation]]] = {}
    for side, operations in enumerate((old, new)):
        for each in sorted(operations, key=lambda each: form.number(each.name)):
            alike.setdefault(roles.signature(each), ([], []))[side].append(each)
    for both in alike.values():
        if len(both[0]) == len(both[1]):
            yield from zip(*both, strict=True)


def _paired_by_kind(
    old: Sequence[Operation], new: Sequence[Operation]
) -> list[tuple[Operation, Operation]]:
    """Operations of the same name, wherever their groups stand, if they are of the same kind; or else by position."""
    named = {operation.name: operation for operation in new}
    by_name = [(operation, named.get(operation.name, operation)) for operation in old]
    # Names hold where nothing was added or removed before an operation, which the kinds show: if a pair has two kinds,
    # the numbers have shifted. Groups may have moved all the same, so that names come before positions.
    same_names = named.keys() == {operation.name for operation in old}
    by_position = list(zip(old, new, strict=True))
    for paired in (by_name, by_position) if same_names else (by_position,):
        if all(was.kind == now.kind for was, now in paired):
            return paired
    return []
