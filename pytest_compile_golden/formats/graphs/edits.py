"""How FX graphs changed: operators added and removed or, if there are none, types and arguments."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from msgspec.structs import replace

from pytest_compile_golden.changes import graphs
from pytest_compile_golden.changes.change import Change, sorted_counts
from pytest_compile_golden.changes.common_types import (
    CountedNewOrGone,
    Exchanged,
    Replaced,
    Simple,
)
from pytest_compile_golden.changes.graphs import CONSTANT, INPUT
from pytest_compile_golden.changes.schedules import OperationsMoved
from pytest_compile_golden.formats.canonical_text import (
    short,
    without_overload,
)
from pytest_compile_golden.formats.graphs.argument_edits import argument_edits
from pytest_compile_golden.formats.graphs.effects import is_view
from pytest_compile_golden.formats.graphs.equivalence import (
    COMMUTATIVE,
    Pairs,
    independent,
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
CASTS = frozenset({"aten._to_copy", "prims.convert_element_type"})
"""What only makes another dtype of a value."""
_FINITE = frozenset({"aten.abs", "aten.any.dims", "aten.eq", "aten.ne"})
_WITH_EFFECTS = re.compile(rf"higher_order\.with_effects\({HOLE}, ([\w.]+)")
"""What is called for its effect, after the token that orders it (torch/_higher_order_ops/effects.py)."""
_TOKENS = frozenset({"prims._make_token.default", "prims._sink_tokens.default"})
"""What makes such tokens, and what holds the last of them."""


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
    yield from result_types(found.nodes, followed)
    yield from _inputs(
        *([argument.type for argument in side.inputs] for side in (old, new))
    )


def result_types(
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
            makers = maker(found, 0, was), maker(found, 1, now)
            yield Replaced("operand-changed", *makers, subject=short(before.target))


def _saved(old: Sequence[str], new: Sequence[str], found: Pairs) -> Iterator[Change]:
    """What forward saves instead, or that it saves the same in another order."""
    counterparts = [found.values.get(name) for name in old]
    gone = [name for name in old if found.values.get(name) not in new]
    come = [name for name in new if name not in counterparts]
    makers = [
        Counter(maker(found, side, name) for name in names)
        for side, names in enumerate((gone, come))
    ]
    if makers[0] != makers[1]:
        fewer, more = makers[0] - makers[1], makers[1] - makers[0]
        yield Exchanged("saved-instead", sorted_counts(fewer), sorted_counts(more))
    elif gone:
        yield from (
            Replaced("operand-changed", maker(found, 0, was), maker(found, 1, now))
            for was, now in zip(gone, come, strict=True)
        )
    elif counterparts != list(new):
        yield Simple("saved-reordered")


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
        yield maker(found, 1, name)


def maker(found: Pairs, side: int, value: str) -> str:
    node = found.made_by(side, value)
    return INPUT if node is None else short(node.target) or CONSTANT
