"""Rows for operations and groups."""

from __future__ import annotations

import re

from pytest_compile_golden.changes import schedules
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    CountedNewOrGone,
    Replaced,
)
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.common.surplus import surplus
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.messages.message_table import (
    and_more,
    counted,
    difference,
    in_place,
    say,
)

_REDUCTION = re.compile(r"\b(?:multioutput)?reduction ")
_LONGEST = 120
"""Characters of two indices that are shown as a whole."""
_MOST_OPERATORS = 4
_MOST_GROUPS = 3


def _template(change: AttributeChanged) -> str:
    if change.after is None:
        return f"template loses {change.name}={change.before}"
    if change.before is None:
        return f"template gains {change.name}={change.after}"
    return f"template has {change.name}={change.after} instead of {change.before}"


def _groups(groups: tuple[str, ...]) -> str:
    """What kernels compute, of which the first say enough."""
    more = len(groups) - _MOST_GROUPS
    named = groups[:_MOST_GROUPS] if more > 1 else groups
    return " + ".join((*named, *([f"{more} more"] if more > 1 else [])))


def _fused(change: schedules.GroupsChanged) -> str:
    into = "one kernel" if change.after == 1 else quantity(change.after, "kernel")
    return f"{_groups(change.groups)} are fused into {into} ({change.before} -> {change.after})"


def _fusion_lost(change: schedules.GroupsChanged) -> str:
    if change.before == 1:
        whole, groups = _groups(change.whole), _groups(change.groups)
        # Parts of a kernel may be of the same operators as the whole.
        parts = f" ({groups})" if groups != whole else ""
        return f"{whole}: {change.after} kernels instead of 1{parts}"
    more = difference(change.after - change.before, "kernel", True)
    return f"{more}, among {_groups(change.groups)}"


def _regrouped(change: schedules.GroupsChanged) -> str:
    whole, groups = _groups(change.whole), _groups(change.groups)
    # Long groups are abbreviated, and may then read the same.
    sides = f"{whole} -> {groups}" if whole != groups else groups
    return f"fused differently, into as many kernels: {sides}"


def _operations(change: schedules.OperationsChanged) -> tuple[str, str]:
    kinds = " -> ".join(
        filter(None, (", ".join(counted(side)) for side in (change.gone, change.come)))
    )
    more = ", …" if len(change.of) > _MOST_OPERATORS else ""
    of = f" of {', '.join(change.of[:_MOST_OPERATORS])}{more}" if change.of else ""
    return (
        difference(change.times, "operation", change.more),
        f"{kinds or 'operations'}{of}",
    )


def _kinds(change: schedules.KindsChanged) -> str:
    return " -> ".join(", ".join(counted(side)) for side in (change.gone, change.come))


def _other_kinds(change: schedules.KindsChanged) -> tuple[str, str]:
    kinds = _kinds(change)
    words, reductions = _REDUCTION.subn("", kinds)
    if reductions < len((*change.gone, *change.come)):
        return "operations of other kinds", kinds
    return "reductions of other kinds", words


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
    # What is called in a library has a name; what is generated, a kind.
    words = change.operation.split()
    subject = (
        short(words[-1].removeprefix("torch.ops."))
        if words[0] == "extern"
        else f"{change.operation} operation"
    )
    title = f"{subject} reads {difference(change.times, 'value', change.more)}"
    if not (change.gone or change.come):
        return title
    return title, f"computes {in_place(change.gone, change.come, _MOST_OPERATORS)}"


def _moved(change: schedules.OperationsMoved) -> str:
    if not change.operations:
        return "operations run in a different order"
    first, *others = change.operations
    named = first + and_more(len(others), "operation")
    if change.swapped:
        return f"operations run in a different order, first {first} and {change.beside}"
    if change.earlier:
        return f"{named} runs earlier, before {change.beside}"
    return f"{named} runs later, after {change.beside}"


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
say(
    "template-option-listed",
    lambda change: (
        f"torch {'no longer lists' if change.after is None else 'now lists'} an option of a template",
        f"{change.name}={change.before if change.after is None else change.after}",
    ),
)
say("fused", _fused)
say("fusion-lost", _fusion_lost)
say("regrouped", _regrouped)
say("operations-changed", _operations)
say("operation-kinds", _other_kinds)
say(
    "value-with-index",
    lambda change: ("a maximum or minimum is computed with its index", _kinds(change)),
)
say("inputs-copied-for", _copied)
say(
    "reduction-steps",
    "{what} is reduced in {new:two steps instead of one|one step instead of two}",
)
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
say(
    "body-changed",
    lambda change: (
        "loop body computes differently",
        in_place(change.gone, change.come),
    ),
)
say(
    "casts-changed",
    lambda change: (
        f"loop bodies have {difference(abs(change.after - change.before), 'cast', change.more)}"
    ),
)
say("body-line", "loop body has a different line", "- {before}  + {after}")
say("loops-reordered", lambda change: ("loops run in another order", _indices(change)))
say("index-changed", lambda change: ("index computed differently", _indices(change)))
say(
    "index-written",
    lambda change: ("the same index, written differently", _indices(change)),
)
say(
    "rows-padded",
    "rows of a buffer are {more:padded|no longer padded}",
    "stride {before} -> {after}",
)
say(
    "loop-dimensions",
    lambda change: (
        f"loops run over {quantity(change.dimensions[1], 'dimension')} instead of {change.dimensions[0]}",
        _indices(change),
    ),
    several=lambda change: (
        "loops run over another number of dimensions",
        f"{change.dimensions[1]} instead of {change.dimensions[0]}: {_indices(change)}",
    ),
)
say(
    "operations-moved",
    _moved,
    step=lambda change: f"scheduler / fuse_nodes: {_moved(change)}",
)
