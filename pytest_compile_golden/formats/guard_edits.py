"""How guards changed: the kinds of guards added and removed, regardless of the names of what they guard."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pytest_compile_golden.formats.authors import BY
from pytest_compile_golden.formats.edits import Edit, distinct, edit
from pytest_compile_golden.lines import split_lines

_SOURCE = re.compile(r"[LG]\[[^\]]*\](?:\[[^\]]*\]|\.\w+(?!\())*")
_STATE = re.compile(r"(.*) against (\{.*\})$")
_SIZE = re.compile(r"\.(?:size|stride|storage_offset)\(\)")
# A tensor with sizes that vary. Each of them has at least one guard: that it is neither 0 nor 1.
_VARIES = re.compile(r"check_tensor\(.*size=\[[^\]]*None")
_HAS = re.compile(r"hasattr\((.+), '(\w+)'\)")
_CALL = re.compile(r"\w+(?=\()")
_LISTED = 4


def edits(old: str, new: str) -> tuple[Edit, ...]:
    """The edits between two artifacts of guards; a single one if only their order differs."""
    before, after = _guards(old), _guards(new)
    gone = [line for line in before if line not in after]
    come = [line for line in after if line not in before]
    state, gone, come = _state(gone, come)
    changes = list(state)
    for sign, lines, others in (("-", gone, after), ("+", come, before)):
        kinds: dict[str, list[str]] = {}
        for line in lines:
            kinds.setdefault(_kind(line), []).append(line)
        if "sizes" in kinds and _hides_sizes(others):
            how = "now listed and were checked before" if sign == "+" else "no longer listed but still checked"
            label = f"guards on sizes and strides are {how}: {kinds.pop('sizes')[0]}"
            changes.append(edit(label, "hints", key=f"{sign} sizes are listed"))
        changes += [_edit(sign, kind, guards) for kind, guards in kinds.items()]
    return distinct(changes) or ((edit("guards in a different order", "guards"),) if before != after else ())


def _guards(text: str) -> list[str]:
    return [line.strip() for line in split_lines(text) if line.startswith(" ") and not line.startswith(BY)]


def _hides_sizes(guards: Sequence[str]) -> bool:
    """Whether there are guards on sizes that are not listed, as happened until torch 2.15 (torch/_dynamo/guards.py)."""
    return any(_VARIES.search(line) for line in guards) and not any(_kind(line) == "sizes" for line in guards)


def _state(gone: Sequence[str], come: Sequence[str]) -> tuple[list[Edit], list[str], list[str]]:
    """Edits of the fields that the guard on global state compares, and the lines that are other guards."""
    all_edits: list[Edit] = []
    before, after = ([line for line in lines if _STATE.match(line)] for lines in (gone, come))
    for old_guard, new_guard in zip(before, after, strict=False):
        fields = [_fields(guard) for guard in (old_guard, new_guard)]
        for name in dict.fromkeys((*fields[0], *fields[1])):
            if fields[0].get(name) == fields[1].get(name):
                continue
            news = (
                "has a new field"
                if name not in fields[0]
                else "lacks"
                if name not in fields[1]
                else "compares a different"
            )
            all_edits.append(edit(f"guard on global state {news} {name}", "guards"))
    remaining = [[line for line in lines if line not in matched] for lines, matched in ((gone, before), (come, after))]
    return all_edits, remaining[0], remaining[1]


def _fields(guard: str) -> dict[str, object]:
    match = _STATE.match(guard)
    try:
        values = json.loads(re.sub(r":N\b", ":0", match[2])) if match is not None else {}
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def _kind(guard: str) -> str:
    if has := _HAS.match(guard):
        return f"hasattr {'module' if has[1].startswith('G') else 'input'}"
    if _SIZE.search(guard):
        return "sizes"
    if "G[" in guard and "L[" not in guard:
        return "objects"
    called = _CALL.search(guard)
    return called[0] if called else _SOURCE.sub("x", guard)


def _edit(sign: str, kind: str, lines: Sequence[str]) -> Edit:
    plain = list(dict.fromkeys(_SOURCE.sub("x", line) for line in lines))
    if kind.startswith("hasattr"):
        names = list(dict.fromkeys(match[2] for line in lines if (match := _HAS.match(line))))
        word = "guard" if len(names) == 1 else "guards"
        subject = f"{len(names)} {'new ' if sign == '+' else ''}hasattr {word} for each input"
        return edit(
            f"{sign} {subject}: {', '.join(names[:_LISTED])}", "guards", key=f"{sign} {kind} {' '.join(sorted(names))}"
        )
    more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
    if kind == "sizes":
        return edit(f"{sign} guards on sizes and strides: {lines[0]}{more}", "guards", key=f"{sign} sizes")
    if kind == "objects":
        return edit(f"{sign} guards on objects of modules: {lines[0]}{more}", "guards", key=f"{sign} objects")
    label = f"{sign} {lines[0]}{more}"
    return edit(label, "guards", key=f"{sign} {kind if '(' in lines[0] else ' '.join(plain)}")
