"""Passes that do something else than before, and those of them that follow from nothing else in their case."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import structs

from pytest_compile_golden.changes.change import Counts, sorted_counts
from pytest_compile_golden.changes.common_types import CountedNewOrGone
from pytest_compile_golden.changes.graphs import PassChanged
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.graphs.effects import is_neutral, is_view
from pytest_compile_golden.formats.graphs.equivalence import Pairs
from pytest_compile_golden.formats.graphs.printed import (
    RESULT,
    PrintedGraph,
    PrintedNode,
)
from pytest_compile_golden.formats.pass_log import compare as ledger
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.consequences import base, graph_differences
from pytest_compile_golden.goldens.first_divergence import passes_of, steps_of

_CONSTANT = frozenset({"aten.arange", "aten.full", "prims.iota"})
"""Operators that read nothing and compute the same each time."""
ARITHMETIC = frozenset({"add", "div", "mul", "sub"})
"""Operators that a pass may remove as they have no effect, such as a product with 1."""
_ZERO = re.compile(r"\((?:\0, -?0(?:\.0)?|-?0(?:\.0)?, \0)\)")
"""The arguments of a product with 0, in a call with a hole for each value."""
_TAKEN_OUT = frozenset({"getitem"})
"""What takes one result out of several: it is of the operator that makes them."""
ChangedPass = tuple[PassChanged, frozenset[str]]
"""A pass that does something else than before, and the operators that it does this to."""


def changed_passes(compared: Sequence[Compared]) -> Iterator[ChangedPass]:
    """The passes that do something else than before, each with the operators that it does this to."""
    for change in compared:
        if change.stage != "passes":
            continue
        for old, new in ledger.pairs(*passes_of(change)):
            if old is None or new is None or old.effect == new.effect:
                continue
            made = ledger.pass_change(old, new)
            if operators := _operators_of(made):
                yield made, operators


def _operators_of(made: PassChanged) -> frozenset[str]:
    counted = (*made.made, *made.unmade, *made.removed, *made.kept)
    return frozenset(base(name) for name, _ in counted) - _TAKEN_OUT


def in_every_graph(made: PassChanged, compared: Sequence[Compared]) -> PassChanged:
    """What a pass does otherwise in one graph, as what it does so in all graphs; the partitioner is given one."""
    runs = [
        each
        for change in compared
        if change.stage == "passes" and made.phase != "partition"
        for old, new in ledger.pairs(*passes_of(change))
        if old is None or new is None or old.effect != new.effect
        for each in [ledger.pass_change(old, new)]
        if each.key == made.key and each.pattern == made.pattern
    ]
    if len(runs) < 2:
        return made

    def counted(name: str) -> Counts:
        total = Counter[str]()
        for each in runs:
            total.update(dict(getattr(each, name)))
        return sorted_counts(total)

    def summed(pairs: Iterable[tuple[int, int] | None]) -> tuple[int, int] | None:
        known = [pair for pair in pairs if pair is not None]
        return (sum(a for a, _ in known), sum(b for _, b in known)) if known else None

    return structs.replace(
        made,
        matched=summed(each.matched for each in runs),
        nodes=(
            summed(each.nodes[0] for each in runs),
            summed(each.nodes[1] for each in runs),
        ),
        ran=any(each.ran for each in runs),
        runs=any(each.runs for each in runs),
        made=counted("made"),
        unmade=counted("unmade"),
        removed=counted("removed"),
        kept=counted("kept"),
    )


def of_other_operators(
    compared: Sequence[Compared], about: Iterable[str]
) -> Iterator[PassChanged]:
    """The passes that do something else to operators that neither `about` nor a pass before them has, where no graph
    says what follows from what, as of the tests of a suite, of which decisions alone are kept."""
    if any(change.stage.endswith("_graph") for change in compared):
        return
    met = set(about)
    for change in compared:
        if change.stage != "passes":
            continue
        for old, new in ledger.pairs(*passes_of(change)):
            if old is not None and new is not None and old.effect == new.effect:
                continue
            made = ledger.pass_change(old, new)
            if (operators := _operators_of(made)) and met.isdisjoint(operators):
                yield in_every_graph(made, compared)
            met |= operators


def of_libraries(compared: Sequence[Compared]) -> Iterator[PassChanged]:
    """The passes that make other library calls than before, also those that did nothing before."""
    for change in compared:
        if change.stage != "passes":
            continue
        for old, new in ledger.pairs(*passes_of(change)):
            if old is None or new is None or old.effect != new.effect:
                made = ledger.pass_change(old, new)
                if made.topic == "library" and made.phase != "partition":
                    yield made


def patterns_alone(compared: Sequence[Compared]) -> Iterator[PassChanged]:
    """Patterns that match on one side alone and put there other operators in the place of some, which the other side
    still has: the post-grad graphs differ in these by just what the pattern does."""
    computed = Counter[str](), Counter[str]()
    for change in compared:
        if change.stage == "post_grad_graph":
            for pairs in change.graph_pairs.values():
                for counted, makers in zip(computed, pairs.makers, strict=True):
                    counted.update(short(node.target) for node in makers.values())
    for change in compared:
        if change.stage != "passes":
            continue
        for old, new in ledger.pairs(*passes_of(change)):
            if old is not None and new is not None and old.effect == new.effect:
                continue
            made = ledger.pass_change(old, new)
            if not made.matched or all(made.matched) or made.topic == "library":
                continue
            made = in_every_graph(made, compared)
            fewer = Counter(dict((*made.removed, *made.unmade)))
            more = Counter(dict((*made.made, *made.kept)))
            gone, come = computed[0] - computed[1], computed[1] - computed[0]
            replaced = (made.removed and made.made) or (made.unmade and made.kept)
            if (
                replaced
                and all(gone[name] == times for name, times in fewer.items())
                and all(come[name] == times for name, times in more.items())
                and not any(map(is_view, (*fewer, *more)))
            ):
                yield made


def removals(
    compared: Sequence[Compared], passes: Sequence[ChangedPass]
) -> Iterator[PassChanged]:
    """Passes that remove operators now, and removed none of these before, although there were as many of them; and the
    first that changed, if it no longer removes some, although there are as many."""
    traced = [
        [
            Counter({base(item.name): item.times for item in steps.items("aot_graph")})
            for steps in steps_of(change)
        ]
        for change in compared
        if change.stage == "trail"
    ]
    running = [
        (made, operators)
        for made, operators in passes
        if made.phase != "partition" and made.ran and made.runs
    ]
    for number, (made, operators) in enumerate(running):
        if made.made or made.unmade or bool(made.removed) == bool(made.kept):
            # Arithmetic that it removes beside what else it does otherwise is a change of its own. If it also makes
            # something more, that may be in the place of some of it, so that graphs tell what has no effect.
            before = [earlier for earlier, _ in running[:number]]
            left = _neutral_alone(compared, made, before, traced) if made.made else None
            removed = tuple(
                (name, number)
                for name, times in made.removed
                if base(name) in ARITHMETIC
                and (number := times if left is None else min(times, left[base(name)]))
            )
            found, total = made.nodes[1], sum(times for _, times in removed)
            if removed and found is not None:
                yield structs.replace(
                    made,
                    nodes=((found[0], found[0]), (found[0], found[0] - total)),
                    matched=None,
                    made=(),
                    unmade=(),
                    removed=removed,
                    kept=(),
                )
            continue
        if made.kept and made is not passes[0][0]:
            continue
        for sides in traced:
            one, other = sides if made.removed else reversed(sides)
            if all(one[name] >= other[name] > 0 for name in operators):
                yield in_every_graph(made, compared)
                break


def _neutral_alone(
    compared: Sequence[Compared],
    made: PassChanged,
    before: Sequence[PassChanged],
    traced: Sequence[Sequence[Counter[str]]],
) -> Counter[str]:
    """By operator, how many nodes more than before are gone after a pass that only return their operand, and that no
    pass before it removes, of operators that are traced no less often than before."""
    stage = "joint_graph" if made.phase == "joint" else "post_grad_graph"
    left = Counter[str]()
    for change in compared:
        if change.stage == stage:
            for sign, graphs in zip((1, -1), change.documents or (), strict=False):
                for graph in graphs:
                    for node in graph.nodes:
                        if (
                            is_neutral(node.text)
                            and graph.types[node.reads[0]] == node.type
                        ):
                            left[base(node.target)] += sign
    for earlier in before:
        for name, times in earlier.removed:
            left[base(name)] -= times
    return Counter(
        {
            name: times
            for name, times in left.items()
            if times > 0
            and traced
            and all(new[name] >= old[name] for old, new in traced)
        }
    )


def folded_zeros(
    compared: Sequence[Compared], passes: Sequence[ChangedPass]
) -> CountedNewOrGone | None:
    """That products with 0 are constants now, or no longer, although as many products are traced: a pass makes another
    number of constants, and one side alone computes such products of floating-point numbers (torch/_inductor/fx_passes/
    joint_graph.py: constant_fold_uniform_value)."""
    constants = {
        name
        for made, _ in passes
        for name, _ in (*made.made, *made.unmade)
        if made.phase == "joint"
    }
    if "aten.full" not in {short(name) for name in constants}:
        return None
    traced = [
        sum(item.times for item in steps.items("aot_graph") if base(item.name) == "mul")
        for change in compared
        if change.stage == "trail"
        for steps in steps_of(change)
    ]
    computed = Counter[str](), Counter[str]()
    for change in compared:
        if change.stage == "post_grad_graph":
            for pairs in change.graph_pairs.values():
                for side, counted in enumerate(computed):
                    counted.update(_of_products_with_zero(pairs, side))
    if traced[::2] != traced[1::2] or not any(traced) or all(computed):
        return None
    old, new = computed
    return (
        CountedNewOrGone("zero-folded", sorted_counts(old or new), bool(old))
        if old or new
        else None
    )


def _of_products_with_zero(pairs: Pairs, side: int) -> Iterator[str]:
    """The operators of products of floating-point numbers with 0, and of what the other side needs for no result."""
    makers = pairs.makers[side]
    counterparts = (
        {new: old for old, new in pairs.values.items()} if side else pairs.values
    )
    needed = _needed(pairs.makers[1 - side], [RESULT])
    waiting = [
        node.name
        for node in makers.values()
        if short(node.target) == "aten.mul"
        and _ZERO.search(node.text)
        and node.type[:1] in "fb"
    ]
    for name in _needed(makers, waiting):
        if counterparts.get(name) not in needed and not is_view(makers[name].target):
            yield short(makers[name].target)


def _needed(makers: Mapping[str, PrintedNode], names: Iterable[str]) -> list[str]:
    """These nodes, and all that they read, each once."""
    found: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in makers and name not in found:
            found[name] = None
            waiting += makers[name].reads
    return list(found)


def done_in_place(compared: Sequence[Compared]) -> list[CountedNewOrGone]:
    """Operators that write over what they are given on one side alone, in graphs that call them as often and that could
    have done so on the other side, too: a value that is an input there, or a result, is still needed."""
    found = Counter[tuple[str, bool]]()
    for change in compared:
        if change.stage != "post_grad_graph":
            continue
        for pairs in change.graph_pairs.values():
            old, new = (
                Counter(short(node.target) for node in makers.values())
                for makers in pairs.makers
            )
            for name in sorted({*old, *new}):
                if not name or name.endswith("_") or f"{name}_" not in {*old, *new}:
                    continue
                more = new[f"{name}_"] - old[f"{name}_"]
                makers = pairs.makers[more < 0]
                returned = makers[RESULT].reads if RESULT in makers else ()
                free = [
                    node
                    for node in makers.values()
                    if short(node.target) == name
                    and node.reads[:1]
                    and node.reads[0] in makers
                    and node.reads[0] not in returned
                ]
                if more and old[name] - new[name] == more and len(free) >= abs(more):
                    found[name, more > 0] += abs(more)
    return [
        CountedNewOrGone("done-in-place", ((name, times),), come)
        for (name, come), times in sorted(found.items())
    ]


def partitions(
    compared: Sequence[Compared], passes: Sequence[ChangedPass]
) -> Iterator[PassChanged]:
    """What the partitioner keeps or computes again otherwise, of operators that are not near to what differs in the
    joint graph that it is given, or whose equal nodes it leaves in forward or backward although it merged them."""
    given = graph_differences(compared, "joint_graph")
    near = {name for found in given.values() for name in found.near}
    for made, operators in passes if given else ():
        if made.phase != "partition":
            continue
        if near.isdisjoint(operators):
            yield made
            continue
        left = _left_double(compared)
        if any(base(name) in operators for name in left):
            # As if all else that it does were the same.
            found, leaves = made.nodes[1] or (0, left.total())
            yield structs.replace(
                made,
                nodes=((found, leaves - left.total()), (found, leaves)),
                made=sorted_counts(left),
                kept=(),
                unmade=(),
                removed=(),
                repeated=True,
            )


def _left_double(compared: Sequence[Compared]) -> Counter[str]:
    """By operator, how many nodes more than before repeat another one of forward or backward, if the joint graph has
    such nodes, and no more than before."""
    repeated: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for change in compared:
        if change.stage in ("joint_graph", "forward_graph", "backward_graph"):
            sides = repeated.setdefault(change.stage, (Counter(), Counter()))
            for known, graphs in zip(sides, change.documents or (), strict=False):
                for graph in graphs:
                    known.update(_repeated(graph))
    joint = repeated.pop("joint_graph", (Counter[str](), Counter[str]()))
    left = Counter[str]()
    for old, new in repeated.values():
        left += new - old
    return Counter(
        {
            name: times
            for name, times in left.items()
            if joint[0][name] >= joint[1][name] > 0
        }
    )


def _repeated(graph: PrintedGraph) -> Iterator[str]:
    """The operator of each node that computes what one before it does."""
    first: dict[tuple[str, ...], str] = {}
    same_as: dict[str, str] = {}
    for node in graph.nodes:
        reads = [same_as.get(read, read) for read in node.reads]
        computes = (node.target, node.type, node.text, *reads)
        alike = reads or short(node.target) in _CONSTANT
        same_as[node.name] = (
            first.setdefault(computes, node.name) if alike else node.name
        )
        if same_as[node.name] != node.name:
            yield short(node.target)
