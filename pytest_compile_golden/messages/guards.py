"""Rows for guards, and for where Dynamo stops."""

from __future__ import annotations

from pytest_compile_golden.changes import guards
from pytest_compile_golden.changes.common_types import NewOrGone, Replaced
from pytest_compile_golden.messages.message_table import (
    and_more,
    difference,
    new_or_gone,
    say,
)

_MOST_ATTRIBUTES = 4
_SUBJECTS = {
    "sizes": "guards on sizes and strides",
    "objects": "guards on objects of modules",
}


def _guards(change: guards.GuardsChanged) -> tuple[str, str]:
    if change.attributes:
        title = f"{difference(len(change.attributes), 'hasattr guard', change.new)} for each input"
        return title, ", ".join(change.attributes[:_MOST_ATTRIBUTES])
    named = change.guards[0] + and_more(len(change.guards) - 1, "guard")
    subject = _SUBJECTS.get(change.subject, "guards")
    if subject == "guards" and len(change.guards) == 1:
        subject = "guard"
    return new_or_gone(subject, change.new), named


def _check(change: guards.CheckReplaced) -> str:
    if change.accesses is not None:
        return f"guard {change.after} is {change.accesses[1]} accesses away, was {change.accesses[0]}"
    if change.conditions is not None:
        return f"guard {change.after} has {change.conditions[1]} conditions, had {change.conditions[0]}"
    return f"guard {change.before} is {change.after}"


def _stop(change: NewOrGone) -> tuple[str, str]:
    reason, at = change.what
    return new_or_gone(change.noun, change.new), f"{reason}, at `{at}`"


def _reworded(change: Replaced) -> tuple[str, str] | str:
    if not change.after:
        return f"the same {change.subject}, reworded"
    return (
        f"the same {change.subject}, reported as",
        f"{change.after}, previously as: {change.before}",
    )


say("global-state", "guard on global state compares a different {what}")
say("global-state-listed", "guard on global state {new:has a new field|lacks} {what}")
say(
    "marks-guarded",
    lambda change: (
        f"Dynamo's own marks on tensors are {'guarded now' if change.new else 'no longer guarded'}",
        ", ".join(change.what[:_MOST_ATTRIBUTES]),
    ),
)
say(
    "sizes-listed",
    "guards on sizes and strides are {new:now listed and were checked before|no longer listed but still checked}",
    "{what}",
)
say("guards-changed", _guards)
say("guards-reordered", "guards in a different order")
say("check-replaced", _check)
say(
    "check-listed",
    lambda change: (new_or_gone("guard", change.new), ", ".join(change.what)),
)
say("stops-changed", _stop)
say("stop-reworded", _reworded)
