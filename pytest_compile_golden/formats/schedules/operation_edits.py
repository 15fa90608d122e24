"""How one operation of a schedule became another of the same kind: its results, what it reads, and what it computes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from pytest_compile_golden.changes import schedules
from pytest_compile_golden.changes.change import Change, sorted_counts
from pytest_compile_golden.changes.common_types import (
    CountedNewOrGone,
    Exchanged,
    NewOrGone,
    NumberChanged,
    Replaced,
)
from pytest_compile_golden.changes.graphs import INPUT
from pytest_compile_golden.changes.trail import not_unpacked
from pytest_compile_golden.facts.schedules import Operation, buffer, index, type_of
from pytest_compile_golden.formats.arithmetic import same_everywhere
from pytest_compile_golden.formats.canonical_text import padding, short
from pytest_compile_golden.formats.graphs.edits import CONSTANTS, type_changes
from pytest_compile_golden.formats.graphs.ordered_calls import ORDERS
from pytest_compile_golden.formats.op_counts import CAST
from pytest_compile_golden.formats.schedules import form, roles
from pytest_compile_golden.formats.schedules.equivalence import SEVERAL

LOOP = re.compile(r"\b[cd]\d+\b")
"""A variable of a loop."""
_MODULAR = re.compile(r"ModularIndexing\(((?:[^(),]|\([^(),]*\))+), (\d+), (\d+)\)")
_WHOLE = re.compile(r"\(\((\w+)//(\d+)\)\)")
_INNER_LOOP = re.compile(r"\((\d+)\*[cd]\d+ \+ ([cd]\d+)\) %")
"""A number of rounds, and the loop that makes them within another: what both count is one number."""
_SIZES = re.compile(r"\w+\[(\d+(?:, \d+)+)\]")
_IN_ORDER = "c0"
"""The index by which all elements of a buffer are accessed, one after the other."""
_ORDER = frozenset({ORDERS, "higher_order.with_effects"})
"""What calls without a result are kept in order by (also torch/_higher_order_ops/effects.py)."""
_LISTED = 4
_INDICES = ("index-changed", "index-written")
PLACES = frozenset({"loop-dimensions", *_INDICES})
"""Codes of changes of where operations read and write, which follow from an order of loops."""


_C = TypeVar("_C", bound=Change)


def touching(change: _C, *sides: Iterable[Operation]) -> _C:
    """The change, with the operators of the operations in which it was found."""
    return replace(
        change,
        touches=tuple(
            sorted(
                {name for side in sides for op in side for name in roles.operators(op)}
            )
        ),
    )


def result_edits(old: Operation, new: Operation, follows: bool) -> Iterator[Change]:
    """Results of another type."""
    for was, now in zip(old.outputs, new.outputs, strict=False):
        types = [type_of(side) for side in (was, now)]
        if types[0] != types[1] and SEVERAL in types:
            # Of a call whose result nothing reads, as only its size does, nothing takes that out.
            yield not_unpacked()
        elif types[0] != types[1]:
            subject = f"{'an' if old.kind[0] in 'aeiou' else 'a'} {old.kind} operation"
            yield from (
                replace(edit, follows=follows) for edit in type_changes(subject, *types)
            )


def reads_changed(old: Operation, new: Operation) -> Change:
    """An operation that reads more or fewer values than before, described by what it computes."""
    more = len(new.reads) - len(old.reads)
    if set(old.reads) == set(new.reads) and old.computes == new.computes:
        return NewOrGone("read-listed-again", (), more > 0)
    gone, come = (
        Counter(
            {
                short(computed.operator): computed.times
                for computed in operation.computes
            }
        )
        for operation in (old, new)
    )
    gone, come = gone - come, come - gone
    operators = sorted_counts(gone), sorted_counts(come)
    for constants, computed, folded in ((come, gone, True), (gone, come, False)):
        if computed and constants and CONSTANTS.issuperset(constants):
            return CountedNewOrGone(
                "constant-folded", sorted_counts(computed), new=folded
            )
    if not any(operators) and any(
        computed.operator in _ORDER for computed in new.computes
    ):
        # What a call is ordered by, Inductor lists as if it read that.
        subject = short(new.kind.rpartition("torch.ops.")[2].removesuffix(".default"))
        return NumberChanged("ordered-after", len(old.reads), len(new.reads), subject)
    return schedules.ReadsChanged(
        "reads-changed", *operators, old.kind, abs(more), more > 0
    )


def maker(operation: Operation | None) -> str:
    """What a value is the result of; an input if no operation makes it."""
    if operation is None:
        return INPUT
    return (
        listed(
            map(
                short,
                roles.computing(computed.operator for computed in operation.computes),
            )
        )
        or operation.kind
    )


def listed(operators: Iterable[str]) -> str:
    """Operators in brackets, each once and only the first few; a single one without brackets, none as an empty text."""
    names = list(dict.fromkeys(operators))
    more = ", …" if len(names) > _LISTED else ""
    return f"({', '.join(names[:_LISTED])}{more})" if len(names) > 1 else "".join(names)


def body_edits(
    old: Sequence[str], new: Sequence[str], follows: bool
) -> Iterator[Change]:
    """How a loop body changed: operators added and removed, or else the lines that differ."""
    before, after = (
        Counter(call.partition("(")[0] for call in form.calls(side))
        for side in (old, new)
    )
    if before == after:
        for was, now in zip(old, new, strict=False):
            if was != now:
                yield Replaced("body-line", was, now, follows=follows)
        return
    gone, come = (sorted_counts(side) for side in (before - after, after - before))
    if {name for name, _ in (*gone, *come)} == {CAST}:
        yield NumberChanged("casts-changed", before[CAST], after[CAST], follows=follows)
        return
    yield Exchanged("body-changed", gone, come, follows=follows)


def loops(*texts: str) -> int:
    """How many variables of loops these accesses have."""
    return len({*LOOP.findall(" ".join(texts))})


def padded_buffers(
    old: Operation, new: Operation, types: Mapping[str, str]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """The buffers that both access, with rows that are padded on one side alone, by their old names; each with the
    stride of its rows before and now. types: of buffers that `old` reads."""
    for was, now, padded in _with_padding(old, new, types):
        if padded := padded or padding(*map(plain_index, (was, now))):
            yield buffer(was), padded


def place_edits(
    old: Operation,
    new: Operation,
    follows: bool,
    types: Mapping[str, str],
    padded_anywhere: Collection[str] = (),
) -> Iterator[Change]:
    """How the loops changed, and the indices by which buffers are read and written, which follow from the loops.

    types: of buffers that `old` reads. padded_anywhere: the buffers whose rows are said to be padded on one side.
    """
    pairs = []
    for was, now, padded in _with_padding(old, new, types):
        if padded is None:
            pairs.append((was, now))
        else:
            yield NumberChanged("rows-padded", *padded)
    both = loops(*old.reads, *old.writes), loops(*new.reads, *new.writes)
    returned = [[type_of(output) for output in side.outputs] for side in (old, new)]
    simpler, harder = (
        [
            pair
            for pair in pairs
            if all(map(loops, pair)) and (loops(pair[0]) - loops(pair[1])) * sign > 0
        ]
        for sign in (1, -1)
    )
    renumbered = [pair for pair in pairs if _renumbered(*pair)]
    # What was in the order of the loops, or goes along one of them, is no longer in it or goes along another one, and
    # something else is in that order now; or the same loops are numbered otherwise.
    along = [pair for pair in renumbered if loops(pair[0]) == 1]
    moved = [
        *simpler[: len(harder)],
        *(pair for pair in renumbered if pair not in along),
        *simpler[: len(along)],
    ]
    reordered = returned[0] == returned[1] and bool(moved)
    if reordered:
        was, now = (_plain(index(access)) for access in moved[0])
        yield Replaced("loops-reordered", was, now, follows=follows)
    found = [
        edit.following(buffer(pair[0]) in padded_anywhere and edit.code in PLACES)
        for pair in pairs
        for edit in _access_edits(*pair, both, follows)
    ]
    looped = any(isinstance(edit, schedules.DimensionsChanged) for edit in found)
    for edit in found:
        yield edit.following(
            (reordered and edit.code in PLACES) or (looped and edit.code in _INDICES)
        )


def _with_padding(
    old: Operation, new: Operation, types: Mapping[str, str]
) -> Iterator[tuple[str, str, tuple[int, int] | None]]:
    """What both read and write, each with what `_in_order_or_padded` says of it."""
    for was, now in accesses(old, new):
        yield was, now, _in_order_or_padded(was, now, types.get(buffer(was), ""))


def _in_order_or_padded(was: str, now: str, of: str) -> tuple[int, int] | None:
    """The stride of a buffer's rows before and now, if they are padded on one side alone, and the other one goes over
    all elements in their order. of: the buffer's type."""
    sizes = _SIZES.search(of)
    if sizes is None or _IN_ORDER not in (index(was), index(now)):
        return None
    lengths = [int(size) for size in sizes[1].split(", ")]
    for row in map(math.prod, (lengths[at:] for at in range(1, len(lengths)))):
        of_rows = (
            f"{row}*{_IN_ORDER} + c1" if index(each) == _IN_ORDER else index(each)
            for each in (was, now)
        )
        if padded := padding(*of_rows):
            return padded
    return None


def _renumbered(was: str, now: str) -> bool:
    """Whether two indices have the same terms with other numbers of loops."""

    def terms(access: str, numbered: bool) -> list[str]:
        written = LOOP.sub(lambda loop: loop[0][1:] if numbered else "c", index(access))
        return sorted(written.split(" + "))

    return terms(was, False) == terms(now, False) and terms(was, True) != terms(
        now, True
    )


def accesses(old: Operation, new: Operation) -> Iterator[tuple[str, str]]:
    """What both read and write, and by which indices. Of several indices into one buffer, which stand sorted by how
    they are written, the same ones are counterparts, then those that are written differently, then the rest in order.
    """
    for sides in ((old.reads, new.reads), (old.writes, new.writes)):
        of_buffers: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
        for pair in zip(*sides, strict=False):
            several = of_buffers.setdefault(
                (buffer(pair[0]), buffer(pair[1])), ([], [])
            )
            for each, access in zip(several, pair, strict=True):
                each.append(access)
        for before, after in of_buffers.values():
            for same in (_same_index, _same_place):
                for was in tuple(before):
                    now = next((now for now in after if same(was, now)), None)
                    if now is not None:
                        before.remove(was)
                        after.remove(now)
                        yield was, now
            yield from zip(before, after, strict=True)


def _same_index(was: str, now: str) -> bool:
    return index(was) == index(now)


def _same_place(was: str, now: str) -> bool:
    return bool(index(was) and index(now)) and _is_same(*map(plain_index, (was, now)))


def _is_same(before: str, after: str) -> bool:
    """Whether both are the same place: in `40*c0 + c1` of one of them, `c1` counts up to 40."""
    below: dict[str, int] = {}
    for step, inner in _INNER_LOOP.findall(f"{before} {after}"):
        below[inner] = min(int(step), below.get(inner, int(step)))
    return same_everywhere(before, after, below)


def _access_edits(
    was: str, now: str, of_operation: tuple[int, int], follows: bool
) -> Iterator[Change]:
    """How the index changed by which a buffer is read or written. of_operation: over how many dimensions the loops run,
    before and now."""
    if not (index(was) and index(now)) or index(was) == index(now):
        return
    before, after = (_plain(index(access)) for access in (was, now))
    dimensions = loops(before), loops(after)
    # Each access has loops of its own (`c0`) where they are merged, and the operation's (`d0`) where they are not.
    merged = [LOOP.findall(access)[:1] for access in (before, after)]
    if [name[0][0] for name in merged if name] in (["c", "d"], ["d", "c"]):
        of_operation = dimensions
    # The same index over renamed dimensions.
    numbers = [LOOP.sub(lambda loop: loop[0][1:], access) for access in (before, after)]
    same_numbers = numbers[0] == numbers[1]
    follows = follows or same_numbers
    if (
        all(dimensions)
        and dimensions[0] != dimensions[1]
        and of_operation[0] != of_operation[1]
    ):
        yield schedules.DimensionsChanged(of_operation, before, after, follows=follows)
        return
    if padded := padding(before, after):
        # Whatever is fused, how a buffer is laid out is decided for itself.
        yield NumberChanged("rows-padded", *padded, follows=same_numbers)
        return
    code = "index-written" if _is_same(before, after) else "index-changed"
    yield Replaced(code, before, after, follows=follows)


def plain_index(access: str) -> str:
    """The index of an access as it is shown."""
    return _plain(index(access))


def _plain(text: str) -> str:
    """`c0 % 1024` for `ModularIndexing(c0, 1, 1024)`, `c0 // 16 % 4` for `ModularIndexing(c0, 16, 4)`."""
    plainer = None
    while plainer != text:  # from the inside
        plainer, text = (
            text,
            _MODULAR.sub(_modular, text),
        )
        text = text.replace(" // 1 %", " %")
    return _WHOLE.sub(r"(\1 // \2)", text)


def _modular(match: re.Match[str]) -> str:
    base = re.sub(r"^\((\w+)\)$", r"\1", match[1])
    base = base if re.fullmatch(r"[\w %/]+", base) else f"({base})"
    return f"{base} // {match[2]} % {match[3]}"
