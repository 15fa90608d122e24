"""Compares two trails: the first step of the pipeline that decided something different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_compile_golden.formats import inventory, stops
from pytest_compile_golden.formats.authors import Authorship
from pytest_compile_golden.formats.divergence import Divergence
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.ledger.compare import Run
from pytest_compile_golden.formats.ledger.printed import Nodes, PassRow
from pytest_compile_golden.formats.stops import Stop
from pytest_compile_golden.formats.text import with_times
from pytest_compile_golden.formats.trail.printed import AUTHORS, BY, FEEDS, LISTS, REFUSALS, Step, read, write

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
def _steps(text: str) -> Mapping[str, Step]:
    """The steps by name; empty if the text is not a trail."""
    try:
        return {step.name: step for step in read(text)}
    except Unreadable:
        return {}


def _decisions(step: Step) -> _Decisions:
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
        one, other = old.get(name, Step(name)), new.get(name, Step(name))
        before, after = _decisions(one), _decisions(other)
        if before.became != after.became:
            if not _same(FEEDS.get(name, ""), old, new):
                known = {item.name for step in old.values() for item in step.contents}
                divergent_steps.append(
                    _with_heuristic(_decided(_PHASES.get(name, name), before, after, known), new, old)
                )
        elif one.digest != other.digest:
            words = _differs(one, other)
            divergent_steps.append(Divergence(name, f"{name}: {words}", _chosen_by(one, other, words)))
        elif one.order != other.order:
            reordered.append(Divergence(name, f"{name}: other order of nodes", None))
    return (
        [*reordered, *divergent_steps]
        if divergent_steps and divergent_steps[0].phase == "lowered_ir"
        else divergent_steps
    )


def _stopped(old: Mapping[str, Step], new: Mapping[str, Step]) -> Iterator[Divergence]:
    """Graph breaks and recompilations that one side lacks, each with its reason and the line of the program."""
    if not all(any(step.contents for step in side.values()) for side in (old, new)):
        return  # a trail from before they were kept
    for name in stops.STOPS:
        before, after = (side.get(name, Step(name)).stops for side in (old, new))
        # If the graphs are the same, so are the stops, even if an older trail gives other lines for them.
        if _same("dynamo_graph", old, new) and _reasons(before) == _reasons(after):
            continue
        for words, stop in stops.differences(name, before, after):
            yield Divergence(name, words, None, stop.at)


def _reasons(stopped: Sequence[Stop]) -> Counter[str]:
    return Counter(stop.reason for stop in stopped)


def _differs(old: Step, new: Step) -> str:
    """How two texts differ, judging by their inventories or, in an old trail, only by their sizes."""
    if not (old.digest and new.digest):
        return f"{old.size or 'none'} -> {new.size or 'none'}"
    if old.contents and new.contents:
        words = inventory.describe(old.contents, new.contents)
        if words:
            return words
        if old.order != new.order:
            return "the same in another order"
        return "the same operators and arguments, connected differently"
    return f"{old.size} -> {new.size}" if old.size != new.size else "same size, other contents"


def _chosen_by(old: Step, new: Step, words: str) -> str | None:
    return inventory.COPIED_BY if words == inventory.copies(old.contents, new.contents) else None


def copies(golden_text: str, actual_text: str) -> Divergence | None:
    """That wrapper code copies more or fewer inputs, regardless of other changes; None if as many."""
    old, new = (_steps(text).get(_WRAPPER) for text in (golden_text, actual_text))
    words = inventory.copies(old.contents, new.contents) if old and new and old.contents and new.contents else ""
    return Divergence(_WRAPPER, f"{_WRAPPER}: {words}", inventory.COPIED_BY) if words else None


def unchanged(golden_text: str, actual_text: str) -> frozenset[str]:
    """The steps whose digests are the same in both trails."""
    old, new = _steps(golden_text), _steps(actual_text)
    return frozenset(name for name in old if old[name].digest and _same(name, old, new))


def gained(step: str, golden_text: str, actual_text: str) -> bool:
    """Whether a step holds more of anything than before, as far as both trails show."""
    before, after = (
        Counter({item.name: item.times for item in _steps(text).get(step, Step(step)).contents})
        for text in (golden_text, actual_text)
    )
    return bool(before and after - before)


def stopped(text: str) -> list[Stop]:
    """Where Dynamo stopped, and why."""
    return [stop for step in _steps(text).values() for stop in step.stops]


def wrote(text: str) -> tuple[Authorship, ...]:
    """Which functions wrote which lines of the kernels."""
    return _steps(text).get(AUTHORS, Step(AUTHORS)).wrote


def refused(text: str) -> tuple[Authorship, ...]:
    """Who refused to fuse, and for which reasons."""
    return _steps(text).get(REFUSALS, Step(REFUSALS)).wrote


def differ(step: str, golden_text: str, actual_text: str) -> bool:
    """Whether both trails have the step, with different digests."""
    old, new = _steps(golden_text), _steps(actual_text)
    return step in old and step in new and old[step].digest != new[step].digest


def _same(step: str, old: Mapping[str, Step], new: Mapping[str, Step]) -> bool:
    """Whether both sides have the step, with the same digest."""
    return step in old and step in new and old[step].digest == new[step].digest


def _decided(phase: str, old: _Decisions, new: _Decisions, known: Collection[str]) -> Divergence:
    """The first operator that became something different; those that are only met more or less often come last.

    known: what the graphs of the old side call.
    """
    names = dict.fromkeys([*old.became, *new.became])
    different = [name for name in names if old.became.get(name) != new.became.get(name)]
    name = min(different, key=lambda name: _weight(phase, old.became.get(name, {}), new.became.get(name, {})))
    change = _change_of_step(phase, old.became.get(name, {}), new.became.get(name, {}))
    others = [other for other in different if other != name]
    also = f" (and {', '.join(others[:3])}{' ...' if len(others) > 3 else ''})" if others else ""
    if phase == "aot" and name not in old.became and known and name.removesuffix(".default") not in known:
        # Its caller is not known; that it is decomposed, and how, need not be new.
        return Divergence(
            phase, f"{phase} / {name}: is called now, and becomes {_became(new.became[name])}{also}", None
        )
    return Divergence(phase, f"{phase} / {name}: {change}{also}", new.where.get(name) or old.where.get(name))


def _with_heuristic(divergence: Divergence, *sides: Mapping[str, Step]) -> Divergence:
    """A launch, with the function that offers it in place of the kernel's name if the trail has it."""
    kernel, by, name = (divergence.where or "").partition(BY)
    if divergence.phase != "launch" or not by:
        return divergence
    known = (written.author for side in sides for written in side.get(AUTHORS, Step(AUTHORS)).wrote)
    where = next((author.where for author in known if author.function == name), kernel)
    subject, _, how = divergence.text.partition(": ")
    return Divergence(divergence.phase, f"{subject} / {name}: {how}", where)


def _change_of_step(phase: str, old: dict[str, int], new: dict[str, int]) -> str:
    if phase == "aot" and not (old and new):
        return "is no longer decomposed" if old else "is now decomposed"
    gone, come = ([became for became in one if became not in other] for one, other in ((old, new), (new, old)))
    if phase == "aot" and len(gone) == len(come) == 1:
        before, after = (Counter(_operators(became)) for became in (*gone, *come))
        signed = [
            (sign, item) for sign, counts in (("-", before - after), ("+", after - before)) for item in counts.items()
        ]
        return " ".join(sign + with_times(name, times) for sign, (name, times) in signed)
    return f"{_became(old)}, now {_became(new)}"


def _operators(operators: str) -> Iterator[str]:
    for operator in operators.split(", "):
        name, _, times = operator.partition(" x")
        yield from [name] * int(times or 1)


def _weight(phase: str, old: dict[str, int], new: dict[str, int]) -> tuple[int, int]:
    if not (old and new):
        return 1 if old else 2, 0
    if old.keys() == new.keys():
        return 3, 0
    # A decomposition includes what it calls: of two that changed, the one that makes less is inside the other.
    return 0, len(max(new, key=len)) if phase == "aot" else 0


def _became(decisions: dict[str, int]) -> str:
    return "; ".join(became if times == 1 else f"{became} [{times}]" for became, times in decisions.items()) or "none"
