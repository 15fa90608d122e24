"""How a schedule changed: what is fused, what autotuning chose, which operations there are, and what they compute.

Names say little here: torch numbers operations and buffers anew in each compile, so that one operation more renames all
after it. Operations and groups are therefore matched by what they compute, and only where both sides have the same
kinds of operations are these paired, one with one, and compared part by part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from pytest_compile_golden.changes import schedules
from pytest_compile_golden.changes.change import Change, counts, distinct, sorted_counts
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    CountedNewOrGone,
    NewOrGone,
    NumberChanged,
    Replaced,
)
from pytest_compile_golden.changes.graphs import OperatorsChanged
from pytest_compile_golden.changes.schedules import GroupsChanged
from pytest_compile_golden.changes.trail import ResultsStored, not_unpacked
from pytest_compile_golden.common.surplus import surplus
from pytest_compile_golden.facts.schedules import (
    Choice,
    Group,
    Operation,
    Schedule,
    buffer,
    type_of,
)
from pytest_compile_golden.formats.canonical_text import short, without_overload
from pytest_compile_golden.formats.graphs.equivalence import joined
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

_WITH_INDEX = ("argmax_value", "argmax_with_value", "argmin_value", "argmin_with_value")
_KERNELS = frozenset({"pointwise", "reduction", "sort", "scan", "argreduction"})


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
                _does(operation)
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


class GroupEdit(NamedTuple):
    """Groups that were merged or split, or that have each other's operations."""

    change: GroupsChanged
    operations: tuple[frozenset[str], frozenset[str]]
    """The names of theirs on each side."""


def group_edits(old: Sequence[Group], new: Sequence[Group]) -> Iterator[GroupEdit]:
    """Groups that were merged, and groups that were split, each with those that have operations of its own."""
    # Groups that both sides have cancel out, so that what is left is what was merged, split, removed or added.
    gone, come = surplus(old, new, computed_by), surplus(new, old, computed_by)
    copied = [_copied(side) for side in (old, new)]
    for part in _with_operations_in_common(gone, come):
        kernels = _kernels(*part)
        change = _fused(*kernels, copied)
        if change is not None:
            before, after = (
                frozenset(op.name for group in side for op in group.operations)
                for side in kernels
            )
            yield GroupEdit(change, (before, after))


def _kernels(old: list[Group], new: list[Group]) -> tuple[list[Group], list[Group]]:
    """Groups without calls and what takes out their results, if calls are fused with nothing on both sides."""
    without = [
        [group for group in side if _computes_itself(group)] for side in (old, new)
    ]
    fused = any(
        roles.called(operation)
        for side in without
        for group in side
        for operation in group.operations
    )
    return (old, new) if fused else (without[0], without[1])


def _computes_itself(group: Group) -> bool:
    return any(
        not roles.called(operation) and operation.kind != "unpack"
        for operation in group.operations
    )


def _with_operations_in_common(
    gone: Sequence[Group], come: Sequence[Group]
) -> Iterator[tuple[list[Group], list[Group]]]:
    """Groups of both sides, those together that have an operation in common; one that has none, with those of the other
    side that compute most of its operators."""
    # Of equal operations, as many on both sides, each is the one that was made in the same order.
    alike: dict[tuple[object, ...], tuple[list[int], list[int]]] = {}
    for side, groups in enumerate((gone, come)):
        made = (
            (form.number(operation.name), _does(operation), at)
            for at, group in enumerate(groups)
            for operation in group.operations
        )
        for _, does, at in sorted(made, key=itemgetter(0)):
            alike.setdefault(does, ([], []))[side].append(at)
    links: list[set[tuple[int, int]]] = []
    for old, new in alike.values():
        if len(old) == len(new):
            links += ({(0, at), (1, other)} for at, other in zip(old, new, strict=True))
        elif old and new:
            links.append({*((0, at) for at in old), *((1, at) for at in new)})
    operators = [
        [
            Counter(name for op in group.operations for name in roles.operators(op))
            for group in side
        ]
        for side in (gone, come)
    ]
    linked = set[tuple[int, int]]().union(*links)
    for side in (0, 1):
        for at, names in enumerate(operators[side]):
            shared = [(names & others).total() for others in operators[1 - side]]
            if (side, at) not in linked:
                links += [
                    {(side, at), (1 - side, other)}
                    for other, times in enumerate(shared)
                    if times == max(shared) > 0
                ]
    for part in joined(links):
        yield (
            [gone[at] for side, at in sorted(part) if not side],
            [come[at] for side, at in sorted(part) if side],
        )


def _fused(
    gone: Sequence[Group],
    come: Sequence[Group],
    copied: Sequence[Mapping[Operation, str]],
) -> GroupsChanged | None:
    """How these groups became those; None if operations were only added or removed."""
    counts = [sum(len(group.operations) for group in side) for side in (gone, come)]
    fewer, more = len(gone) - len(come), counts[1] - counts[0]
    # A kernel removed along with what it computed was not fused with anything, and a new one did not split another.
    if not gone or not come or (-more >= fewer > 0) or (more >= -fewer > 0):
        return None
    before_names, after_names = (
        tuple(dict.fromkeys(filter(None, (_named(group, of) for group in side))))
        for side, of in zip((gone, come), copied, strict=True)
    )
    operations = [
        operation for group in (*gone, *come) for operation in group.operations
    ]
    if not fewer:
        computed = [
            Counter(map(_computes, (op for group in side for op in group.operations)))
            for side in (gone, come)
        ]
        if computed[0] != computed[1]:
            return None
    code, groups, whole = (
        ("fused", before_names, ())
        if fewer > 0
        else ("fusion-lost" if fewer else "regrouped", after_names, before_names)
    )
    changed = GroupsChanged(code, groups, len(gone), len(come), whole=whole)
    return _touching(changed, operations)


def computed_by(group: Group) -> tuple[tuple[str, ...], ...]:
    """What a group computes, regardless of the names of its operations."""
    return tuple(sorted(map(_computes, group.operations)))


def _computes(operation: Operation) -> tuple[str, ...]:
    return operation.kind, *map(str, operation.computes)


def _copied(groups: Iterable[Group]) -> dict[Operation, str]:
    """The operations that only copy an input of a library call, each with the operator of the call."""
    return dict(roles.copies([op for group in groups for op in group.operations]))


def _named(group: Group, copied: Mapping[Operation, str]) -> str:
    """What a group computes; of a copy for a library call, torch says that it computes the call."""
    operators = dict.fromkeys(
        short(computed.operator)
        for op in group.operations
        if op not in copied
        for computed in op.computes
    )
    if not operators:
        calls = dict.fromkeys(
            copied[op].removeprefix("aten.") for op in group.operations if op in copied
        )
        return f"a copy for {' and '.join(calls)}" if calls else ""
    return operation_edits.listed(
        [name.removeprefix("aten.") for name in roles.computing(operators)] or operators
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
    if kinds[0] != kinds[1]:
        for edit in _other_operations(old.operations, new.operations, copying, grouped):
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
                yield _touching(padded, same_operation)
        return
    paired = _paired(old.operations, new.operations)
    makers = [_makers(side.operations) for side in (old, new)]
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
            for was, now in zip(
                map(buffer, old_op.reads), map(buffer, new_op.reads), strict=True
            ):
                # Inputs are numbered, and may be in another order.
                if (was in makers[0] or now in makers[1]) and same.get(was) != now:
                    makes = (
                        operation_edits.maker(makers[0].get(was)),
                        operation_edits.maker(makers[1].get(now)),
                    )
                    found.append(
                        Replaced(
                            "operand-changed",
                            *makes,
                            subject=old_op.kind,
                            follows=regrouped,
                        )
                    )
            found += operation_edits.place_edits(
                old_op, new_op, follows, types, of_padded
            )
            found += operation_edits.body_edits(old_op.body, new_op.body, follows)
        around = [
            _with_makers([op], side)
            for op, side in ((old_op, makers[0]), (new_op, makers[1]))
        ]
        edits.append((old_op, [_touching(change, *around) for change in found]))
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


_C = TypeVar("_C", bound=Change)


def _touching(change: _C, *sides: Iterable[Operation]) -> _C:
    """The change, with the operators of the operations in which it was found."""
    return replace(
        change,
        touches=tuple(
            sorted(
                {name for side in sides for op in side for name in roles.operators(op)}
            )
        ),
    )


def _makers(operations: Iterable[Operation]) -> dict[str, Operation]:
    """The operation that makes each buffer."""
    return {
        buffer(output): operation
        for operation in operations
        for output in operation.outputs
    }


def _with_makers(
    operations: Iterable[Operation], makers: Mapping[str, Operation]
) -> list[Operation]:
    """The operations and those that make what they read: what these compute may move from one into the other."""
    every = list(operations)
    return every + [
        makers[name] for op in every for name in map(buffer, op.reads) if name in makers
    ]


def _other_operations(
    old: Sequence[Operation],
    new: Sequence[Operation],
    copying: Sequence[Sequence[tuple[Operation, str]]],
    grouped: Sequence[GroupEdit],
) -> Iterator[Change]:
    """How `old` became `new`, which are of other kinds: first what is known for what it is, then each part of the rest
    that has nothing to do with another, since no operator is in both and none reads what the other makes.

    copying: by side, see `roles.copies`."""
    # What is recognised is taken out of `left` before the next is looked for: parts of it would else be told again, as
    # operations that are gone or new.
    calls = set(map(roles.called, (*old, *new)))

    def does(operation: Operation) -> tuple[object, ...]:
        # torch says of what is made for a call that it computes the call.
        own = [each for each in operation.computes if short(each.operator) not in calls]
        return _does(replace(operation, computes=tuple(own or operation.computes)))

    # Of the same kind, computing the same from as many values.
    left = [surplus(old, new, does), surplus(new, old, does)]
    if combined := roles.combined(old, new):
        more = len(new) > len(old)
        yield NewOrGone("reduction-steps", combined, more, touches=combined)
        left = [
            [op for op in side if not op.kind.startswith(roles.WELFORD)]
            for side in left
        ]
    kernels = [Counter(operation.kind for operation in side) for side in (old, new)]
    made_for = [roles.made_for(side) for side in (old, new)]
    copied_to: list[set[str]] = [set(), set()]
    copied_for = set[str]()
    for side, copied in ((0, False), (1, True)):
        # As many as the other side does not have.
        fewer = Counter(call for _, call in copying[1 - side])
        several = Counter(call for _, call in copying[side]) - fewer
        # What is computed for a call alone is as much as before if it only looks like a copy on this side.
        several = Counter(
            {
                call: times
                for call, times in several.items()
                if kernels[side]["pointwise"] > kernels[1 - side]["pointwise"]
                or made_for[side][call] > made_for[1 - side][call]
            }
        )
        if several:
            its = [op for op, call in copying[side] if several[call]]
            # A copy in a kernel that was merged with what it copies is computed there, which says it.
            merged = set[str]().union(*(each.operations[side] for each in grouped))
            yield CountedNewOrGone(
                "inputs-copied-for",
                counts(several),
                copied,
                touches=tuple(sorted(several)),
                follows=merged.issuperset(op.name for op in its),
            )
            left[side] = [op for op in left[side] if op not in its]
            copied_to[side] = {buffer(output) for op in its for output in op.outputs}
            copied_for |= several.keys()
    # A maximum that is computed where its index is is the same otherwise.
    times = [Counter(does(op)[1:] for op in side) for side in left]
    same = [
        [op for op in side if times[0][does(op)[1:]] == times[1][does(op)[1:]]]
        for side in left
    ]
    for part in _parts_of(*same):
        edit = _part_changed(*part, (), ())
        if edit is not None and edit.code == "value-with-index":
            yield _touching(edit, *part)
            left = [
                [op for op in side if op not in its]
                for side, its in zip(left, part, strict=True)
            ]
    # A large reduction is computed in two steps: in parts, and then over those. Both steps are of one operator.
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
        stepped = halves[two] - halves[not two]
        # One that reads what another has reduced is no second step if both sides have as many.
        stepped &= reduced[two] - reduced[not two]
        if stepped:
            operators = tuple(dict.fromkeys(map(without_overload, stepped)))
            reducing = [
                op
                for side in left
                for op in side
                if roles.reduces(op) and roles.operators(op) & set(stepped)
            ]
            yield _touching(NewOrGone("reduction-steps", operators, two), reducing)
            left = [[op for op in side if op not in reducing] for side in left]
    every = [
        frozenset(name for op in side for name in roles.operators(op))
        for side in (old, new)
    ]
    makers = [_makers(side) for side in (old, new)]
    read = [{buffer(read) for op in side for read in op.reads} for side in (old, new)]
    for part in _parts_of(*left):
        # What a copy is made from, or reads it, is written otherwise with it.
        reads = [{buffer(read) for op in side for read in op.reads} for side in part]
        edit = _part_changed(
            *part, every[0] & every[1], read[len(part[1]) > len(part[0])]
        )
        if edit is None:
            continue
        edit = _touching(
            edit,
            *(
                _with_makers(side, by_buffer)
                for side, by_buffer in zip(part, makers, strict=True)
            ),
        )
        # In the place of what is left over, the other side has what is told for itself.
        yield edit.following(
            not holds_of_all(edit, old, new)
            or bool(
                reads[0] & copied_to[0]
                or reads[1] & copied_to[1]
                or copied_for & set(edit.touches)
            )
        )


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
        all(map(roles.called, (one, other))) or _does(one)[2] == _does(other)[2]
    ) and bool(reads[0] & reads[1])


def _does(operation: Operation) -> tuple[object, ...]:
    types = tuple(map(type_of, operation.outputs))
    return (
        operation.kind,
        tuple(sorted(map(str, operation.computes))),
        types,
        len(operation.reads),
    )


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
            alike.setdefault(_does(each), ([], []))[side].append(each)
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
