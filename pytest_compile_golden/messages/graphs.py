"""Rows for FX graphs, and for passes."""

from __future__ import annotations

import re
from collections import Counter

from pytest_compile_golden.changes import graphs
from pytest_compile_golden.changes.change import Counts
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    CountedNewOrGone,
    Exchanged,
    Replaced,
)
from pytest_compile_golden.changes.graphs import (
    CONSTANT,
    INPUT,
    OperatorsChanged,
    PassChanged,
)
from pytest_compile_golden.common.quantity import listed, quantity
from pytest_compile_golden.formats.graphs.edits import checks_finite
from pytest_compile_golden.messages.message_table import (
    Said,
    counted,
    difference,
    in_place,
    is_or_are,
    more_or_fewer,
    say,
    summed,
)

# The calls without effect that torch/_inductor/fx_passes/joint_graph.py: constant_fold_uniform_value knows.
_IDENTITY = {
    "aten.add": "x + 0",
    "aten.sub": "x - 0",
    "aten.mul": "x * 1",
    "aten.div": "x / 1",
}
_REMOVES_IDENTITIES = "constant_fold_uniform_value"
_PARTITION = "partition"
_MOST = 10
_PUBLIC = re.compile(r"(?:operator|torch)\.[a-z]\w*")
"""A function that does the same as a method."""


def _type(change: graphs.TypeChanged) -> tuple[str, str]:
    subject = change.subject
    if subject in (INPUT, CONSTANT):
        subject = f"{_article(subject)} {subject}"
    else:
        subject = f"{'results' if change.also else 'the result'} of {listed((subject, *change.also), 4)}"
    return (
        f"different {change.part or 'type'} of {subject}",
        f"{change.before} -> {change.after}",
    )


def _argument(change: AttributeChanged) -> str:
    inside = f" in argument {change.name}" if change.name else ""
    if change.before and change.after:
        return f"{change.subject} is given {change.after} instead of {change.before}{inside}"
    return f"{change.subject} {'gains' if change.after else 'loses'} {change.after or change.before}{inside}"


def _operand(change: Replaced) -> str:
    subject = f"{change.subject} reads" if change.subject else "the graph returns"
    if change.before == change.after:
        return f"{subject} a different {change.after}"
    return f"{subject} {value_of(change.after)} instead of {value_of(change.before)}"


def value_of(maker: str) -> str:
    """`an input`, or `the result of aten.sin`."""
    return (
        f"{_article(maker)} {maker}"
        if maker in (INPUT, CONSTANT)
        else f"the result of {maker}"
    )


def _renamed(change: CountedNewOrGone) -> Said:
    if all(_PUBLIC.fullmatch(name) for name, _ in change.what):
        how = (
            "as a function instead of a method"
            if change.new
            else "as a method instead of a function"
        )
        return _done(change.what, f"{is_or_are(change.what)} called {how}", "functions")
    return _done(change.what, "moved within torch's sources", "functions")


def _done(what: Counts, how: str, names: str = "operators") -> Said:
    """`a is folded`; of several, what they are first, as reports show as much of a list as there is room for:
    `operators are folded: a + b`."""
    return (
        (f"{names} {how}", summed(what)) if len(what) > 1 else f"{summed(what)} {how}"
    )


def _article(noun: str) -> str:
    return "an" if noun == INPUT else "a"


def _operators_changed(change: OperatorsChanged) -> str | tuple[str, str]:
    if change.gone and change.come:
        return f"graph calls {in_place(change.gone, change.come)}"
    more, operators = bool(change.come), change.come or change.gone
    if change.checks:
        return (
            f"{more_or_fewer(more)} checks while the graph runs",
            summed(operators),
        )
    times = sum(times for _, times in operators)
    return f"graph has {difference(times, 'call', more)}", summed(operators)


def _of_attributes(change: OperatorsChanged) -> tuple[str, str] | None:
    """What programs have in common that read other attributes of tensors."""
    if not change.of_attributes:
        return None
    by_operators = change.gone_names == ["getattr"]
    return (
        f"attributes of tensors are {'' if by_operators else 'no longer '}read by operators",
        in_place(change.gone, change.come),
    )


def _folded(change: CountedNewOrGone) -> Said:
    how = (
        "folded into a constant"
        if change.new
        else "computed, no longer folded into a constant"
    )
    return _done(change.what, f"{is_or_are(change.what)} {how}")


say("attention-backend", "attention backend", "{before} -> {after}")
say("operators-changed", _operators_changed, several=_of_attributes)
say(
    "strictness-changed",
    lambda change: (
        f"comparisons {'no longer hold' if change.strict else 'hold now'} for equal values",
        f"{summed(change.gone)} -> {summed(change.come)}",
    ),
)
say(
    "graphs-changed",
    lambda change: (
        f"{quantity(change.after, 'graph')} instead of {change.before}",
        in_place(*(((), change.operators) if change.more else (change.operators, ()))),
    ),
)
say("constant-folded", _folded)
say(
    "zero-folded",
    lambda change: (
        "a product with 0 is 0 and not computed, also for infinity and NaN"
        if change.new
        else "a product with 0 is computed again, which is NaN and was 0 for infinity and NaN",
        # Elements of results have no name.
        f"of {summed(tuple((name, times) for name, times in change.what if name))}",
    ),
)
say(
    "done-in-place",
    lambda change: _done(
        change.what,
        f"{is_or_are(change.what)} {'done' if change.new else 'no longer done'} in place",
    ),
)
say(
    "calls-ordered",
    lambda change: _done(
        change.what,
        f"{is_or_are(change.what)} {'kept' if change.new else 'no longer kept'} in order with what is computed before "
        "and after (control_deps)",
    ),
)
say(
    "ordered-after",
    lambda change: (
        f"{change.subject} runs after {difference(abs(change.after - change.before), 'value', change.more)}"
    ),
)
say(
    "ordered-before",
    lambda change: (
        f"{change.subject} runs before {difference(abs(change.after - change.before), 'value', change.more)}"
        f" {'is' if abs(change.after - change.before) == 1 else 'are'} read"
    ),
)
say("operator-renamed", _renamed)
say("same-graph", "the same graph, written differently")
say(
    "finite-check-added",
    "softmax {new:checks|no longer checks} that its inputs are finite, and is computed another way where they are not",
)
say("type-changed", _type)
say("operand-changed", _operand)
say("inputs-reordered", "the same inputs in a different order")
say(
    "inputs-changed",
    lambda change: (
        f"inputs are {'added' if change.new else 'removed'}",
        ", ".join(counted(change.what)),
    ),
)
say("arguments-changed", _argument)


def _saved(change: Exchanged) -> str:
    gone, come = (
        _operators(
            tuple(
                ("an input" if (name, times) == (INPUT, 1) else name, times)
                for name, times in side
            )
        )
        for side in (change.gone, change.come)
    )
    if gone and come:
        return f"forward saves {come} for backward instead of {gone}"
    return (
        f"forward now saves {come} for backward"
        if come
        else f"forward no longer saves {gone} for backward"
    )


say("saved-instead", _saved)
say("saved-reordered", "forward saves the same values for backward in another order")


def _named(change: PassChanged) -> str:
    """`joint / remove_noop_ops`; for a change that no known pass made, when it happened: `joint / (after ...)`."""
    between = (
        f"(after {change.ran_after})" if change.ran_after else "(before its first pass)"
    )
    if change.listed and change.pattern:
        return f"{change.phase} / pattern {change.pattern}"
    return f"{change.phase} / {change.name or between}"


def _operators(operators: Counts, rest: str = "more") -> str:
    return listed(counted(operators), _MOST, rest)


def _removed(change: PassChanged) -> str:
    if change.name != _REMOVES_IDENTITIES:
        return _operators(change.removed)
    return ", ".join(
        f"{_IDENTITY[name]} ({name})" if name in _IDENTITY else name
        for name, _ in change.removed
    )


def _runs(change: PassChanged) -> str:
    if change.ran and change.runs:
        return ""
    if not change.name:
        return (
            "its nodes are left as they are" if change.ran else "its nodes are changed"
        )
    return "no longer runs" if change.ran else "now runs"


def _matches(change: PassChanged) -> str:
    pattern = (
        f"pattern {change.pattern}" if change.pattern and not change.listed else ""
    )
    if not change.matched:
        return pattern
    was, now = change.matched
    how = (
        f"matches {quantity(now, 'time')} instead of {was}"
        if was and now
        else "now matches"
    )
    return f"{pattern} {how if now else 'no longer matches'}".strip()


def _does(change: PassChanged) -> list[str]:
    made, removed, kept, unmade = (
        change.made,
        change.removed,
        change.kept,
        change.unmade,
    )
    if change.phase == _PARTITION:
        # Whether a value is computed in both graphs, or only no longer merged with its equal, the sums do not say.
        more, fewer = (
            tuple((Counter(dict(one)) + Counter(dict(other))).items())
            for one, other in ((made, kept), (unmade, removed))
        )
        if change.repeated:
            return [
                f"forward and backward have more nodes that repeat others, {_operators(made, 'others')}"
            ]
        return [
            f"forward and backward together have {how} nodes, {_operators(some, 'others')}"
            for some, how in ((more, "more"), (fewer, "fewer"))
            if some
        ]
    if made and made == kept and removed and removed == unmade:
        return [
            f"turns {_operators(removed)} into {_operators(made)}, and no longer the other way round"
        ]
    parts = []
    if checks_finite(name for name, _ in made):
        parts.append(f"adds a check that inputs are finite: {_operators(made)}")
    elif made and removed:
        parts.append(f"turns {_operators(removed)} into {_operators(made)}")
    elif made:
        parts.append(f"makes {_operators(made)}")
    elif removed:
        parts.append(f"removes {_removed(change)}")
    if kept:
        parts.append(f"keeps {_operators(kept)}")
    if unmade:
        parts.append(f"no longer makes {_operators(unmade)}")
    return parts


def _sentence(change: PassChanged) -> str:
    pattern, does = _matches(change), _does(change)
    if change.matched and not change.matched[1] and (change.made or change.removed):
        # Which a pattern that does not match does not do itself.
        does[0] = f"so that its pass {does[0]}"
    parts = list(
        filter(None, [_runs(change), pattern if change.matched else "", *does])
    )
    grown = change.grown
    if not parts:
        same = "same operators, in a different order or with different arguments"
        parts = [
            "leaves its graph larger"
            if grown > 0
            else "leaves its graph smaller"
            if grown < 0
            else same
        ]
    named = (
        _named(change)
        if change.matched or not pattern
        else f"{_named(change)} {pattern}"
    )
    # What forward hands to backward is a node of both: it is counted, and not listed.
    listed_grown = sum(times for _, times in (*change.made, *change.kept)) - sum(
        times for _, times in (*change.unmade, *change.removed)
    )
    if change.phase == _PARTITION and grown != listed_grown:
        grown = 0
    count = f" ({grown:+} node{'s' if abs(grown) != 1 else ''})" if grown else ""
    colon = "" if change.name and change.phase != _PARTITION else ":"
    return f"{named}{colon} {', '.join(parts)}{count}"


def named_and_did(change: PassChanged) -> tuple[str, str]:
    """The pass, or its pattern, and what it did before and does now."""
    named = _named(change)
    if not (change.ran and change.runs):
        if change.name:
            return named, _runs(change)
        operators = change.made or change.unmade or change.kept or change.removed
        effect = "changed" if operators or change.grown else "reordered"
        return (
            named,
            f"nodes are {'no longer ' if change.ran else ''}{effect} outside any known pass",
        )
    if change.matched:
        pattern = "" if change.listed else f" / pattern {change.pattern}"
        return (
            f"{named}{pattern}",
            f"matched {change.matched[0]} -> {change.matched[1]}",
        )
    if change.nodes[0] != change.nodes[1]:
        before, after = (
            "" if nodes is None else f"{nodes[0]} -> {nodes[1]} nodes"
            for nodes in change.nodes
        )
        if not before:
            return named, f"did nothing, now {after}"
        return (
            named,
            f"was {before}, {f'is now {after}' if after else 'now does nothing'}",
        )
    return named, ", ".join(_does(change)) or "same operators, with different arguments"


def _removes_arithmetic(change: PassChanged) -> tuple[str, str] | None:
    """What cases have in common in which a pass removes what has no effect, other operators in each."""
    if change.name != _REMOVES_IDENTITIES or not change.removes_only:
        return None
    return f"{_named(change)} removes arithmetic that has no effect", _removed(change)


say(
    "pass-changed",
    _sentence,
    step=lambda change: ": ".join(named_and_did(change)),
    several=_removes_arithmetic,
)
say(
    "nodes-found",
    "steps of the scheduler find more or fewer nodes, and treat them as before",
)
say("pass-renamed", "{subject} / {after}: runs in place of {before}")
