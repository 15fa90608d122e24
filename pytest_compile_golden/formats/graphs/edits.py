"""How FX graphs changed: operators added and removed or, if there are none, types and arguments."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from msgspec.structs import replace

from pytest_compile_golden.changes import graphs
from pytest_compile_golden.changes.change import Change, sorted_counts
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    CountedNewOrGone,
    Exchanged,
    Replaced,
    Simple,
)
from pytest_compile_golden.changes.graphs import CONSTANT, INPUT
from pytest_compile_golden.changes.schedules import OperationsMoved
from pytest_compile_golden.formats.canonical_text import (
    arguments,
    short,
    with_times,
    without_overload,
)
from pytest_compile_golden.formats.graphs.effects import effect, is_view
from pytest_compile_golden.formats.graphs.equivalence import (
    COMMUTATIVE,
    Pairs,
    independent,
    joined,
    pairs,
    same_graphs,
)
from pytest_compile_golden.formats.graphs.form import form
from pytest_compile_golden.formats.graphs.ordered_calls import (
    order_edits,
    without_order,
)
from pytest_compile_golden.formats.graphs.printed import (
    HOLE,
    RESULT,
    PrintedGraph,
    PrintedNode,
)

_LIBRARY = frozenset(
    f"{namespace}.{name}"
    for namespace in ("aten", "torch")
    for name in (
        "addmm",
        "baddbmm",
        "bmm",
        "mm",
        "_scaled_mm",
        "convolution",
        "_int_mm",
        "linear",
    )
)
_ATTENTION = re.compile(
    r"_?scaled_dot_product_(\w*?)_?attention(?:_for_\w+)?(_backward)?(?:\.|$)"
)
_BACKENDS = {
    "cudnn": "cuDNN",
    "efficient": "memory-efficient",
    "flash": "flash",
    "fused": "fused",
    "": "math",
}
_TYPE = re.compile(r"(\w+)(\[[^\]]*\])?(\[[^\]]*\])?(.*)$")
CONSTANTS = frozenset({"aten.full", "aten.scalar_tensor", "aten.lift_fresh_copy"})
"""Operators that do not depend on the graph's inputs."""
_NO_METHODS = frozenset({"getattr", "getitem"})
"""What a graph calls by a name without dots besides methods."""
_CASTS = frozenset({"aten._to_copy", "prims.convert_element_type"})
_FINITE = frozenset({"aten.abs", "aten.any.dims", "aten.eq", "aten.ne"})
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_KEYWORD = re.compile(r"(\w+)=(?!=)|('\w+'): ")
_LITERAL = re.compile(r"(?:\w+=)?(?:-?[\d.e+-]+|True|False|None)(?: x\d+)?")
"""A setting, as a change shows it."""
_WITH_EFFECTS = re.compile(rf"higher_order\.with_effects\({HOLE}, ([\w.]+)")
"""What is called for its effect, after the token that orders it (torch/_higher_order_ops/effects.py)."""
_TOKENS = frozenset({"prims._make_token.default", "prims._sink_tokens.default"})
"""What makes such tokens, and what holds the last of them."""
_WIDEST = 60
_DEEPEST = 4


def edits(old: Sequence[PrintedGraph], new: Sequence[PrintedGraph]) -> Iterable[Change]:
    """The edits between two artifacts of graphs.

    Each kind of edit is looked for only where there is none of those before it, from which it would follow: other
    graphs, other operators, other types, other arguments, and other operands. Which calls are kept in order is told
    beside these.
    """
    if ordered := list(order_edits(old, new)):
        others = edits(without_order(old), without_order(new))
        told = ("same-graph", "operations-moved")
        return [*ordered, *(edit for edit in others if edit.code not in told)]
    counts = [
        Counter(
            _called(node) for function in side for node in function.nodes if node.target
        )
        for side in (old, new)
    ]
    # What is ordered by tokens says more than that there are some.
    ordered_by = [
        Counter({name: side[name] for name in side if name not in _TOKENS})
        for side in counts
    ]
    if ordered_by[0] != ordered_by[1]:
        counts = ordered_by
    if len(old) != len(new):
        more, fewer = (
            (counts[1], counts[0]) if len(new) > len(old) else (counts[0], counts[1])
        )
        return (
            graphs.GraphsChanged(
                len(old), len(new), sorted_counts(_named(more - fewer))
            ),
        )
    if counts[0] != counts[1]:
        return [
            edit
            for gone, come in _independent(old, new, *counts)
            for edit in operator_edits(gone, come)
        ]
    if same_graphs(old, new):
        return (Simple("same-graph"),)
    now = {function.name: function for function in new}
    paired = [
        (function, now[function.name]) for function in old if function.name in now
    ]
    counterparts = [pairs(*two) for two in paired]
    return (
        [
            edit
            for two, found in zip(paired, counterparts, strict=True)
            for edit in _types(*two, found)
        ]
        or [edit for found in counterparts for edit in _arguments(found)]
        or [
            edit
            for two, found in zip(paired, counterparts, strict=True)
            for edit in _reconnected(*two, found)
        ]
        or ([OperationsMoved(())] if _reordered(old, new, counterparts) else [])
    )


def _reordered(
    old: Sequence[PrintedGraph],
    new: Sequence[PrintedGraph],
    counterparts: Iterable[Pairs],
) -> bool:
    """Whether graphs differ although each node has a counterpart that is given and makes the same."""
    return not any(any(found.differ) for found in counterparts) and form(old) != form(
        new
    )


def _called(node: PrintedNode) -> str:
    """The operator that a node calls, also if a token of effects keeps it in order."""
    match = _WITH_EFFECTS.match(node.text)
    return node.target if match is None else match[1]


def _independent(
    old: Sequence[PrintedGraph],
    new: Sequence[PrintedGraph],
    before: Counter[str],
    after: Counter[str],
) -> Iterator[tuple[Counter[str], Counter[str]]]:
    """The operators that are gone and those that are new, in parts that have nothing to do with each other."""
    gone, come = before - after, after - before
    parts = [{*gone, *come}]
    if [function.name for function in old] == [function.name for function in new]:
        parts = independent(map(pairs, old, new), sorted(parts[0]))
        # A function that moved within torch's sources is another one, which nothing connects with the first.
        moved = set(map(_private, gone)) & set(map(_private, come)) - {""}
        apart = [
            {name for name in part if _private(name) not in moved} for part in parts
        ]
        parts = [
            *filter(None, apart),
            *filter(
                None, [{name for name in (*gone, *come) if _private(name) in moved}]
            ),
        ]
    for part in parts:
        sides = [
            Counter({name: times for name, times in side.items() if name in part})
            for side in (gone, come)
        ]
        yield sides[0], sides[1]


def _private(function: str) -> str:
    """The name of a private function of torch's, wherever it stands; empty for any other."""
    name = function.rpartition(".")[2]
    return name if function.startswith("torch.") and name.startswith("_") else ""


def type_changes(subject: str, was: str, now: str) -> Iterator[graphs.TypeChanged]:
    """How a type of a value is another one, part by part."""
    old_type, new_type = _TYPE.match(was), _TYPE.match(now)
    if old_type is None or new_type is None:
        yield graphs.TypeChanged(subject, "", was or "no type", now or "no type")
        return
    for index, part in ((1, "dtype"), (2, "shape"), (3, "strides"), (4, "device")):
        before, after = (
            side[index] or ("contiguous" if part == "strides" else "")
            for side in (old_type, new_type)
        )
        if before != after:
            yield graphs.TypeChanged(
                subject, part, before.strip() or "default", after.strip() or "default"
            )


def operator_edits(old: Counter[str], new: Counter[str]) -> Iterator[Change]:
    """How the operators changed, given the count of each."""
    gone, come = old - new, new - old
    if not gone and not come:
        return
    backends = [_backend(side) for side in (gone, come)]
    if backends[0] is not None and backends[1] is not None:
        yield Replaced("attention-backend", backends[0], backends[1])
        gone, come = (
            Counter({n: times for n, times in side.items() if not _ATTENTION.search(n)})
            for side in (gone, come)
        )
    if gone or come:
        # Any other change follows from a change of the backend.
        yield replace(_operators(gone, come), follows=None not in backends)


def _operators(gone: Counter[str], come: Counter[str]) -> Change:
    both = set(map(short, gone)) & set(map(short, come))
    named = [_named(side, both) for side in (gone, come)]
    moved = [
        Counter({_private(name): times for name, times in side.items()})
        for side in (gone, come)
    ]
    functions = [_by_function(side) for side in named]
    if named[0] != named[1] and functions[0] == functions[1]:
        is_new = functions[1] == named[1]
        return CountedNewOrGone("operator-renamed", sorted_counts(functions[1]), is_new)
    if named[0] == named[1] or (moved[0] == moved[1] and "" not in moved[0]):
        return CountedNewOrGone("operator-renamed", sorted_counts(named[1]), new=True)
    # Beside others, what only moved within torch's sources is neither gone nor new.
    before, after = (
        sorted_counts(named[0] - named[1]),
        sorted_counts(named[1] - named[0]),
    )
    if not gone and checks_finite(name for name, _ in after):
        return CountedNewOrGone("finite-check-added", after, new=True)
    if gone and come and sum(gone.values()) == sum(come.values()):
        constant = [
            all(name in CONSTANTS for name, _ in side) for side in (before, after)
        ]
        if constant[0] != constant[1]:
            return CountedNewOrGone(
                "constant-folded", after if constant[0] else before, constant[1]
            )
    library = not _LIBRARY.isdisjoint(map(without_overload, (*gone, *come)))
    return graphs.OperatorsChanged("operators-changed", before, after, library)


def _by_function(side: Counter[str]) -> Counter[str]:
    """The same, with functions in place of the methods of a tensor that they do the same as."""
    names: Counter[str] = Counter()
    for name, times in side.items():
        function = name.strip("_")
        if name == f"__{function}__" and hasattr(operator, function):
            name = f"operator.{function}"
        elif name.isidentifier() and name not in _NO_METHODS:
            name = f"torch.{name}"
        names[name] += times
    return names


def _named(side: Counter[str], whole: Container[str] = ()) -> Counter[str]:
    """Operators by their short names; of those in `whole`, overloads by their whole ones, since each is another."""
    names: Counter[str] = Counter()
    for name, times in side.items():
        names[
            name
            if short(name) in whole and not name.startswith("torch.")
            else short(name)
        ] += times
    return names


def checks_finite(names: Iterable[str]) -> bool:
    """Whether `names` include the operators of the check for finite inputs that softmax patterns make."""
    return set(names) >= _FINITE


def _backend(side: Iterable[str]) -> str | None:
    for name in side:
        match = _ATTENTION.search(name)
        if match is not None:
            return _BACKENDS.get(match[1], match[1])
    return None


def is_attention(operator: str) -> bool:
    """Whether an operator computes attention, in whichever library."""
    return _ATTENTION.search(operator) is not None


def _types(old: PrintedGraph, new: PrintedGraph, found: Pairs) -> Iterator[Change]:
    """Changed types of results and inputs, in graphs with the same operators. Of results that are laid out otherwise,
    those made of others that are follow from these."""

    def strides(graph: PrintedGraph, value: str) -> str:
        match = _TYPE.match(graph.types.get(value, ""))
        return "" if match is None else match[3] or ""

    followed = {
        before.name
        for before, _ in found.nodes
        for read in before.reads
        if read in found.values
        and strides(old, read) != strides(new, found.values[read])
    }
    yield from _result_types(found.nodes, followed)
    yield from _inputs(
        *([argument.type for argument in side.inputs] for side in (old, new))
    )


def _result_types(
    nodes: Iterable[tuple[PrintedNode, PrintedNode]], laid_out: Container[str] = ()
) -> Iterator[graphs.TypeChanged]:
    """Changed types of results, each with all that have it. laid_out: the nodes, by their old names, whose layout
    follows from another."""
    alike: dict[tuple[str, str, str], dict[str, None]] = {}
    for before, after in nodes:
        if before.type == after.type:
            continue
        subject = short(before.target) or ("getitem" if before.is_element else CONSTANT)
        for change in type_changes(subject, before.type, after.type):
            if change.is_layout and before.name in laid_out:
                continue
            how = (change.part, change.before, change.after)
            alike.setdefault(how, {})[change.subject] = None
    for how, subjects in alike.items():
        first, *others = subjects
        yield graphs.TypeChanged(first, *how, tuple(others))


def _inputs(old: list[str], new: list[str]) -> Iterator[Change]:
    if len(old) != len(new):
        for added, side in (
            (True, Counter(new) - Counter(old)),
            (False, Counter(old) - Counter(new)),
        ):
            types = Counter(
                "size" if one.startswith("Sym(") else one for one in side.elements()
            )
            if types:
                yield CountedNewOrGone("inputs-changed", tuple(types.items()), added)
        return
    if old != new and Counter(old) == Counter(new):
        yield Simple("inputs-reordered")
        return
    for one_type, other_type in zip(old, new, strict=True):
        if one_type != other_type:
            yield from type_changes(INPUT, one_type, other_type)


def _arguments(found: Pairs) -> Iterator[Change]:
    """Changed arguments of nodes, in graphs with the same operators and types."""
    for before, after in found.nodes:
        if before.target and before.text != after.text:
            yield from argument_edits(before, after)


def _reconnected(
    old: PrintedGraph, new: PrintedGraph, found: Pairs
) -> Iterator[Change]:
    """Nodes that read other values, in graphs with the same operators, types and arguments."""
    for before, after in found.nodes:
        same = Counter(map(found.values.get, before.reads)) == Counter(after.reads)
        if same and before.target in COMMUTATIVE:
            continue
        if before.name == RESULT and old.saves and new.saves:
            # Backward is given what is saved by name, after what the program gets.
            before, after = (
                node._replace(reads=node.reads[: -len(side.saves or ())])
                for node, side in ((before, old), (after, new))
            )
            yield from _saved(old.saves, new.saves, found)
        for was, now in found.reconnected(before, after):
            makers = _maker(found, 0, was), _maker(found, 1, now)
            yield Replaced("operand-changed", *makers, subject=short(before.target))


def _saved(old: Sequence[str], new: Sequence[str], found: Pairs) -> Iterator[Change]:
    """What forward saves instead, or that it saves the same in another order."""
    counterparts = [found.values.get(name) for name in old]
    gone = [name for name in old if found.values.get(name) not in new]
    come = [name for name in new if name not in counterparts]
    makers = [
        Counter(_maker(found, side, name) for name in names)
        for side, names in enumerate((gone, come))
    ]
    if makers[0] != makers[1]:
        fewer, more = makers[0] - makers[1], makers[1] - makers[0]
        yield Exchanged("saved-instead", sorted_counts(fewer), sorted_counts(more))
    elif gone:
        yield from (
            Replaced("operand-changed", _maker(found, 0, was), _maker(found, 1, now))
            for was, now in zip(gone, come, strict=True)
        )
    elif counterparts != list(new):
        yield Simple("saved-reordered")


def types_in_place(found: Pairs) -> Iterator[Change]:
    """Types of results that follow from no other node: of the same call of values that have the types they had."""

    def type_of(side: int, value: str) -> str:
        node = found.makers[side].get(value)
        return "" if node is None else node.type

    yield from _result_types(
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
    for edit in _result_types(
        (old, new)
        for old, new in found.nodes
        if old.target == new.target and short(old.target) not in _CASTS
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
        and _inside(old.text) == _inside(new.text)
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
            given = _maker(found, 0, was), _maker(found, 1, now)
            yield Replaced("operand-changed", *given, subject=short(old.target))


def viewed(found: Pairs) -> Iterator[str]:
    """What the views are of that the newer graph alone has: the operators that made it, or INPUT."""
    makers = found.makers[1]
    for name in makers.keys() - {after.name for _, after in found.nodes}:
        if not is_view(makers[name].target):
            continue
        while name in makers and (
            makers[name].is_element or is_view(makers[name].target)
        ):
            name = makers[name].reads[0]
        yield _maker(found, 1, name)


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


def _strictness(old: PrintedNode, new: PrintedNode) -> bool:
    """Whether one is a comparison that holds for equal values, and the other one that else is the same."""
    sides = [((short(node.target), 1),) for node in (old, new)]
    return graphs.StrictnessChanged.of(*sides) is not None


def _maker(found: Pairs, side: int, value: str) -> str:
    node = found.made_by(side, value)
    return INPUT if node is None else short(node.target) or CONSTANT


def argument_edits(old: PrintedNode, new: PrintedNode) -> Iterator[AttributeChanged]:
    """The edits of one call; all values are treated alike."""
    before, after = (_inside(node.text) for node in (old, new))
    if before is None or after is None:
        return
    name = short(old.target)
    for gone, come, inside in _changed(before, after):
        yield AttributeChanged(
            "arguments-changed", name, inside, _shown(gone), _shown(come)
        )


def arguments_in_place(found: Pairs) -> Iterator[AttributeChanged]:
    """Which numbers and settings nodes are given otherwise beside the same values, for results of the same types."""
    for old, new in found.nodes:
        if (
            not (old.target and old.reads)
            or old.type != new.type
            or old.text == new.text
            or any(found.reconnected(old, new))
        ):
            continue
        for edit in argument_edits(old, new):
            given = [side for side in (edit.before, edit.after) if side]
            if all(map(_LITERAL.fullmatch, given)):
                yield edit


def _changed(
    old: Sequence[str], new: Sequence[str], within: str = "", depth: int = _DEEPEST
) -> Iterator[tuple[Sequence[str], Sequence[str], str]]:
    """What is gone and what is new; for a tuple in an argument, its elements, and the argument's name or position."""
    for kind, low, high, start, end in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            continue
        gone, come = list(old[low:high]), list(new[start:end])
        for old_argument, new_argument in _pairs(gone, come):
            gone.remove(old_argument)
            come.remove(new_argument)
            inner = [_inside(side) for side in (old_argument, new_argument)]
            if depth and inner[0] is not None and inner[1] is not None:
                named = _KEYWORD.match(old_argument)
                argument = (
                    named[1] or named[2]
                    if named
                    else str(list(old).index(old_argument) + 1)
                )
                yield from _changed(inner[0], inner[1], within or argument, depth - 1)
            else:
                yield [old_argument], [new_argument], within
        if gone:
            yield gone, (), within
        if come:
            yield (), come, within


def _pairs(gone: Sequence[str], come: Sequence[str]) -> list[tuple[str, str]]:
    """Counterparts: one by one if there are as many on both sides, else by keyword or opening bracket."""
    if len(gone) == len(come):
        return list(zip(gone, come, strict=True))
    pairs = []
    unpaired = list(come)
    for old in gone:
        new = next(
            (candidate for candidate in unpaired if _key(candidate) == _key(old)), None
        )
        if new is not None:
            unpaired.remove(new)
            pairs.append((old, new))
    return pairs


def _key(argument: str) -> str:
    """The keyword of an argument, or the bracket that it opens with."""
    match = _KEYWORD.match(argument)
    return (
        match[0]
        if match is not None
        else argument[0]
        if argument[0] in _BRACKETS
        else argument
    )


def _inside(text: str) -> list[str] | None:
    """The elements of a call, a tuple, a list or a dictionary; None for anything else."""
    keyword = _KEYWORD.match(text)
    value = text if keyword is None else text[keyword.end() :]
    opened = re.match(r"[\w.\0]*([(\[{])", value)
    if opened is None or not value.endswith(_BRACKETS[opened[1]]):
        return None
    return [element for element in arguments(value[opened.end() : -1]) if element]


def _shown(several: Sequence[str]) -> str:
    """`None x2`, `launch_kwargs=('BLOCK',)`."""
    text = ", ".join(
        with_times(argument, times) for argument, times in Counter(several).items()
    )
    text = text.replace(HOLE, "a value")
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"
