"""Compares two trails: the first step of the pipeline that decided something different.

A step is known by the digest of what it made. Decisions inside a step (what an operator was decomposed into, how it was
lowered) are listed one by one, but count only where the digest of the stage that they feed differs: torch decides much
that makes no difference in the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from pytest_compile_golden.changes import trail
from pytest_compile_golden.changes.change import (
    Change,
    Divergence,
    counts,
    sorted_counts,
)
from pytest_compile_golden.changes.common_types import (
    NewOrGone,
    NumberChanged,
    Replaced,
    Simple,
)
from pytest_compile_golden.changes.graphs import OperatorsChanged
from pytest_compile_golden.facts.trail import (
    Decomposed,
    Fact,
    Item,
    LaunchConfigs,
    Lowered,
    PassOutput,
    StageContents,
    StageDigest,
    Stopped,
)
from pytest_compile_golden.formats import evidence, graph_breaks, op_counts
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.graph_breaks import StopLine
from pytest_compile_golden.formats.graphs.effects import is_view
from pytest_compile_golden.formats.pass_log.compare import PassRun
from pytest_compile_golden.formats.pass_log.printed import NodeCounts, PassRow

PASSES, DECOMPOSITIONS, LOWERINGS, LAUNCHES = (
    "passes",
    "decompositions",
    "lowerings",
    "launches",
)
LISTS: Mapping[str, str] = {
    **dict(zip(graph_breaks.STOPS, graph_breaks.STOPS, strict=True)),
    "aot": DECOMPOSITIONS,
    "post_grad": PASSES,
    "lowering": LOWERINGS,
    "launch": LAUNCHES,
}
"""For a phase or stage of the pipeline, the list of what was decided there."""
_GIVEN_INPUTS = ("forward_graph", "backward_graph", "post_grad_graph")
_FEEDS: Mapping[str, str] = {
    **dict.fromkeys(graph_breaks.STOPS, "dynamo_graph"),
    DECOMPOSITIONS: "aot_graph",
    LOWERINGS: "lowered_ir",
}
"""For a list of decisions, the stage whose digest shows their outcome."""
_PHASES = {name: phase for phase, name in LISTS.items()}
_NAMES: Mapping[type, str] = {
    PassOutput: PASSES,
    Decomposed: DECOMPOSITIONS,
    Lowered: LOWERINGS,
    LaunchConfigs: LAUNCHES,
}
_BACKWARD = "backward_graph"
_WRAPPER = "wrapper_code"
_STORED, _INLINED = trail.STORED, trail.INLINED
_UNPACKED = "MultiOutput"
"""And for one that is taken out of the results of a call."""
_CALLED = trail.CALLED
_Became = dict[str, dict[str, int]]
"""What became of each operator, and how often."""


class Steps:
    """The facts of a trail, by step in pipeline order."""

    def __init__(self, facts: Collection[Fact]) -> None:
        self.held: dict[str, tuple[Item, ...]] = {
            fact.digest: fact.items for fact in facts if isinstance(fact, StageContents)
        }
        self.facts: dict[str, list[Fact]] = {}
        """Those of each stage, and of each list."""
        for fact in sorted(
            (fact for fact in facts if not isinstance(fact, StageContents)),
            key=lambda fact: fact.at,
        ):
            self.facts.setdefault(step_of(fact), []).append(fact)

    def made(self, name: str) -> StageDigest:
        """A stage as this step made it; without a digest if the trail does not have it."""
        fact = next(iter(self.facts.get(name, ())), None)
        return fact if isinstance(fact, StageDigest) else StageDigest(0, name, "", "")

    def items(self, name: str) -> tuple[Item, ...]:
        """What a stage holds; empty if the trail does not say."""
        return self.held.get(self.made(name).digest, ())

    @property
    def stops(self) -> dict[str, list[StopLine]]:
        """Where Dynamo stopped, and why, by stage."""
        return {
            name: [
                StopLine(fact.reason, fact.line)
                for fact in self.facts.get(name, ())
                if isinstance(fact, Stopped)
            ]
            for name in graph_breaks.STOPS
        }

    @property
    def significant(self) -> Hashable:
        """Each stage with its digest, and decisions unordered; sizes, locations and inventories are for the reader.

        Decompositions, lowerings and what stopped Dynamo explain the digest of the stage that they feed, and count only
        if that is missing.
        """
        made = [
            (fact.stage, fact.digest)
            for facts in self.facts.values()
            for fact in facts
            if isinstance(fact, StageDigest)
        ]
        there = dict(made)
        decided = [
            _counts(fact)
            for name, facts in self.facts.items()
            if _FEEDS.get(name) not in there
            for fact in facts
        ]
        return tuple(sorted(made)), tuple(sorted(filter(None, decided)))


def _counts(fact: Fact) -> tuple[str, ...]:
    """What counts of a decision; empty for a stage."""
    match fact:
        case PassOutput():
            return fact.graph, fact.phase, fact.name, fact.digest
        case LaunchConfigs():
            return fact.kernel, fact.configs
        case Stopped():
            return fact.stage, fact.reason, fact.line
        case Decomposed() | Lowered():
            return step_of(fact), fact.operator, fact.became, str(fact.times)
    return ()


def step_of(fact: Fact) -> str:
    """The stage or the list that a fact belongs to; empty for an inventory, which stages may share."""
    if isinstance(fact, (StageDigest, Stopped)):
        return fact.stage
    return _NAMES.get(type(fact), "")


def decided_nothing(name: str, old: Steps, new: Steps) -> bool:
    """Whether a list of decisions had the same outcome on both sides."""
    return _same(_FEEDS.get(name, ""), old, new)


def carry_over(
    golden: Collection[Fact], new: Collection[Fact], unavailable: Collection[str]
) -> list[Fact]:
    """The facts of a trail, and those of `golden` about steps that this torch version cannot show."""
    if not unavailable:
        return list(new)
    kept = [fact for fact in golden if step_of(fact) in unavailable]
    digests = {fact.digest for fact in kept if isinstance(fact, StageDigest)}
    held = [
        fact
        for fact in golden
        if isinstance(fact, StageContents) and fact.digest in digests
    ]
    others = [fact for fact in _placed(new, golden) if step_of(fact) not in unavailable]
    return [*others, *kept, *(fact for fact in held if fact not in others)]


def _placed(new: Collection[Fact], golden: Collection[Fact]) -> Iterator[Fact]:
    """The facts of a trail; those that `golden` has too have their position there, which missing steps would shift."""
    positions: dict[Fact, list[int]] = {}
    for fact in golden:
        if not isinstance(fact, StageContents):
            positions.setdefault(replace(fact, at=0), []).append(fact.at)
    for fact in new:
        there = (
            None
            if isinstance(fact, StageContents)
            else positions.get(replace(fact, at=0))
        )
        yield replace(fact, at=there.pop(0)) if there else fact


def with_steps(
    golden: Collection[Fact], new: Collection[Fact], stages: Collection[str]
) -> list[Fact]:
    """The facts of a trail, in which `stages` hold what they hold in `new`."""
    fitting = {
        fact.stage: fact
        for fact in new
        if isinstance(fact, StageDigest) and fact.stage in stages
    }
    return [
        _with_contents(fact, fitting.get(fact.stage, fact))
        if isinstance(fact, StageDigest)
        else fact
        for fact in golden
    ]


def _with_contents(golden: StageDigest, new: StageDigest) -> StageDigest:
    # Another torch version may take more steps before this one, or order its nodes otherwise: its text is as before.
    return golden if golden.digest == new.digest else new


def passes(steps: Steps) -> list[PassRun]:
    """The passes that changed their graph, in the order in which they ran, each with a digest of what it left."""
    return [
        PassRun(
            PassRow(ran.graph, ran.phase, ran.name, NodeCounts(0, 0), ran.where),
            ran.digest,
        )
        for ran in steps.facts.get(PASSES, ())
        if isinstance(ran, PassOutput)
    ]


# The same two trails of a case are asked for many times.
@lru_cache(maxsize=8)
def read(text: str) -> Steps:
    """The steps of a trail; none if the text is not one."""
    try:
        return Steps(evidence.parsed(text, Fact))
    except Unreadable:
        return Steps(())


def _became(steps: Steps, name: str) -> _Became:
    became: _Became = {}
    for fact in steps.facts.get(name, ()):
        if isinstance(fact, (Decomposed, Lowered)):
            became.setdefault(fact.operator, {})[fact.became] = fact.times
        elif isinstance(fact, LaunchConfigs):
            became.setdefault(fact.kernel, {})[fact.configs] = 1
    return became


def _where(steps: Steps, name: str, operator: str) -> str | None:
    """Where the decomposition, the lowering or the heuristic is defined."""
    facts = [
        fact
        for fact in steps.facts.get(name, ())
        if isinstance(fact, (Decomposed, Lowered))
    ]
    return next(
        (fact.where for fact in facts if fact.operator == operator and fact.where), None
    )


def divergences(old: Steps, new: Steps) -> list[Divergence]:
    """Each step that differs, in pipeline order; its phase is `aot`, `lowering`, `launch` or the name of the stage.

    Decisions are included only if the step that they feed differs: a decomposition or lowering with the same outcome
    decided nothing. Graphs that differ only in the order of nodes are included if the first other difference is in
    lowering, which then follows from that order.
    """
    divergent_steps: list[Divergence] = list(_stopped(old, new))
    reordered: list[Divergence] = []
    told = [*graph_breaks.STOPS, PASSES]
    aot_graph = _FEEDS[DECOMPOSITIONS]
    backward = [_BACKWARD in side.facts for side in (old, new)]
    if backward[0] != backward[1] and all(
        aot_graph in side.facts for side in (old, new)
    ):
        change = NewOrGone("backward-compiled", (), backward[1])
        divergent_steps.append(Divergence(_PHASES[DECOMPOSITIONS], change, None))
        told += [DECOMPOSITIONS, aot_graph]
    for name in dict.fromkeys([*old.facts, *new.facts]):
        if name in told:
            continue
        before, after = _became(old, name), _became(new, name)
        if name == DECOMPOSITIONS:
            for operator in _same_views(before, after, old, new):
                before.pop(operator, None)
                after.pop(operator, None)
        one, other = old.made(name), new.made(name)
        if before != after:
            if not decided_nothing(name, old, new):
                divergent_steps += _decided(name, before, after, old, new)
        elif one.digest != other.digest:
            divergent_steps.append(Divergence(name, _differs(name, old, new), None))
        elif one.order != other.order:
            reordered.append(Divergence(name, Simple("step-reordered", (name,)), None))
    return (
        [*reordered, *divergent_steps]
        if divergent_steps and divergent_steps[0].phase == "lowered_ir"
        else divergent_steps
    )


def _same_views(was: _Became, now: _Became, old: Steps, new: Steps) -> Iterator[str]:
    """The operators that are decomposed into nothing but views of which both graphs have as many.

    What calls a view decides which operator it is at first, such as `aten._unsafe_view`; the graph has the same one.
    """
    graphs = [
        {item.name: item.times for item in steps.items(_FEEDS[DECOMPOSITIONS])}
        for steps in (old, new)
    ]
    if not all(graphs):
        return
    for operator in was.keys() | now.keys():
        made = {
            _plain(f"aten.{counted.partition(' ')[0]}")
            for kinds in (was.get(operator, {}), now.get(operator, {}))
            for kind in kinds
            for counted in kind.split(", ")
        }
        if all(
            is_view(name) and graphs[0].get(name) == graphs[1].get(name)
            for name in made
        ):
            yield operator


def _stopped(old: Steps, new: Steps) -> Iterator[Divergence]:
    """Graph breaks and recompilations that one side lacks, each with its reason and the line of the program."""
    if not (old.facts and new.facts):
        return
    for name in graph_breaks.STOPS:
        before, after = old.stops[name], new.stops[name]
        # If the graphs are the same, so are the stops, even if an older trail gives other lines for them.
        if _same("dynamo_graph", old, new) and _reasons(before) == _reasons(after):
            continue
        for change, stop in graph_breaks.differences(name, before, after):
            yield Divergence(name, change, None, stop.at)


def _reasons(stopped: Sequence[StopLine]) -> Counter[str]:
    return Counter(stop.reason for stop in stopped)


def _differs(name: str, old: Steps, new: Steps) -> Change:
    """How two stages differ, judging by their inventories or, without these, only by their sizes."""
    one, other = old.made(name), new.made(name)
    before, after = old.items(name), new.items(name)
    if one.digest and other.digest and before and after:
        return op_counts.difference(name, before, after) or Simple(
            "step-reconnected", (name,)
        )
    return trail.SizeChanged(name, one.size, other.size)


def checks(
    old: Steps, new: Steps
) -> Iterator[tuple[NewOrGone | Replaced | NumberChanged, bool]]:
    """The kinds of checks that wrapper code has on one side alone, and that it copies more or fewer inputs, regardless
    of other changes; each with whether it calls the same, and for copies is given as many inputs, so that nothing of
    that can be why.
    """
    before, after = old.items(_WRAPPER), new.items(_WRAPPER)
    if not (before and after):
        return
    same = op_counts.same_calls(before, after)
    for check in op_counts.checks(before, after):
        yield check, same
    copied = op_counts.copies(before, after)
    if copied is not None:
        given = [[_inputs(side, step) for step in _GIVEN_INPUTS] for side in (old, new)]
        yield copied, same and given[0] == given[1]


def _inputs(steps: Steps, name: str) -> int:
    return sum(item.times for item in steps.items(name) if item.name == op_counts.INPUT)


def unpacked_no_longer(old: Steps, new: Steps) -> bool:
    """Whether an operator that both sides lower gives its only result directly now, regardless of other changes."""
    before, after = (_became(side, LOWERINGS) for side in (old, new))
    return any(
        _UNPACKED in kinds and name in after and _UNPACKED not in after[name]
        for name, kinds in before.items()
    )


def called_or_computed(old: Steps, new: Steps) -> Iterator[trail.BecameOther]:
    """Operators with as many results as before, of which a library computes more or fewer, and loops the others."""
    became, now = (_became(side, LOWERINGS) for side in (old, new))
    for name in became.keys() & now.keys():
        before, after = became[name], now[name]
        in_loops, called = (
            [sum(side.get(kind, 0) for kind in kinds) for side in (before, after)]
            for kinds in ((_STORED, _INLINED), _CALLED)
        )
        if called[0] - called[1] == in_loops[1] - in_loops[0] != 0:
            yield trail.BecameOther(
                "lowered-differently",
                name,
                counts(before),
                counts(after),
                defined=_where(new, LOWERINGS, name),
            )


def unchanged(old: Steps, new: Steps) -> frozenset[str]:
    """The steps whose digests are the same in both trails."""
    return frozenset(name for name in old.facts if _same(name, old, new))


def gained(step: str, old: Steps, new: Steps) -> bool:
    """Whether a step holds more of anything than before, as far as both trails show."""
    before, after = (
        Counter({item.name: item.times for item in side.items(step)})
        for side in (old, new)
    )
    return bool(before and after - before)


def differ(step: str, old: Steps, new: Steps) -> bool:
    """Whether both trails have the step, with different digests."""
    digests = [side.made(step).digest for side in (old, new)]
    return all(digests) and digests[0] != digests[1]


def same_operators(step: str, old: Steps, new: Steps) -> bool:
    """Whether both trails show that the step has the same operators in the same order."""
    orders = [side.made(step).order for side in (old, new)]
    return orders[0] == orders[1] != ""


def _same(step: str, old: Steps, new: Steps) -> bool:
    """Whether both sides have the step, with the same digest."""
    return old.made(step).digest == new.made(step).digest != ""


def _decided(
    step: str, was: _Became, now: _Became, old: Steps, new: Steps
) -> list[Divergence]:
    """The first operator that became something different; those that are only met more or less often come last. Of
    decompositions, each that is another change."""
    # Most of these follow from one of them, or from another number of nodes before this step. An operator that became
    # something else says most, then one that is gone or new, and last one that is met more or less often.
    different = [
        name for name in dict.fromkeys([*was, *now]) if was.get(name) != now.get(name)
    ]
    phase = _PHASES[step]
    different.sort(
        # What a view is of follows from what computes it.
        key=lambda name: (
            *_weight(phase, was.get(name, {}), now.get(name, {})),
            is_view(name),
        )
    )
    name, *others = different
    before, after = counts(was.get(name, {})), counts(now.get(name, {}))
    if step == DECOMPOSITIONS:
        return [
            Divergence(phase, *found)
            for found in _decomposed(different, was, now, old, new)
        ]
    if step == LAUNCHES:
        offers = (
            fact
            for steps in (new, old)
            for fact in steps.facts.get(step, ())
            if isinstance(fact, LaunchConfigs)
        )
        offered = next(fact for fact in offers if fact.kernel == name)
        also, by = tuple(others), offered.heuristic or ""
        change = trail.BecameOther("launch-offered", name, before, after, also, by)
        return [Divergence(phase, change, offered.where)]
    if _UNPACKED in was.get(name, {}) and _UNPACKED not in now.get(name, {}):
        unpacked = trail.not_unpacked()
        return [Divergence(phase, unpacked, unpacked.where)]
    # Whether a result is stored is decided for the node that a lowering made, not by the lowering.
    if kept := _stored(different, was, now):
        return [Divergence(phase, kept, None)]
    # A lowering is given other nodes more often than it is another one.
    also, defined = tuple(map(short, others)), _where(new, step, name)
    change = trail.BecameOther(
        "lowered-differently", name, before, after, also, defined=defined
    )
    return [Divergence(phase, change, None)]


def _stored(
    different: Sequence[str], was: _Became, now: _Became
) -> trail.ResultsStored | None:
    """The operator with most results that are stored, or inlined where they are used, if nothing else differs.

    A view of what is stored is another kind of view.
    """
    stored: list[trail.ResultsStored] = []
    for name in different:
        before, after = (Counter(side.get(name, {})) for side in (was, now))
        if _stored_or_not(before) != _stored_or_not(after):
            return None
        if more := after[_STORED] - before[_STORED]:
            stored.append(trail.ResultsStored((name,), abs(more), more > 0))
    if not stored:
        return None
    most = max(stored, key=lambda each: each.times)
    contrary = tuple(
        name
        for each in stored
        if each.stored is not most.stored
        for name in each.operators
    )
    return replace(most, contrary=contrary)


def _stored_or_not(became: Mapping[str, int]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for kind, times in became.items():
        counted[
            "View" if kind.endswith("View") else _STORED if kind == _INLINED else kind
        ] += times
    return counted


def _decomposed(
    different: Sequence[str], was: _Became, now: _Became, old: Steps, new: Steps
) -> Iterator[tuple[Change, str | None]]:
    """The operators that are decomposed otherwise, those together that have the same exchanged in them; if there are
    none, those that are decomposed more or less often.

    An operator that only one side decomposes is among the former if the other side has it in its graph; else it is not
    called there.
    """
    graphs = [
        {item.name for item in steps.items(_FEEDS[DECOMPOSITIONS])}
        for steps in (old, new)
    ]
    changed: list[trail.Decomposition] = []
    for name in different:
        if name in was and name in now:
            # One that is only called more or less often may be called by another that is decomposed otherwise.
            old_calls, new_calls = Counter(was[name]), Counter(now[name])
            otherwise = was[name].keys() != now[name].keys() and not (
                old_calls <= new_calls or new_calls <= old_calls
            )
            # Or some of its calls were left, or are now, in the graph as they are.
            more = new_calls.total() > old_calls.total()
            otherwise |= _plain(name) in graphs[not more] - graphs[more]
        else:
            otherwise = _plain(name) in graphs[name in was]
        if otherwise:
            became = counts(was.get(name, {})), counts(now.get(name, {}))
            changed.append(trail.Decomposition(_plain(name), *became))
    # What is only asked of other sizes is told if nothing is computed otherwise.
    if any(any(each.computes_otherwise) for each in changed):
        changed = [
            each
            for each in changed
            if any(each.computes_otherwise) or not (each.before and each.after)
        ]
    if changed:
        for main, *also in _decomposed_alike(changed):
            # Where it is defined in the older torch version says nothing about the newer one.
            name = next(name for name in different if _plain(name) == main.operator)
            yield (
                trail.DecompositionsChanged(main, tuple(also)),
                _where(new, DECOMPOSITIONS, name),
            )
        return
    before = _called(different, was, graphs[0] - graphs[1])
    after = _called(different, now, graphs[1] - graphs[0])
    gone, come = (sorted_counts(side) for side in (before - after, after - before))
    if gone or come:
        yield OperatorsChanged("operators-traced", gone, come), None


def _decomposed_alike(
    changed: Sequence[trail.Decomposition],
) -> list[list[trail.Decomposition]]:
    """Those together in which the same is exchanged, with one that only one side decomposes in the first list."""
    alike: list[list[trail.Decomposition]] = []
    for each in changed:
        other = next(
            (
                several
                for several in alike
                if not (each.before and each.after)
                or not (several[0].before and several[0].after)
                or several[0].computes_otherwise == each.computes_otherwise
            ),
            None,
        )
        if other is None:
            alike.append([each])
        else:
            other.append(each)
    return alike


def _called(different: Sequence[str], became: _Became, only: set[str]) -> Counter[str]:
    """How often operators were traced: those of `different`, and those that only this side's graph has as they were."""
    # What other operators are decomposed into was not traced.
    made = {
        _plain(f"aten.{operator.partition(' ')[0]}")
        for kinds in became.values()
        for kind in kinds
        for operator in kind.split(", ")
    }
    traced = Counter(
        {_plain(name): sum(became.get(name, {}).values()) for name in different}
    )
    traced.update(
        name for name in only - made if name.startswith("aten.") and not is_view(name)
    )
    return traced


def _plain(operator: str) -> str:
    return operator.removesuffix(".default")


def _weight(phase: str, old: dict[str, int], new: dict[str, int]) -> tuple[int, int]:
    if not (old and new):
        return 1 if old else 2, 0
    if old.keys() == new.keys():
        return 3, 0
    # A decomposition includes what it calls: of two that changed, the one that makes less is inside the other.
    return 0, len(max(new, key=len)) if phase == "aot" else 0
