"""Compares two trails: the first step of the pipeline that decided something different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_compile_golden.changes.change import Change, counts
from pytest_compile_golden.changes.decisions import (
    Decomposition,
    DecompositionsChanged,
    InputsChecked,
    LaunchOffered,
    LoweringChanged,
    NotUnpacked,
    ResultsStored,
    SizeChanged,
    StepReconnected,
    StepReordered,
)
from pytest_compile_golden.formats import inventory, stops
from pytest_compile_golden.formats.authors import Authorship
from pytest_compile_golden.formats.divergence import Divergence
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.ledger.compare import Run
from pytest_compile_golden.formats.ledger.printed import Nodes, PassRow
from pytest_compile_golden.formats.operators import short
from pytest_compile_golden.formats.stops import Stop
from pytest_compile_golden.formats.trail.printed import AUTHORS, BY, FEEDS, LISTS, REFUSALS, TrailStep, read, write

# One probe sees both (observe/probes/scheduler.py).
_SEEN_WITH = "scheduler_nodes"
_WRAPPER = "wrapper_code"
_PHASES = {name: phase for phase, name in LISTS.items()}


@dataclass(frozen=True)
class _Decisions:
    """What a list says about each operator, in the order of the list."""

    became: dict[str, dict[str, int]]
    """What it became, and how often."""
    where: dict[str, str]
    """Where its decomposition or lowering is defined."""


def carry_over(golden: str, text: str, unavailable: Collection[str], order: Sequence[str]) -> str:
    """`text` plus the steps of `golden` that this torch version cannot show, in the pipeline's `order`."""
    theirs = {
        step.name: step for step in read(golden) if (_SEEN_WITH if step.name == REFUSALS else step.name) in unavailable
    }
    steps = theirs | {step.name: step for step in read(text)}
    return write(steps[name] for name in order if name in steps)


def passes(text: str) -> list[Run]:
    """The passes that changed their graph, in the order in which they ran, each with a digest of what it left."""
    return [
        Run(PassRow(ran.graph, ran.phase, ran.name, Nodes(0, 0), ran.where), ran.digest)
        for step in _steps(text).values()
        for ran in step.left
    ]


# The same two trails of a case are asked for many times.
@lru_cache(maxsize=8)
def _steps(text: str) -> Mapping[str, TrailStep]:
    """The steps by name; empty if the text is not a trail."""
    try:
        return {step.name: step for step in read(text)}
    except Unreadable:
        return {}


def _decisions(step: TrailStep) -> _Decisions:
    decisions = _Decisions({}, {})
    for decision in step.decisions:
        decisions.became.setdefault(decision.operator, {})[decision.became] = decision.times
        if decision.where:
            decisions.where.setdefault(decision.operator, decision.where)
    return decisions


def divergences(golden_text: str, actual_text: str) -> list[Divergence]:
    """Each step that differs, in pipeline order; its phase is `aot`, `lowering`, `launch` or the name of the stage.

    Decisions are included only if the step that they feed differs: a decomposition or lowering with the same outcome
    decided nothing. Graphs that differ only in the order of nodes are included if the first other difference is in
    lowering, which then follows from that order.
    """
    old, new = _steps(golden_text), _steps(actual_text)
    divergent_steps: list[Divergence] = list(_stopped(old, new))
    reordered: list[Divergence] = []
    for name in dict.fromkeys([*old, *new]):
        if name in stops.STOPS or name in (AUTHORS, REFUSALS):
            continue
        one, other = old.get(name, TrailStep(name)), new.get(name, TrailStep(name))
        before, after = _decisions(one), _decisions(other)
        if before.became != after.became:
            if not _same(FEEDS.get(name, ""), old, new):
                divergent_steps.append(_decided(_PHASES.get(name, name), before, after, (old, new)))
        elif one.digest != other.digest:
            divergent_steps.append(Divergence(name, _differs(one, other), None))
        elif one.order != other.order:
            reordered.append(Divergence(name, StepReordered(name), None))
    return (
        [*reordered, *divergent_steps]
        if divergent_steps and divergent_steps[0].phase == "lowered_ir"
        else divergent_steps
    )


def _stopped(old: Mapping[str, TrailStep], new: Mapping[str, TrailStep]) -> Iterator[Divergence]:
    """Graph breaks and recompilations that one side lacks, each with its reason and the line of the program."""
    if not all(any(step.contents for step in side.values()) for side in (old, new)):
        return  # a trail from before they were kept
    for name in stops.STOPS:
        before, after = (side.get(name, TrailStep(name)).stops for side in (old, new))
        # If the graphs are the same, so are the stops, even if an older trail gives other lines for them.
        if _same("dynamo_graph", old, new) and _reasons(before) == _reasons(after):
            continue
        for change, stop in stops.differences(name, before, after):
            yield Divergence(name, change, None, stop.at)


def _reasons(stopped: Sequence[Stop]) -> Counter[str]:
    return Counter(stop.reason for stop in stopped)


def _differs(old: TrailStep, new: TrailStep) -> Change:
    """How two texts differ, judging by their inventories or, in an old trail, only by their sizes."""
    if old.digest and new.digest and old.contents and new.contents:
        found = inventory.difference(old.name, old.contents, new.contents)
        return found or StepReconnected(old.name, old.order != new.order)
    return SizeChanged(old.name, old.size, new.size)


def copies(golden_text: str, actual_text: str) -> InputsChecked | None:
    """That wrapper code copies more or fewer inputs, regardless of other changes; None if as many."""
    old, new = (_steps(text).get(_WRAPPER) for text in (golden_text, actual_text))
    known = old is not None and new is not None and old.contents and new.contents
    return inventory.copies(old.contents, new.contents) if known and old and new else None


def unchanged(golden_text: str, actual_text: str) -> frozenset[str]:
    """The steps whose digests are the same in both trails."""
    old, new = _steps(golden_text), _steps(actual_text)
    return frozenset(name for name in old if old[name].digest and _same(name, old, new))


def gained(step: str, golden_text: str, actual_text: str) -> bool:
    """Whether a step holds more of anything than before, as far as both trails show."""
    before, after = (
        Counter({item.name: item.times for item in _steps(text).get(step, TrailStep(step)).contents})
        for text in (golden_text, actual_text)
    )
    return bool(before and after - before)


def stopped(text: str) -> list[Stop]:
    """Where Dynamo stopped, and why."""
    return [stop for step in _steps(text).values() for stop in step.stops]


def wrote(text: str) -> tuple[Authorship, ...]:
    """Which functions wrote which lines of the kernels."""
    return _steps(text).get(AUTHORS, TrailStep(AUTHORS)).wrote


def refused(text: str) -> tuple[Authorship, ...]:
    """Who refused to fuse, and for which reasons."""
    return _steps(text).get(REFUSALS, TrailStep(REFUSALS)).wrote


def differ(step: str, golden_text: str, actual_text: str) -> bool:
    """Whether both trails have the step, with different digests."""
    old, new = _steps(golden_text), _steps(actual_text)
    return step in old and step in new and old[step].digest != new[step].digest


def _same(step: str, old: Mapping[str, TrailStep], new: Mapping[str, TrailStep]) -> bool:
    """Whether both sides have the step, with the same digest."""
    return step in old and step in new and old[step].digest == new[step].digest


def _decided(phase: str, old: _Decisions, new: _Decisions, sides: Sequence[Mapping[str, TrailStep]]) -> Divergence:
    """The first operator that became something different; those that are only met more or less often come last.

    sides: the steps of both trails.
    """
    names = dict.fromkeys([*old.became, *new.became])
    different = [name for name in names if old.became.get(name) != new.became.get(name)]
    different.sort(key=lambda name: _weight(phase, old.became.get(name, {}), new.became.get(name, {})))
    name, *others = different
    before, after = counts(old.became.get(name, {})), counts(new.became.get(name, {}))
    where = new.where.get(name) or old.where.get(name)
    if phase == "aot":
        called = [{item.name for step in side.values() for item in step.contents} for side in sides]
        changed = [_decomposition(each, old, new, called) for each in different]
        # Where it is defined in the older torch says nothing about the newer one.
        return Divergence(phase, DecompositionsChanged(changed[0], tuple(changed[1:])), new.where.get(name))
    if phase == "launch":
        kernel, by, heuristic = (where or "").partition(BY)
        written = (row.author for side in sides[::-1] for row in side.get(AUTHORS, TrailStep(AUTHORS)).wrote)
        place = next((author.where for author in written if by and author.function == heuristic), kernel or None)
        return Divergence(phase, LaunchOffered(name, before, after, heuristic, tuple(others)), place)
    change = LoweringChanged(name, before, after, tuple(map(short, others)))
    return Divergence(phase, stored(change) or change, where)


def stored(change: LoweringChanged) -> Change | None:
    """Results that are stored, or inlined where they are used; calls that need no unpacking. None for other changes."""
    before, after = Counter(dict(change.before)), Counter(dict(change.after))
    more = after["ComputedBuffer"] - before["ComputedBuffer"]
    others = {name for name in {*before, *after} if name not in ("ComputedBuffer", "Pointwise")}
    if more and not others:
        return ResultsStored(change.operator, abs(more), more > 0)
    return NotUnpacked() if before["MultiOutput"] and not after["MultiOutput"] else None


def _decomposition(name: str, old: _Decisions, new: _Decisions, called: Sequence[Collection[str]]) -> Decomposition:
    plain = name.removesuffix(".default")
    before, after = (counts(side.became.get(name, {})) for side in (old, new))
    there = [name in side.became or not known or plain in known for side, known in zip((old, new), called, strict=True)]
    return Decomposition(plain, before, after, (there[0], there[1]))


def _weight(phase: str, old: dict[str, int], new: dict[str, int]) -> tuple[int, int]:
    if not (old and new):
        return 1 if old else 2, 0
    if old.keys() == new.keys():
        return 3, 0
    # A decomposition includes what it calls: of two that changed, the one that makes less is inside the other.
    return 0, len(max(new, key=len)) if phase == "aot" else 0
