"""How guards changed: the kinds of guards added and removed, regardless of the names of what they guard."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pytest_compile_golden.changes.change import Change, distinct
from pytest_compile_golden.changes.guards import (
    GlobalStateGuarded,
    GlobalStateListed,
    GuardsChanged,
    GuardsReordered,
    MarksGuarded,
    SizesListed,
)
from pytest_compile_golden.lines import split_lines

CODES = frozenset(
    each.code
    for each in (GlobalStateGuarded, GlobalStateListed, GuardsChanged, GuardsReordered, MarksGuarded, SizesListed)
)
"""Those of the edits made here."""
_SOURCE = re.compile(r"[LG]\[[^\]]*\](?:\[[^\]]*\]|\.\w+(?!\())*")
_STATE = re.compile(r"(.*) against (\{.*\})$")
_SIZE = re.compile(r"\.(?:size|stride|storage_offset)\(\)")
# A tensor with sizes that vary. Each of them has at least one guard: that it is neither 0 nor 1.
_VARIES = re.compile(r"check_tensor\(.*size=\[[^\]]*None")
_HAS = re.compile(r"hasattr\((.+), '(\w+)'\)")
_MARK = "_dynamo_"
"""How the names of attributes begin that Dynamo sets on tensors (torch/_dynamo/decorators.py)."""
_CALL = re.compile(r"\w+(?=\()")


def edits(old: str, new: str) -> tuple[Change, ...]:
    """The edits between two artifacts of guards; a single one if only their order differs."""
    before, after = _guards(old), _guards(new)
    gone = [line for line in before if line not in after]
    come = [line for line in after if line not in before]
    state, gone, come = _state(gone, come)
    changes: list[Change] = [*state]
    for new_ones, lines, others in ((False, gone, after), (True, come, before)):
        kinds: dict[str, list[str]] = {}
        for line in lines:
            kinds.setdefault(_kind(line), []).append(line)
        if "sizes" in kinds and _hides_sizes(others):
            changes.append(SizesListed(kinds.pop("sizes")[0], new_ones))
        changes += [_change(new_ones, kind, guards) for kind, guards in kinds.items()]
    return distinct(changes) or ((GuardsReordered(),) if before != after else ())


def same_besides(old: str, new: str) -> bool:
    """Whether both have the same frames, and are otherwise the same besides guards that only one of them has."""
    before, after = _guards(old), _guards(new)
    both = set(before) & set(after)
    kept = [[line for line in side if line in both] for side in (before, after)]
    heads = [[line for line in split_lines(side) if line and not line.startswith(" ")] for side in (old, new)]
    states = [sum(_STATE.match(line) is not None for line in side) for side in (before, after)]
    return sorted(kept[0]) == sorted(kept[1]) and heads[0] == heads[1] and states[0] == states[1]


def _guards(text: str) -> list[str]:
    return [line.strip() for line in split_lines(text) if line.startswith(" ") and not line.startswith("  #")]


def _hides_sizes(guards: Sequence[str]) -> bool:
    """Whether there are guards on sizes that are not listed, as happened until torch 2.15 (torch/_dynamo/guards.py)."""
    return any(_VARIES.search(line) for line in guards) and not any(_kind(line) == "sizes" for line in guards)


def _state(gone: Sequence[str], come: Sequence[str]) -> tuple[list[Change], list[str], list[str]]:
    """Changes of the fields that the guard on global state compares, and the lines that are other guards."""
    fields_changed: list[Change] = []
    before, after = ([line for line in lines if _STATE.match(line)] for lines in (gone, come))
    for old_guard, new_guard in zip(before, after, strict=False):
        fields = [_fields(guard) for guard in (old_guard, new_guard)]
        for name in dict.fromkeys((*fields[0], *fields[1])):
            if fields[0].get(name) == fields[1].get(name):
                continue
            listed = all(name in side for side in fields)
            fields_changed.append(
                GlobalStateGuarded(name) if listed else GlobalStateListed(name, new=name in fields[1])
            )
    remaining = [[line for line in lines if line not in matched] for lines, matched in ((gone, before), (come, after))]
    return fields_changed, remaining[0], remaining[1]


def _fields(guard: str) -> dict[str, object]:
    match = _STATE.match(guard)
    try:
        values = json.loads(re.sub(r":N\b", ":0", match[2])) if match is not None else {}
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def _kind(guard: str) -> str:
    if has := _HAS.match(guard):
        return "marks" if has[2].startswith(_MARK) else f"hasattr {'module' if has[1].startswith('G') else 'input'}"
    if _SIZE.search(guard):
        return "sizes"
    if "G[" in guard and "L[" not in guard:
        return "objects"
    called = _CALL.search(guard)
    return called[0] if called else _SOURCE.sub("x", guard)


def _change(new: bool, kind: str, lines: Sequence[str]) -> Change:
    names = tuple(dict.fromkeys(match[2] for line in lines if (match := _HAS.match(line))))
    if kind == "marks":
        return MarksGuarded(names, new)
    if kind.startswith("hasattr"):
        return GuardsChanged(tuple(lines), new, "attributes", names, f"{kind} {' '.join(sorted(names))}")
    if kind in ("sizes", "objects"):
        return GuardsChanged(tuple(lines), new, kind, same_kind=kind)
    plain = dict.fromkeys(_SOURCE.sub("x", line) for line in lines)
    return GuardsChanged(tuple(lines), new, same_kind=kind if "(" in lines[0] else " ".join(plain))
