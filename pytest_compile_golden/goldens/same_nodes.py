"""The part of each schedule that was made of the same nodes on both sides: its changes follow from no graph.

A node that changed is scheduled differently, and so may be what reads it or is fused with it. A change of a schedule
therefore says nothing about the scheduler while graphs differ, too. Here all that has to do with nodes that differ is
cut out of both schedules; what differs in the rest was decided differently for its own sake. Operations are compared
one by one, and kernels by the values that they make.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from pytest_compile_golden.changes.change import Change, distinct
from pytest_compile_golden.changes.schedules import OperationsChanged
from pytest_compile_golden.changes.trail import ResultsStored
from pytest_compile_golden.facts.schedules import (
    Operation,
    Schedule,
    buffer,
    ungrouped,
)
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.graphs.effects import is_view
from pytest_compile_golden.formats.graphs.equivalence import Pairs, pairs
from pytest_compile_golden.formats.graphs.printed import PrintedGraph
from pytest_compile_golden.formats.schedules import form, provenance
from pytest_compile_golden.formats.schedules.edits import edits, part_of
from pytest_compile_golden.formats.schedules.kind_edits import holds_of_all
from pytest_compile_golden.formats.schedules.roles import called
from pytest_compile_golden.goldens.compare_artifact import Compared, found_once
from pytest_compile_golden.goldens.consequences import base, prefix, saved_instead
from pytest_compile_golden.goldens.kernel_pairs import KernelPair
from pytest_compile_golden.goldens.same_groups import grouped_otherwise
from pytest_compile_golden.goldens.side_schedule import SideSchedule, operations_of

_OF_OPERATIONS = frozenset(
    {
        "fused",
        "fusion-lost",
        "library-called",
        "operation-kinds",
        "operations-changed",
        "reads-changed",
        "reduction-steps",
        "regrouped",
        "results-stored",
        "value-with-index",
    }
)
"""Changes of which operations there are. When they run, and where they read, may follow from any other operation."""
Buffers = tuple[set[str], set[str]]
"""Names of buffers and inputs on both sides."""
Nodes = tuple[set[str], set[str]]
"""Names of nodes on both sides."""


class StoredAlone(NamedTuple):
    """What is in a buffer that one side alone has, although both compute it."""

    operators: frozenset[str]
    """Those that compute it."""
    used_by: frozenset[str]
    """Those of the nodes that differ and read it, which may be why it is stored on one side alone."""


Stored = dict[str, StoredAlone]
"""By buffer."""


@found_once
def edits_of_same_nodes(compared: Sequence[Compared]) -> dict[str, tuple[Change, ...]]:
    """By graph, the edits of what its schedule has of nodes that are the same; a graph is left out if it is not known
    which nodes its operations were made of."""
    return {
        name: _edits(sides, matched) for name, sides, matched in graph_sides(compared)
    }


def _alone(
    sides: Sequence[SideSchedule],
    matched: Pairs,
    stored: Sequence[Mapping[str, set[str]]],
) -> tuple[Stored, Stored]:
    """stored: by buffer, the nodes whose values it holds."""
    counterparts = matched.values, {new: old for old, new in matched.values.items()}
    made = [
        {twins.get(node, node) for nodes in each.values() for node in nodes}
        for each, twins in zip(stored, matched.doubled, strict=True)
    ]
    # A node that only one side has may be why its operands are stored there, or no longer are.
    readers: tuple[dict[str, set[str]], dict[str, set[str]]] = {}, {}
    for number, nodes in enumerate(matched.differ_or_returned):
        for node, operator in sides[number].read_by(nodes):
            readers[number].setdefault(node, set()).add(operator)
            other = counterparts[number].get(node, "")
            readers[1 - number].setdefault(other, set()).add(operator)
    alone: tuple[Stored, Stored] = {}, {}
    for side in (0, 1):
        makers = matched.makers[side]
        for each, nodes in stored[side].items():
            twins = matched.doubled[side]
            others = {counterparts[side].get(twins.get(node, node)) for node in nodes}
            if others and None not in others and others.isdisjoint(made[1 - side]):
                operators = (
                    base(makers[node].target) for node in nodes if node in makers
                )
                used_by = {
                    name for node in nodes for name in readers[side].get(node, ())
                }
                alone[side][each] = StoredAlone(
                    frozenset(operators), frozenset(used_by)
                )
    return alone


def in_memory(what: ResultsStored, compared: Sequence[Compared]) -> ResultsStored:
    """What is stored or inlined, by what kernels write to memory: a lowering only decides which results have a buffer.
    One that only operations of the same group read is removed (torch/_inductor/scheduler.py,
    `can_buffer_be_removed_through_fusion`), and another may be written, or no longer be, because of it."""
    written: tuple[list[str], list[str]] = [], []
    made: tuple[list[str], list[str]] = [], []
    as_many = []
    for _, sides, matched in graph_sides(compared):
        as_many.append(len(sides[0].written) == len(sides[1].written))
        buffers = [side.written for side in sides]
        stored = [side.stored for side in sides]
        # What the other side has in a buffer, too, is inlined on neither.
        made_alone = _alone(sides, matched, stored)
        written_alone = _alone(sides, matched, buffers)
        for number, makers in enumerate(matched.makers):
            for found, holding, alone in (
                (written, buffers, written_alone),
                (made, stored, made_alone),
            ):
                found[number].extend(
                    makers[node].target
                    for name, each in alone[number].items()
                    if not each.used_by and name in made_alone[number]
                    for node in sorted(holding[number][name])
                    # What takes one result out of several is no operator.
                    if node in makers and makers[node].target
                )
    within = (
        not any(written)
        if any(made)
        else bool(as_many) and all(as_many) and _writes_as_much(compared)
    )
    of = written if any(written) else made
    fewer, more = of if what.stored else of[::-1]
    if not more and not fewer:
        return replace(what, within_kernels=within)
    return replace(
        what,
        operators=tuple(dict.fromkeys(more or fewer)),
        times=len(more or fewer),
        stored=what.stored == bool(more),
        contrary=tuple(dict.fromkeys(fewer)) if more else (),
        within_kernels=within,
    )


def _writes_as_much(compared: Sequence[Compared]) -> bool:
    """Whether the kernels of each graph write as many bytes on both sides, as far as their costs are known."""
    return all(
        dict(old.numbers).get("written") == dict(new.numbers).get("written")
        for artifact in compared
        if artifact.stage == "cost" and artifact.documents is not None
        for old, new in zip(*artifact.documents, strict=False)
    )


def accessing_alike(compared: Sequence[Compared]) -> set[str]:
    """The graphs of which both sides have the same operations, whatever they compute: each reads and writes the same,
    in whichever order its loops run. If they only compute otherwise, which of them are in one kernel follows from no
    other graph; a view that differs may be why."""
    found = set[str]()
    with_views = {
        name
        for name, matched in _matched(compared).items()
        if any(
            is_view(makers[node].target)
            for makers, nodes in zip(
                matched.makers, matched.differ_or_returned, strict=True
            )
            for node in nodes
            if node in makers
        )
    }
    for artifact in compared:
        if artifact.stage != "scheduler_nodes" or artifact.documents is None:
            continue
        sides = [
            {
                label: [
                    replace(section, groups=ungrouped(_as_lowered(section)), apart=())
                    for section in side
                    if section.label == label
                ]
                for label in {section.label for section in side}
            }
            for side in artifact.documents
        ]
        found |= {
            prefix(artifact) + label
            for label, sections in sides[0].items()
            if label in sides[1]
            and prefix(artifact) + label not in with_views
            and form.operations(sections) == form.operations(sides[1][label])
        }
    return found


def _as_lowered(section: Schedule) -> list[Operation]:
    """The operations in the order in which they were made, each after those that it reads; without where these access a
    buffer, and without what a kernel only waits for, which depends on what it is fused with."""
    return [
        operation
        if called(operation)
        else replace(
            operation,
            reads=tuple(buffer(read) for read in operation.reads if "[" in read),
            writes=tuple(map(buffer, operation.writes)),
        )
        for operation in sorted(
            section.operations, key=lambda each: form.number(each.name)
        )
    ]


def replaced_in_place(compared: Sequence[Compared]) -> set[str]:
    """The graphs in which as many nodes of the same types read as many values as those in whose place they are."""
    found = set[str]()
    for name, matched in _matched(compared).items():
        old, new = (
            Counter(
                (makers[node].type, len(makers[node].reads))
                for node in nodes
                if node in makers
            )
            for makers, nodes in zip(
                matched.makers, matched.differ_or_returned, strict=True
            )
        )
        if old == new:
            found.add(name)
    return found


def stored_instead(
    compared: Sequence[Compared], lowered: Collection[str] = ()
) -> ResultsStored | None:
    """Which results are stored instead of inlined where they are used, or the other way round, for their own sake: no
    node that differs reads them, nothing that they are computed from differs, only kernels make and read them, and
    forward saves the same of them for backward.

    lowered: operators that are lowered otherwise, which decides what is stored of what they read and return.
    """
    saved = saved_buffers(compared)
    found: tuple[list[str], list[str]] = [], []
    for name, sides, matched in graph_sides(compared):
        differ = matched.differ_or_returned
        names = matched.names_of_both
        by_others, inlined, stored = set[str](), list[Counter[str]](), list[set[str]]()
        for side, of_side in zip(sides, names, strict=True):
            inlined.append(
                Counter(
                    of_side[node]
                    for nodes in side.inlined.values()
                    for node in nodes
                    if node in of_side
                )
            )
            stored.append(
                {
                    of_side[node]
                    for nodes in side.made.values()
                    for node in nodes
                    # Of one that makes several, a view may stand between one and the next.
                    if node in of_side and len(nodes) == 1
                }
            )
        types = [
            {of_side[node]: makers[node].type for node in of_side if node in makers}
            for of_side, makers in zip(names, matched.makers, strict=True)
        ]
        # What is computed from a buffer that both sides have is lowered alike, whatever the buffer was computed from.
        in_both = {
            node
            for node in stored[0] & stored[1]
            if types[0].get(node) == types[1].get(node)
        }
        for side, of_side, others in zip(sides, names, differ, strict=True):
            near = {node for node, _ in side.read_by(others)}
            near |= side.computed_from(
                others, [node for node, each in of_side.items() if each in in_both]
            )
            near |= side.outside_kernels() | side.around(lowered)
            by_others |= {of_side.get(node, "") for node in near}
        kept = {
            of_side[node]
            for side, of_side, buffers in zip(
                sides, names, saved.get(name, ()), strict=False
            )
            for each in buffers
            for node in side.stored.get(each, ())
            if node in of_side
        }
        # Of what is put together, torch says of each part that it computes the others, too.
        instead = [
            {
                node
                for node in stored[new] & inlined[1 - new].keys()
                if not inlined[new][node]
                or (
                    node not in stored[1 - new]
                    and inlined[new][node] < inlined[1 - new][node]
                )
            }
            - by_others
            - kept
            for new in (0, 1)
        ]
        for_more = _for_more(instead, sides, matched)
        for told, nodes in zip(found, instead, strict=True):
            told.extend(
                short(matched.makers[0][node].target)
                for node in sorted(nodes - for_more)
                if node in matched.makers[0]
                and not is_view(matched.makers[0][node].target)
            )
    fewer, more = found
    operators, contrary = (more, fewer) if len(more) >= len(fewer) else (fewer, more)
    if not operators:
        return None
    return ResultsStored(
        tuple(dict.fromkeys(operators)),
        len(operators),
        operators is more,
        tuple(dict.fromkeys(contrary)),
    )


def _for_more(
    instead: Sequence[set[str]], sides: Sequence[SideSchedule], matched: Pairs
) -> set[str]:
    """Of what the side with more nodes that differ stores instead of inlining it, that of which more is computed there:
    all that uses it computes such nodes, and more of them than on the other side; and what the other side stores to
    compute only that.

    instead: by side, the nodes that it stores instead, by what both sides call them.
    """
    differ, names = matched.differ_or_returned, matched.names_of_both
    used_by = [
        side.used_by(of_side) for side, of_side in zip(sides, names, strict=True)
    ]

    def differing(side: int, node: str) -> list[set[str]]:
        """Those that each operation computes that uses a node."""
        return [
            differ[side] & sides[side].computed[name]
            for name in used_by[side].get(node, ())
        ]

    found = set[str]()
    for new, stored in enumerate(instead):
        if len(differ[new]) <= len(differ[1 - new]):
            continue
        more = {
            node
            for node in stored
            if all(now := differing(new, node))
            and len(set[str]().union(*now))
            > len(set[str]().union(*differing(1 - new, node)))
        }
        makers = {
            name
            for name, made in sides[new].made.items()
            if not more.isdisjoint(map(names[new].get, made))
        }
        found |= more | {
            node
            for node in instead[1 - new]
            if more and used_by[new].get(node, set()) <= makers
        }
    return found


def saved_buffers(compared: Sequence[Compared]) -> dict[str, Buffers]:
    """By graph and side, the buffers that hold what only this side saves for backward: in forward those that are made
    for it, and in backward what it is given."""
    found: dict[str, Buffers] = {}
    sides = {name: of_graph for name, of_graph, _ in graph_sides(compared)}
    for saved in saved_instead(compared):
        backward = f"{saved.forward.removesuffix('forward')}backward"
        found[backward] = saved.names
        if saved.forward in sides:
            old, new = (
                {name for name, nodes in side.stored.items() if nodes & alone}
                for side, alone in zip(sides[saved.forward], saved.names, strict=True)
            )
            found[saved.forward] = old, new
    return found


def reordered(compared: Sequence[Compared]) -> dict[str, int]:
    """The graphs of which groups run in another order that both sides make of the same nodes, each with how many more
    kernels these groups are: those of a CPU have all loops between two library calls."""
    found: dict[str, int] = {}
    for name, sides, matched in graph_sides(compared):
        old, new = (
            dict(side.ran(differ, twins))
            for side, differ, twins in zip(
                sides, matched.differ_or_returned, matched.names_of_both, strict=True
            )
        )
        if [ran for ran in old if ran in new] != [ran for ran in new if ran in old]:
            was, now = (
                len({side[ran] for ran in old.keys() & new.keys()} - {None})
                for side in (old, new)
            )
            found[name] = now - was
    return found


@found_once
def graph_sides(
    compared: Sequence[Compared],
) -> tuple[tuple[str, list[SideSchedule], Pairs], ...]:
    """The schedules of each graph of which it is known on both sides which nodes the operations were made of."""
    return tuple(_graph_sides(compared))


def _graph_sides(
    compared: Sequence[Compared],
) -> Iterator[tuple[str, list[SideSchedule], Pairs]]:
    matched = _matched(compared)
    for artifact in compared:
        if artifact.stage != "scheduler_nodes" or not (artifact.old and artifact.new):
            continue
        try:
            old, new = map(
                provenance.read, (artifact.old, artifact.new), artifact.known
            )
        except Unreadable:
            continue
        for label in dict.fromkeys(section.label for section in (*old, *new)):
            graph = matched.get(prefix(artifact) + label)
            # Which branch of `torch.cond` is listed first says nothing of when it runs.
            sections = [
                sorted(
                    (section for section in side if section.label == label), key=part_of
                )
                for side in (old, new)
            ]
            # If nothing is left to compute on one side, a graph has no schedule there.
            if graph is not None and all(
                any(operation.nodes for operation in operations_of(side))
                for side in sections
                if side
            ):
                sides = [
                    SideSchedule(side, makers)
                    for side, makers in zip(sections, graph.makers, strict=True)
                ]
                yield prefix(artifact) + label, sides, graph


def differing_nodes(compared: Sequence[Compared]) -> dict[str, Nodes]:
    """By graph, the nodes that differ, and those of which only one side returns the results."""
    return {
        name: matched.differ_or_returned for name, matched in _matched(compared).items()
    }


def of_same_nodes(pair: KernelPair, differ: Nodes | None) -> bool:
    """Whether both kernels are known to be made only of nodes that are the same on both sides."""
    if differ is None:
        return False
    made_of = [
        (operation.nodes, names)
        for side, names in zip(pair, differ, strict=True)
        if side is not None
        for group in side.groups
        for operation in group.operations
    ]
    return all(
        nodes is not None and names.isdisjoint(nodes) for nodes, names in made_of
    )


def _matched(compared: Sequence[Compared]) -> dict[str, Pairs]:
    found = {
        prefix(artifact) + name: matched
        for artifact in compared
        if artifact.stage == "post_grad_graph"
        for name, matched in artifact.graph_pairs.items()
    }
    alone = {
        prefix(artifact) + graph.name: (side, graph)
        for artifact in compared
        if artifact.stage == "post_grad_graph"
        for side, graphs in enumerate(artifact.documents or ())
        for graph in graphs
        if prefix(artifact) + graph.name not in found
    }
    for artifact in compared if alone else ():
        if artifact.stage in ("forward_graph", "backward_graph"):
            for name in artifact.graph_pairs:
                of_one = alone.get(prefix(artifact) + name)
                if of_one is not None:
                    # Nothing is left to compute of it on the other side, where no such graph reaches Inductor.
                    side, graph = of_one
                    nothing = PrintedGraph(graph.name, graph.inputs, ())
                    found[prefix(artifact) + name] = pairs(
                        *((nothing, graph) if side else (graph, nothing))
                    )
    return found


def _edits(sides: Sequence[SideSchedule], matched: Pairs) -> tuple[Change, ...]:
    near = touched(sides, matched)
    left = [side.without(names) for side, names in zip(sides, near, strict=True)]
    grouped = [each.change for each in grouped_otherwise(sides, matched, near)]
    if form.form(left[0]) == form.form(left[1]):
        return distinct(grouped)
    # As in a whole schedule, what is fused otherwise comes before what its operations read and compute.
    return distinct(
        [
            *grouped,
            *(
                edit.following(bool(grouped))
                for edit in edits(*left)
                if edit.code in _OF_OPERATIONS
                # What takes results out of others runs nothing.
                and not (
                    isinstance(edit, OperationsChanged) and edit.kinds == ["unpack"]
                )
                and holds_of_all(edit, *(side.operations.values() for side in sides))
            ),
        ]
    )


def touched(sides: Sequence[SideSchedule], matched: Pairs) -> list[set[str]]:
    """By side, the operations that have to do with nodes that differ."""
    counterparts = matched.values, {new: old for old, new in matched.values.items()}
    gone = [
        side.near(side.of(nodes))
        for side, nodes in zip(sides, matched.differ_or_returned, strict=True)
    ]
    for number, stored in enumerate(
        _alone(sides, matched, [side.stored for side in sides])
    ):
        otherwise = {name for name, each in stored.items() if each.used_by}
        gone[number] |= sides[number].accessing(otherwise)
    # What is left out of one side is left out of the other, too.
    before = None
    while before != gone:
        before = gone
        made = [side.results(names) for side, names in zip(sides, gone, strict=True)]
        gone = [
            gone[number]
            | sides[number].making(
                {counterparts[1 - number].get(node, "") for node in made[1 - number]}
            )
            for number in (0, 1)
        ]
    return gone
