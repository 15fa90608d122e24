"""Rows for operations and groups."""

from __future__ import annotations

from pytest_compile_golden.changes import schedules
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    CountedNewOrGone,
    Replaced,
)
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.common.surplus import surplus
from pytest_compile_golden.messages.message_table import (
    and_more,
    arrow,
    counted,
    more_or_fewer,
    say,
)

_LONGEST = 120
"""Characters of two indices that are shown as a whole."""
_MOST_OPERATORS = 4


def _template(change: AttributeChanged) -> str:
    if change.after is None:
        return f"template loses {change.name}={change.before}"
    if change.before is None:
        return f"template gains {change.name}={change.after}"
    return f"template has {change.name}={change.after} instead of {change.before}"


def _fused(change: schedules.GroupsChanged) -> str:
    one = (
        "is one kernel now"
        if change.after == 1
        else f"{change.before - change.after} fewer as kernels of their own"
    )
    return f"{' + '.join(change.groups)} {one} ({change.before} -> {change.after})"


def _fusion_lost(change: schedules.GroupsChanged) -> str:
    if change.before == 1:
        whole = " + ".join(change.whole)
        return f"{whole}: {change.after} kernels instead of 1 ({' + '.join(change.groups)})"
    return f"{quantity(change.after - change.before, 'kernel')} more, among {' + '.join(change.groups)}"


def _regrouped(change: schedules.GroupsChanged) -> str:
    whole, groups = " + ".join(change.whole), " + ".join(change.groups)
    # Long groups are abbreviated, and may then read the same.
    sides = f"{whole} -> {groups}" if whole != groups else groups
    return f"fused otherwise, in as many kernels: {sides}"


def _operations(change: schedules.OperationsChanged) -> tuple[str, str]:
    kinds = " -> ".join(
        filter(None, (", ".join(counted(side)) for side in (change.gone, change.come)))
    )
    more = ", …" if len(change.of) > _MOST_OPERATORS else ""
    of = f" of {', '.join(change.of[:_MOST_OPERATORS])}{more}" if change.of else ""
    return (
        f"{quantity(change.times, 'operation')} {more_or_fewer(change.more)}",
        f"{kinds or 'operations'}{of}",
    )


def _kinds(change: schedules.KindsChanged) -> str:
    return " -> ".join(", ".join(counted(side)) for side in (change.gone, change.come))


def _copied(change: CountedNewOrGone) -> str:
    how = "copied for it" if change.new else "no longer copied for it"
    # An input may be copied more than once.
    return ", ".join(
        f"1 input of {name} is {how}"
        if times == 1
        else f"inputs of {name} are {how}, {times} copies"
        for name, times in change.what
    )


def _reads(change: schedules.ReadsChanged) -> str | tuple[str, str]:
    title = f"{change.operation} operation reads {quantity(change.times, 'value')} {more_or_fewer(change.more)}"
    operators = arrow(change.gone, change.come, _MOST_OPERATORS)
    return (title, operators) if change.gone or change.come else title


def _moved(change: schedules.OperationsMoved) -> str:
    if not change.operations:
        return "operations run in a different order"
    first, *others = change.operations
    named = first + and_more(len(others), "operation")
    if change.swapped:
        return f"different order, first of {first} and {change.beside}"
    if change.earlier:
        return f"{named} runs earlier, ahead of {change.beside}"
    return f"{named} runs later, behind {change.beside}"


def _terms(index: str) -> list[str]:
    """The terms of a sum, of which those in brackets are no sum of their own."""
    terms, depth, start = list[str](), 0, 0
    for at, sign in enumerate(index):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if not depth and index.startswith(" + ", at):
            terms.append(index[start:at])
            start = at + 3
    return [*terms, index[start:]]


def _indices(change: Replaced | schedules.DimensionsChanged) -> str:
    """Two indices; of long ones, the terms that differ."""
    before, after = _terms(change.before), _terms(change.after)
    if len(change.before) + len(change.after) > _LONGEST:
        alone = surplus(before, after, str), surplus(after, before, str)
        if all(alone) and len(alone[0]) < len(before):
            before, after = (["…", *terms] for terms in alone)
    return f"{' + '.join(before)} -> {' + '.join(after)}"


_CANDIDATES = "max-autotune has {after} {subject} candidates instead of {before}"
say("candidates-changed", _CANDIDATES)
say("candidates-added", _CANDIDATES)
say("choice-changed", "{subject} is done by {after} instead of {before}")
say("template-argument", _template)
say("template-option-listed", _template)
say("fused", _fused)
say("fusion-lost", _fusion_lost)
say("regrouped", _regrouped)
say("operations-changed", _operations)
say("operation-kinds", _kinds)
say(
    "value-with-index",
    lambda change: ("a maximum or minimum is computed with its index", _kinds(change)),
)
say("inputs-copied-for", _copied)
say("reduction-steps", "{what} is reduced in {new:two steps|one step instead of two}")
say(
    "library-called",
    "{what} is {new:called in a library instead of computed by a kernel"
    "|computed by a kernel instead of called in a library}",
)
say("reads-changed", _reads)
say(
    "read-listed-again",
    "torch lists a value that is read {new:once more|once less}; what is read is the same",
)
say("body-changed", lambda change: ("loop body", arrow(change.gone, change.come)))
say(
    "casts-changed",
    lambda change: (
        f"{quantity(abs(change.after - change.before), 'cast')} {more_or_fewer(change.more)} in loop bodies"
    ),
)
say("body-line", "- {before}  + {after}")
say("index-changed", lambda change: ("index computed differently", _indices(change)))
say(
    "index-written",
    lambda change: ("the same index, written otherwise", _indices(change)),
)
say(
    "rows-padded",
    "rows of a buffer are {more:padded|no longer padded}",
    "stride {before} -> {after}",
)
say(
    "loop-dimensions",
    lambda change: (
        f"an index runs over {change.dimensions[1]}D instead of {change.dimensions[0]}D",
        _indices(change),
    ),
    several=lambda change: (
        "an index runs over another number of dimensions",
        f"{change.dimensions[1]}D instead of {change.dimensions[0]}D: {_indices(change)}",
    ),
)
say(
    "operations-moved",
    _moved,
    step=lambda change: f"scheduler / fuse_nodes: {_moved(change)}",
)
