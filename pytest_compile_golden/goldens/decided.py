"""What a decomposition, a lowering or a launch does differently, in words."""

from __future__ import annotations

import re
from collections import Counter

from pytest_compile_golden.formats.edits import Edit, Topic, edit, without_numbers
from pytest_compile_golden.formats.operators import short
from pytest_compile_golden.formats.schedule.unpacked import NOT_UNPACKED

_NOW = re.compile(r"(?P<old>.+?), now (?P<new>.+?)(?: \(and (?P<also>.*)\))?$")
# One kind of operation in place of another: `Conditional -> Switch`.
_SWAPPED = re.compile(r"(?P<gone>\S+) -> (?P<new>[^\s,]+)")
# A decomposition: `-add.Tensor -exp.default +sigmoid.default (and aten.silu.default)`.
_SIGNED = re.compile(r"(?P<signed>[-+][\w.]+(?: x\d+)?(?: [-+][\w.]+(?: x\d+)?)*)(?: \(and (?P<also>.*)\))?")
_OPERATOR = {"-": re.compile(r"-([\w.]+(?: x\d+)?)"), "+": re.compile(r"\+([\w.]+(?: x\d+)?)")}
_TOPICS: dict[str, Topic] = {"launch": "launch", "graph_breaks": "breaks", "recompiles": "breaks"}
_TIMES = re.compile(r"(.+?)(?: \[(\d+)\])?$")


def edit_of(phase: str, text: str) -> Edit:
    """The edit for a first divergence in `phase`; `text` says what an operator became before, and becomes now."""
    named, _, what = text.partition(": ")
    operator = named.rpartition(" / ")[2]
    match = _NOW.match(what)
    if phase == "lowering" and match is not None:
        before, after = (_counted(match[side]) for side in ("old", "new"))
        lowered = _lowered(operator, before, after)
        if lowered is not None:
            return lowered
    if phase == "aot" and match is not None:
        more = sum(_counted(match["new"]).values()) - sum(_counted(match["old"]).values())
        if _counted(match["old"]).keys() == _counted(match["new"]).keys() and more:
            label = f"{operator} is decomposed {abs(more)} time{'s' if abs(more) > 1 else ''} "
            label += "more" if more > 0 else "less"
            return edit(f"{label} ({', '.join(_counted(match['new']))})", "operators")
    signed = _SIGNED.fullmatch(what) if phase == "aot" else None
    if signed is not None:
        gone, come = (
            [short(f"aten.{name}")[5:] for name in _OPERATOR[sign].findall(signed["signed"])] for sign in "-+"
        )
        also = f" (and {signed['also']})" if signed["also"] else ""
        label = f"{short(operator)} is decomposed into {_listed(come)} instead of {_listed(gone)}{also}"
        return edit(label, "operators", key=without_numbers(text))
    topic: Topic = _TOPICS.get(phase, "operators")
    if phase == "lowered_ir" and (swapped := _SWAPPED.fullmatch(what)):
        text = f"Inductor's IR has {swapped['new']} in place of {swapped['gone']}"
    return edit(text, topic, key=without_numbers(text))


def _lowered(operator: str, before: Counter[str], after: Counter[str]) -> Edit | None:
    """Results that are stored, or inlined where they are used; nodes that changed their kind."""
    stored = after["ComputedBuffer"] - before["ComputedBuffer"]
    others = {name for name in {*before, *after} if name not in ("ComputedBuffer", "Pointwise")}
    if stored and not others:
        count = f"{abs(stored)} result{'s' if abs(stored) > 1 else ''} of {operator}"
        how = "stored instead of inlined" if stored > 0 else "inlined instead of stored"
        return edit(f"{count} {'are' if abs(stored) > 1 else 'is'} {how}", "fusion", key=how)
    if before["MultiOutput"] and not after["MultiOutput"]:
        return NOT_UNPACKED
    return None


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "nothing"


def _counted(text: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for part in text.split("; "):
        match = _TIMES.match(part)
        if match is not None:
            counts[match[1]] += int(match[2] or 1)
    return counts
