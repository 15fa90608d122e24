"""Rows for what becomes of operators on their way to kernels, and for whole stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pytest_compile_golden.changes import trail
from pytest_compile_golden.changes.change import Counts
from pytest_compile_golden.changes.graphs import OperatorsChanged
from pytest_compile_golden.common.quantity import listed, plural, quantity
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.graphs.effects import is_view
from pytest_compile_golden.formats.op_counts import ALLOCATION, CAST, INPUT, THINGS
from pytest_compile_golden.messages.graphs import value_of
from pytest_compile_golden.messages.message_table import (
    Said,
    counted,
    difference,
    in_place,
    more_or_fewer,
    say,
    summed,
)

_MOST_ALSO = 3
_MOST_COUNTED = 4


def _became(counts: Counts) -> str:
    return (
        "; ".join(
            became if times == 1 else f"{became} [{times}]" for became, times in counts
        )
        or "none"
    )


def _shortly(operators: Counts) -> str:
    names: Counter[str] = Counter()
    for name, times in operators:
        names[short(f"aten.{name}").removeprefix("aten.")] += times
    return ", ".join(counted(tuple(names.items())))


def _decomposed(change: trail.Decomposition, name: str) -> str:
    before, after = change.before, change.after
    if not (before and after):
        return f"{name} is {'decomposed now' if after else 'no longer decomposed'}"
    if change.instead is not None:
        gone, come = map(_shortly, change.instead)
        if gone and come:
            return f"{name} is decomposed into {come} instead of {gone}"
        how = (
            f"decomposed into {come} as well"
            if come
            else f"no longer decomposed into {gone}, too"
        )
        return f"{name} is {how}"
    fewer, more = change.more_often
    times = (more or fewer).total()
    calls = difference(times, "call", bool(more))
    return f"{calls} of {name} {'is' if times == 1 else 'are'} decomposed"


def _decompositions(change: trail.DecompositionsChanged) -> str:
    every = [change.main, *change.also]
    names = {each.operator: short(each.operator) for each in every}
    # Overloads of one operator keep their own names.
    names = {
        full: name if list(names.values()).count(name) == 1 else full
        for full, name in names.items()
    }
    also = [_also(each, names[each.operator]) for each in change.also[:_MOST_ALSO]]
    more = (
        f" and {quantity(len(change.also) - _MOST_ALSO, 'other')}"
        if len(change.also) > _MOST_ALSO
        else ""
    )
    drawn = (
        "random numbers come from another function: "
        if change.topic == "random"
        else ""
    )
    return f"{drawn}{_decomposed(change.main, names[change.main.operator])}" + (
        f" ({'; '.join(also)}{more})" if also else ""
    )


def _also(change: trail.Decomposition, name: str) -> str:
    if change.before and change.after:
        return f"{name} too"
    return _decomposed(change, name)


def _traced(change: OperatorsChanged) -> str:
    if change.gone and change.come:
        return (
            f"AOTAutograd traces {summed(change.come)} instead of {summed(change.gone)}"
        )
    return f"AOTAutograd traces {summed(change.come or change.gone)} {'more' if change.come else 'less'} often"


def _and(others: tuple[str, ...]) -> str:
    return (
        f" (and {', '.join(others[:_MOST_ALSO])}{' ...' if len(others) > _MOST_ALSO else ''})"
        if others
        else ""
    )


_KEPT = {
    trail.STORED: "a result that is stored",
    trail.INLINED: "a result that may be inlined",
}


def _kept(kind: str) -> str:
    """What a view is lowered to, of Inductor's nodes; empty for any other node."""
    if kind == trail.BY_STRIDES:
        return "a view by other strides"
    return "a view by another index" if kind.endswith("View") else _KEPT.get(kind, "")


def _lowered(change: trail.BecameOther) -> Said:
    """What became of the calls of an operator that Inductor has other nodes for."""
    before, after = Counter(dict(change.before)), Counter(dict(change.after))
    gone, come = before - after, after - before
    number, every = gone.total(), before.total()
    of = f" ({number} of {every})" if number < every else ""
    name = short(change.subject)
    if number == come.total():
        kinds = [
            "called"
            if side and side.keys() <= trail.CALLED
            else ", ".join(sorted(side))
            for side in (gone, come)
        ]
        # Of several results, the kinds of which only one side has any say what became of them.
        was, now = (
            {kind for each in side for kind in each.split(", ")}
            for side in (gone, come)
        )
        if was | now == {trail.STORED, trail.INLINED} and was != now:
            less = trail.STORED in was - now or trail.INLINED in now - was
            kinds = [trail.STORED, trail.INLINED][:: 1 if less else -1]
        match kinds:
            case ["called", trail.STORED | trail.INLINED]:
                return (
                    f"{name} is computed by a kernel instead of called in a library{of}"
                )
            case [trail.STORED | trail.INLINED, "called"]:
                return (
                    f"{name} is called in a library instead of computed by a kernel{of}"
                )
            # Whether it is stored is decided later.
            case [trail.INLINED, trail.STORED]:
                return f"{name} is lowered to a result that is stored instead of one that may be inlined{of}"
            case [trail.STORED, trail.INLINED]:
                return f"{name} is lowered to a result that may be inlined instead of one that is stored{of}"
        was_kept, is_kept = map(_kept, kinds)
        if trail.BY_STRIDES in kinds and was_kept and is_kept:
            return f"{name} is lowered to {is_kept} instead of {was_kept}{of}"
    return f"lowering / {change.subject}", f"{_nodes(change)}{_and(change.also)}"


def _nodes(change: trail.BecameOther) -> str:
    """`ComputedBuffer instead of ExternKernelOut (1 of 3)`: Inductor's nodes for the calls that have others."""
    before, after = Counter(dict(change.before)), Counter(dict(change.after))
    gone, come = before - after, after - before
    if not (gone and come):
        number = abs(after.total() - before.total())
        how = "more" if come else "fewer"
        return f"{number} {how}, {_became(tuple((come or gone).items()))}"
    number, every = max(gone.total(), come.total()), before.total()
    of = f" ({number} of {every})" if number < every else ""
    return (
        f"{_became(tuple(come.items()))} instead of {_became(tuple(gone.items()))}{of}"
    )


_IN_BODIES = {
    CAST: "cast",
    "ops.constant": "constant",
    "ops.index_expr": "index expression",
}
"""What loop bodies have that no function computes."""
_STORED = ("stored instead of inlined", "inlined instead of stored")
_WITHIN_KERNELS = (
    "computed by operations of their own in a fused kernel instead of inlined",
    "inlined instead of computed by operations of their own in a fused kernel",
)


def _how_stored(change: trail.ResultsStored) -> tuple[str, str]:
    """What became of the results, and of those that are the other way round."""
    how = _WITHIN_KERNELS if change.within_kernels else _STORED
    return how if change.stored else how[::-1]


def _stored(change: trail.ResultsStored) -> str:
    how = _how_stored(change)
    of, contrary = (_operators(side) for side in (change.operators, change.contrary))
    if {*map(short, change.contrary)} <= {*map(short, change.operators)}:
        contrary = "others" if contrary else ""
    return f"results of {of} are {how[0]}" + (
        f", of {contrary} {how[1]}" if contrary else ""
    )


def _operators(names: tuple[str, ...]) -> str:
    return summed(tuple((name, 1) for name in dict.fromkeys(map(short, names))), 3)


def _contents(change: trail.ContentsChanged) -> Iterator[str]:
    counted = change.counted
    more = sum(times for _, times in change.come)
    more -= sum(times for _, times in change.gone)
    if any((before - after) * more > 0 for _, before, after in counted):
        # The new ones also replace some of those that are left, or these what is gone: each is counted by itself.
        gone = ((name, times, 0) for name, times in change.gone)
        come = ((name, 0, times) for name, times in change.come)
        counted = (*gone, *come, *counted)
    elif change.gone or change.come:
        yield in_place(change.gone, change.come)
    for name, before, after in counted:
        if name == CAST:
            yield f"loop bodies have {difference(abs(after - before), 'cast', after > before)}"
        elif name in THINGS:
            yield difference(
                abs(after - before), name.replace("_", " "), after > before
            )
        elif not after:
            yield f"no {name} any more ({before} before)"
        else:
            yield f"{name} {before} -> {after}"


def _of_ir(change: trail.ContentsChanged) -> Said:
    """What Inductor's IR has more and less of: nodes, and what their loop bodies call."""
    nodes, bodies = (
        listed(list(_more_and_less(change, in_bodies)), _MOST_COUNTED)
        for in_bodies in (False, True)
    )
    called = f"loop bodies have {bodies}"
    if nodes and bodies:
        return f"Inductor's IR has {nodes}", called
    return f"Inductor's IR has {nodes}" if nodes else called


def _more_and_less(change: trail.ContentsChanged, in_bodies: bool) -> Iterator[str]:
    """What there is more and less of, in loop bodies or else of nodes, first what is new or gone."""
    gone, come = (
        tuple(each for each in side if each[0].startswith("ops.") is in_bodies)
        for side in (change.gone, change.come)
    )
    counted = [
        each
        for each in sorted(change.counted, key=lambda each: bool(each[1] and each[2]))
        if each[0].startswith("ops.") is in_bodies
    ]
    if gone and come:
        yield in_place(gone, come)
    else:
        counted = [
            *((name, times, 0) for name, times in gone),
            *((name, 0, times) for name, times in come),
            *counted,
        ]
    for name, before, after in counted:
        number, more = abs(after - before), after > before
        if name in _IN_BODIES:
            yield difference(number, _IN_BODIES[name], more)
        elif in_bodies:
            yield f"{number} {more_or_fewer(more)} {name}"
        else:
            yield difference(number, f"{name} node", more)


def _exchanged(change: trail.ContentsChanged) -> list[Counts]:
    """What there is less of, and what there is more of, besides what connects graphs."""
    return [
        tuple((name, times) for name, times in side if name not in trail.STRUCTURE)
        for side in change.exchanged
    ]


def _different(change: trail.ContentsChanged) -> Said:
    """What a step holds otherwise, or more or less of."""
    names = change.things
    if change.step == "lowered_ir":
        return _of_ir(change)
    parts = list(_contents(change))
    differ = listed(parts, _MOST_COUNTED)
    fewer, more = _exchanged(change)
    calls = change.step.endswith("_graph") and fewer and more
    if calls:
        differ = in_place(fewer, more)
    elif change.step == "aot_graph" and {*names} == {
        name for name, _ in fewer + more
    } - {CAST, *THINGS}:
        times = sum(times for _, times in fewer or more)
        return (
            f"AOTAutograd traces {difference(times, 'call', bool(more))}",
            summed(fewer or more),
        )
    if change.step == "aot_graph" and all(map(is_view, names)):
        of = " and ".join(map(value_of, change.viewed))
        how = f"{differ}, of {of}" if of else differ
        return "AOTAutograd traces views differently", how
    if names == [CAST]:
        return differ
    return f"{change.step} calls {differ}" if calls else f"{change.step}: {differ}"


def _inventory(change: trail.ContentsChanged) -> Said:
    if not change.arguments:
        return _different(change)
    first, *others = change.arguments
    if first == INPUT:
        return f"{change.step}: the same operators, with inputs of different types"
    if first == ALLOCATION:
        return f"{change.step}: the same calls, with allocations of different sizes or types"
    thing = plural(first.replace("_", " ")) if first in THINGS else first
    more = f", the first of {len(change.arguments)}" if others else ""
    return f"{change.step}: the same calls, with different arguments or types at {thing}{more}"


def _size(change: trail.SizeChanged) -> str:
    if change.before == change.after:
        return f"{change.step}: same size, different contents"
    return f"{change.step}: {change.before or 'none'} -> {change.after or 'none'}"


def _stage(change: trail.StageChanged) -> str:
    if change.numbers:
        return f"{change.stage}: {', '.join(f'{name} {old} -> {new}' for name, old, new in change.numbers)}"
    # `post_grad_graph (graph)` would say it twice.
    return (
        f"{change.stage} ({change.about})"
        if change.about not in change.stage
        else change.stage
    )


say(
    "decomposed-differently",
    _decompositions,
    step=lambda change: f"aot / {_decompositions(change)}",
)
say("operators-traced", _traced)
say(
    "backward-compiled",
    "{new:a backward graph is compiled, too: results require gradients that did not"
    "|no backward graph is compiled any more: results no longer require gradients}",
)
say("lowered-differently", _lowered)
say(
    "results-stored",
    _stored,
    step=lambda change: f"lowering: {_stored(change)}",
    several=lambda change: (
        f"results are {_how_stored(change)[0]}",
        f"of {_operators(change.operators)}",
    ),
)
say(
    "not-unpacked",
    "operators with one output no longer need a MultiOutput node: FallbackKernel has the output itself",
)
say(
    "launch-offered",
    lambda change: (
        f"launch / {change.subject}" + (f" / {change.by}" if change.by else ""),
        f"was {_became(change.before)}, is now {_became(change.after)}{_and(change.also)}",
    ),
)
say("contents-changed", _inventory)
say("size-changed", _size)
say("step-reordered", "{what}: different order of nodes")
say(
    "step-reconnected",
    "{what}: the same operators and arguments, put together differently",
)
say(
    "inputs-checked",
    "wrapper_code: {more:more|fewer} inputs are checked for alignment",
    "{before} -> {after}",
)
say("wrapper-checks", "wrapper_code {new:now|no longer} checks with {what}")
say(
    "checks-exchanged",
    "wrapper_code checks the same tensors by another function",
    "{before} -> {after}",
)
say(
    "checks-joined",
    "wrapper_code makes the same checks in other calls",
    "{before} -> {after}",
)


def _gone(change: trail.StageGone) -> str:
    if change.stage == "decisions":
        return "the test no longer compiles anything"
    return f"gone: the compile has no {change.stage}" + (
        f", nor {', '.join(change.also)}" if change.also else ""
    )


def _gone_first(change: trail.StageGone) -> str:
    return (
        _gone(change)
        if change.stage == "decisions"
        else f"{change.stage} (gone: this compile has none)"
    )


say("stage-gone", _gone, step=_gone_first)
say("compile-gone", "no longer compiled: {what}")
say("compile-added", "compiled now: {what}")
say("compile-renamed", "the compile that began in {before} begins in {after}")
say("stage-changed", _stage)
say("program-changed", "your {what} changed", "{difference}")
