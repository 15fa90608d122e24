"""Edits of graphs that follow from no other node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pytest_compile_golden.changes import graphs
from pytest_compile_golden.changes.change import Change, sorted_counts
from pytest_compile_golden.changes.common_types import Replaced
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.graphs.argument_edits import elements
from pytest_compile_golden.formats.graphs.edits import CASTS, maker, result_types
from pytest_compile_golden.formats.graphs.effects import effect, is_view
from pytest_compile_golden.formats.graphs.equivalence import Pairs, joined
from pytest_compile_golden.formats.graphs.printed import PrintedNode


def types_in_place(found: Pairs) -> Iterator[Change]:
    """Types of results that follow from no other node: of the same call of values that have the types they had."""

    def type_of(side: int, value: str) -> str:
        node = found.makers[side].get(value)
        return "" if node is None else node.type

    yield from result_types(
        (old, new)
        for old, new in found.nodes
        if old.target
        and old.text == new.text
        and not any(found.reconnected(old, new))
        and [type_of(0, read) for read in old.reads]
        == [type_of(1, read) for read in new.reads]
    )


def dtypes(found: Pairs) -> Iterator[graphs.TypeChanged]:
    """The dtypes of results of the same operators, of which casts make others."""
    for edit in result_types(
        (old, new)
        for old, new in found.nodes
        if old.target == new.target and short(old.target) not in CASTS
    ):
        if edit.part == "dtype":
            yield edit


def in_place(found: Pairs) -> Iterator[Change]:
    """What follows from no other node: an operator that is another one, of the same values and with the same readers;
    and one that is given a value in place of another, both of which are as before."""
    readers: tuple[dict[str, set[str]], dict[str, set[str]]] = {}, {}
    for makers, of_side in zip(found.makers, readers, strict=True):
        for node in makers.values():
            for read in node.reads:
                of_side.setdefault(read, set()).add(node.name)

    paired = [{pair[side].name for pair in found.nodes} for side in (0, 1)]
    gone, come = (
        [node for node in makers.values() if node.target and node.name not in names]
        for makers, names in zip(found.makers, paired, strict=True)
    )
    exchanged = [
        (old, new)
        for old in gone
        for new in come
        if short(old.target) != short(new.target)
        and old.type == new.type
        and elements(old.text) == elements(new.text)
        and not any(found.reconnected(old, new))
    ]

    def read_alike(old: str, new: str, *one: tuple[str, str]) -> bool:
        """Whether two values have the same readers, of which those that are exchanged are counterparts, too; one: and
        these."""
        others = {was.name: now.name for was, now in exchanged}
        counterparts = found.values | others | dict(one)
        were = {counterparts.get(name, "") for name in readers[0].get(old, ())}
        return were == readers[1].get(new, set())

    # Two that read the same value are exchanged both, or neither; but a comparison with its strict form, whatever else
    # reads what it compares.
    before: list[tuple[PrintedNode, PrintedNode]] = []
    while before != exchanged:
        before = exchanged
        exchanged = [
            (old, new)
            for old, new in before
            if read_alike(old.name, new.name)
            and (
                _strictness(old, new)
                or all(
                    read_alike(*values, (old.name, new.name))
                    for values in zip(old.reads, new.reads, strict=True)
                )
            )
        ]
    instead = Counter(
        (short(old.target), short(new.target))
        for old, new in exchanged
        if not _strictness(old, new)
    )
    for (was, now), times in instead.items():
        yield graphs.OperatorsChanged(
            "operators-changed", ((was, times),), ((now, times),)
        )
    # Whatever they compare, those that are strict now are so for one reason.
    sides = zip(*(pair for pair in exchanged if _strictness(*pair)), strict=True)
    compared = [sorted_counts(Counter(short(n.target) for n in side)) for side in sides]
    strictness = graphs.StrictnessChanged.of(*compared) if compared else None
    if strictness is not None:
        yield strictness
    differ = [
        Counter(makers[name].target for name in names)
        for makers, names in zip(found.makers, found.differ, strict=True)
    ]
    same = {
        was: now
        for was, now in found.values.items()
        if was not in found.differ[0] and now not in found.differ[1]
    }
    known = set(same.values())
    for old, new in found.nodes:
        # Of several such nodes nothing says which is the counterpart of which.
        alone = all(of_side[old.target] == 1 for of_side in differ)
        moved = list(found.reconnected(old, new)) if alone and old.target else []
        if len(moved) != 1 or (old.type, old.text) != (new.type, new.text):
            continue
        was, now = moved[0]
        if was in same and now in known and read_alike(old.name, new.name):
            given = maker(found, 0, was), maker(found, 1, now)
            yield Replaced("operand-changed", *given, subject=short(old.target))


def given_otherwise(found: Pairs) -> Iterator[Replaced]:
    """Operators that are given the result of another one on one side, and on the other side what that one is given, of
    which both sides compute the same, however it is viewed."""

    def sources(side: int, node: PrintedNode) -> list[str]:
        """The values that it reads, or reads a view or a part of."""
        every = []
        for name in node.reads:
            read = found.makers[side].get(name)
            while read is not None and read.reads and _is_part(read):
                name = read.reads[0]
                read = found.makers[side].get(name)
            every.append(name)
        return every

    moved: list[tuple[PrintedNode, str, str]] = []
    computed_from: dict[str, str] = {}
    """By result of the new graph, the value that it is computed from, on both sides and from no other."""
    for old, new in found.nodes:
        if _is_part(old) or not old.target:
            continue
        reads = list(zip(sources(0, old), sources(1, new), strict=False))
        others = [each for each in reads if found.values.get(each[0]) != each[1]]
        if not others and len(old.reads) == len(new.reads) == 1:
            if short(old.target) not in CASTS:
                computed_from[new.name] = reads[0][1]
        elif len(others) == 1 and (old.type, old.text) == (new.type, new.text):
            moved.append((old, *others[0]))
    for node, was, now in moved:
        before = found.values.get(was, "")
        if computed_from.get(before) == now or computed_from.get(now) == before:
            given = maker(found, 0, was), maker(found, 1, now)
            yield Replaced("operand-changed", *given, subject=short(node.target))


def for_effect(found: Pairs) -> Iterator[graphs.OperatorsChanged]:
    """Calls of one side alone that are made for their effect, such as checks, of values that are the same on both; with
    what is computed only for these."""
    sides = []
    for side, makers in enumerate(found.makers):
        known = {pair[side].name for pair in found.nodes}
        read_by: dict[str, set[str]] = {}
        for node in makers.values():
            for read in node.reads:
                read_by.setdefault(read, set()).add(node.name)
        alone: dict[str, PrintedNode] = {}
        # From the last one back, as nodes stand before what reads them.
        for node in reversed(makers.values()):
            readers = read_by.get(node.name)
            if node.name not in known and (
                readers <= alone.keys()
                if readers
                else node.target and effect(node.target, node.text)
            ):
                alone[node.name] = node
        others = found.differ[side] - alone.keys()
        sides.append(
            Counter(
                short(alone[name].target)
                for part in joined(
                    {name, *(alone.keys() & alone[name].reads)} for name in alone
                )
                if all(others.isdisjoint(alone[name].reads) for name in part)
                for name in part
                if alone[name].target
            )
        )
    gone, come = map(sorted_counts, sides)
    if gone or come:
        yield graphs.OperatorsChanged("operators-changed", gone, come)


def _is_part(node: PrintedNode) -> bool:
    """Whether it only takes a part of a value, or views it."""
    return node.is_element or is_view(node.target)


def _strictness(old: PrintedNode, new: PrintedNode) -> bool:
    """Whether one is a comparison that holds for equal values, and the other one that else is the same."""
    sides = [((short(node.target), 1),) for node in (old, new)]
    return graphs.StrictnessChanged.of(*sides) is not None
