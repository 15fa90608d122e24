"""How a schedule changed: what is fused, what autotuning chose, and what operations access and compute."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pytest_compile_golden.changes.change import Change, distinct
from pytest_compile_golden.changes.decisions import NotUnpacked
from pytest_compile_golden.changes.schedules import (
    BodyChanged,
    BodyLineChanged,
    CandidatesChanged,
    CastsChanged,
    ChosenChanged,
    DimensionsChanged,
    Fused,
    FusionLost,
    IndexChanged,
    KindsChanged,
    ReadListedAgain,
    ReadsChanged,
    TemplateArgumentChanged,
)
from pytest_compile_golden.facts.schedules import Choice, Group, Operation, Schedule
from pytest_compile_golden.formats.edits import line_edits
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.inventory import CAST
from pytest_compile_golden.formats.operators import short
from pytest_compile_golden.formats.schedule import form, operations, order, printed
from pytest_compile_golden.formats.schedule.unpacked import equal_except_unpacking, unpacked

_MODULAR = re.compile(r"ModularIndexing\(([^(),]+), 1, (\d+)\)")
_WHOLE = re.compile(r"\(\((\w+)//(\d+)\)\)")
_ARGUMENT = re.compile(r"(\w+)=('[^']*'|[^,()]+)")
_INDEX = re.compile(r"(\w+)\[(.*)\]$")
_CALL = re.compile(r"\bops\.\w+")
_LOOP = re.compile(r"\b[cd]\d+\b")
_DIMENSION = re.compile(r"\b[cd](?=\d+\b)")
_LISTED = 4


def edits(old: str, new: str) -> tuple[Change, ...]:
    """The edits between two artifacts; the first lines that differ if they are not schedules."""
    try:
        before, after = printed.read(old), printed.read(new)
    except Unreadable:
        return line_edits(old, new, "#", "fusion")
    if form.operations(old) == form.operations(new) and _shape(before) == _shape(after):
        return (order.change(before, after),)
    if equal_except_unpacking(old, new):
        return (NotUnpacked(),)
    all_edits: list[Change] = []
    books: tuple[Change, ...] = ()
    if _unpacks(before) != _unpacks(after):
        old, new = unpacked(old), unpacked(new)
        before, after = printed.read(old), printed.read(new)
        books = (NotUnpacked(),)
    if [section.label for section in before] == [section.label for section in after]:
        for old_section, new_section in zip(before, after, strict=True):
            all_edits += _section(old_section, new_section)
    return distinct([*all_edits, *books]) or line_edits(old, new, "#", "fusion")


def _unpacks(sections: Iterable[Schedule]) -> int:
    """How many unpack operations take out the only result of a call."""
    unpacks = Counter(op.reads for section in sections for op in section.operations if op.kind == "unpack")
    return sum(times == 1 for times in unpacks.values())


def _shape(sections: Iterable[Schedule]) -> list[object]:
    return [
        (len(section.groups), [len(group.operations) for group in section.groups], section.choices)
        for section in sections
    ]


def _section(old: Schedule, new: Schedule) -> Iterator[Change]:
    yield from _choices(old.choices, new.choices)
    called = list(operations.called(old.operations, new.operations))
    yield from called
    fused = [replace(change, follows=bool(called)) for change in _fusion(old.groups, new.groups)]
    yield from fused
    yield from _operations(old, new, bool(fused or called))


def _choices(old: Sequence[Choice], new: Sequence[Choice]) -> Iterator[Change]:
    for was, now in zip(old, new, strict=False):
        if was.operator != now.operator:
            continue
        if was.candidates != now.candidates:
            yield CandidatesChanged(now.operator, was.candidates, now.candidates)
        names = [choice.chosen.partition(" ")[0] for choice in (was, now)]
        if names[0] != names[1]:
            yield ChosenChanged(now.operator, *names)
            continue
        before, after = (dict(_ARGUMENT.findall(choice.chosen)) for choice in (was, now))
        for name in dict.fromkeys((*before, *after)):
            if before.get(name) != after.get(name):
                yield TemplateArgumentChanged(name, before.get(name), after.get(name))


def _fusion(old: Sequence[Group], new: Sequence[Group]) -> Iterator[Change]:
    """Groups that were merged, or a group that was split."""
    before, after = Counter(map(_members, old)), Counter(map(_members, new))
    gone = [group for group in old if before[_members(group)] > after[_members(group)]]
    come = [group for group in new if after[_members(group)] > before[_members(group)]]
    counts = [sum(len(group.operations) for group in side) for side in (gone, come)]
    fewer, more = len(gone) - len(come), counts[1] - counts[0]
    # A kernel removed along with what it computed was not fused with anything, and a new one did not split another.
    if not gone or not come or not fewer or (-more >= fewer > 0) or (more >= -fewer > 0):
        return
    before_names, after_names = (tuple(dict.fromkeys(filter(None, map(_named, side)))) for side in (gone, come))
    if len(come) < len(gone):
        yield Fused(before_names, len(gone), len(come))
    else:
        yield FusionLost(before_names, after_names, len(gone), len(come))


def _members(group: Group) -> frozenset[tuple[str, ...]]:
    """What a group computes, regardless of the names of its operations."""
    return frozenset((operation.kind, *map(str, operation.computes)) for operation in group.operations)


def _named(group: Group) -> str:
    operators = dict.fromkeys(short(computed.operator) for op in group.operations for computed in op.computes)
    names = [name.removeprefix("aten.") for name in operators if not operations.VIEWS.match(name)] or list(operators)
    more = ", …" if len(names) > _LISTED else ""
    return f"({', '.join(names[:_LISTED])}{more})" if len(names) > 1 else "".join(names)


def _operations(old: Schedule, new: Schedule, follows: bool) -> Iterator[Change]:
    """Operations whose kind changed, or what they access or compute."""
    if len(old.operations) != len(new.operations):
        yield replace(operations.change(old.operations, new.operations), follows=follows)
        return
    before, after = (Counter(operation.kind for operation in side.operations) for side in (old, new))
    if before != after:
        gone, come = (tuple(sorted(side.items())) for side in (before - after, after - before))
        yield KindsChanged(gone, come, follows=follows)
        return
    if [operation.kind for operation in old.operations] != [operation.kind for operation in new.operations]:
        return
    for old_op, new_op in zip(old.operations, new.operations, strict=True):
        if len(old_op.reads) != len(new_op.reads):
            yield replace(_inputs(old_op, new_op), follows=follows)
            continue
        for accesses in ((old_op.reads, new_op.reads), (old_op.writes, new_op.writes)):
            for was, now in zip(*accesses, strict=False):
                yield from _access(was, now, follows)
        yield from _body(old_op.body, new_op.body, follows)


def _inputs(old: Operation, new: Operation) -> Change:
    """An operation that reads more or fewer values than before, described by what it computes."""
    more = len(new.reads) - len(old.reads)
    if set(old.reads) == set(new.reads) and old.computes == new.computes:
        return ReadListedAgain(more > 0)
    gone, come = (
        Counter({short(computed.operator): computed.times for computed in operation.computes})
        for operation in (old, new)
    )
    gone, come = gone - come, come - gone
    return ReadsChanged(old.kind, abs(more), more > 0, tuple(sorted(come.items())), tuple(sorted(gone.items())))


def _body(old: Sequence[str], new: Sequence[str], follows: bool) -> Iterator[Change]:
    """How a loop body changed: operators added and removed, or else the lines that differ."""
    before, after = (Counter(call[0] for line in side if (call := _CALL.search(line))) for side in (old, new))
    if before == after:
        for was, now in zip(old, new, strict=False):
            if was != now:
                yield BodyLineChanged(was, now, follows=follows)
        return
    gone, come = (tuple(sorted(side.items())) for side in (before - after, after - before))
    if {name for name, _ in (*gone, *come)} == {CAST}:
        yield CastsChanged(abs(after[CAST] - before[CAST]), after[CAST] > before[CAST], follows=follows)
        return
    yield BodyChanged(gone, come, follows=follows)


def _access(old: str, new: str, follows: bool) -> Iterator[Change]:
    old_match, new_match = _INDEX.match(old), _INDEX.match(new)
    if old_match is None or new_match is None or old_match[2] == new_match[2]:
        return
    before, after = (_plain(match[2]) for match in (old_match, new_match))
    dimensions = len(set(_LOOP.findall(before))), len(set(_LOOP.findall(after)))
    # The same index over renamed dimensions.
    follows = follows or _DIMENSION.sub("", before) == _DIMENSION.sub("", after)
    if all(dimensions) and dimensions[0] != dimensions[1]:
        yield DimensionsChanged(dimensions, before, after, follows=follows)
        return
    yield IndexChanged(before, after, follows=follows)


def _plain(index: str) -> str:
    """`c0 % 1024` for `ModularIndexing(c0, 1, 1024)`."""
    index = _MODULAR.sub(r"\1 % \2", index)
    return _WHOLE.sub(r"(\1 // \2)", index)
