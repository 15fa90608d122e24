"""How FX graphs changed: operators that came and went, and where there are none, types and arguments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from pytest_compile_golden.formats.edits import Edit, Topic, distinct, edit, line_edits
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.graph.argument_edits import argument_edits
from pytest_compile_golden.formats.graph.form import nodes
from pytest_compile_golden.formats.graph.printed import Function, read
from pytest_compile_golden.formats.operators import short

_LIBRARY = re.compile(r"\b(?:aten|torch)\.(?:addmm|baddbmm|bmm|mm|_scaled_mm|convolution|_int_mm|linear)\b")
_ATTENTION = re.compile(r"_?scaled_dot_product_(\w*?)_?attention(?:_for_\w+)?(_backward)?(?:\.|$)")
_BACKENDS = {"cudnn": "cuDNN", "efficient": "memory-efficient", "flash": "flash", "fused": "fused", "": "math"}
_CHECK = re.compile(r"\b_?assert_|sym_constrain")
_COMPARED = re.compile(r"_?operator\.(?:ge|gt|le|lt|eq|ne|and_|or_)$")
_TYPE = re.compile(r"(\w+)(\[[^\]]*\])?(\[[^\]]*\])?(.*)$")
# Nodes that compute nothing of what the graph is given.
_CONSTANTS = frozenset({"aten.full", "aten.scalar_tensor"})
_FINITE = frozenset({"aten.abs", "aten.any.dims", "aten.eq", "aten.ne"})
_LISTED = 8


def edits(old: str, new: str) -> tuple[Edit, ...]:
    """The edits between two artifacts of graphs; the first lines that differ where they are none."""
    try:
        before, after = ({each.name: each for each in read(text)} for text in (old, new))
    except Unreadable:
        return line_edits(old, new, "#", "operators")
    found: list[Edit] = []
    names = dict.fromkeys((*before, *after))
    counts = [Counter(target for each in side.values() for target in _targets(each)) for side in (before, after)]
    found += operator_edits(*counts)
    if not found:
        for name in names:
            if name in before and name in after:
                found += _types(before[name], after[name])
    if not found:
        for name in names:
            if name in before and name in after:
                found += _arguments(before[name], after[name])
    return distinct(found) or line_edits(old, new, "#", "operators")


def operator_edits(old: Counter[str], new: Counter[str]) -> Iterator[Edit]:
    """What became of the operators: each with how many there are."""
    gone, come = old - new, new - old
    if not gone and not come:
        return
    backends = [_backend(side) for side in (gone, come)]
    if backends[0] is not None and backends[1] is not None:
        label = f"attention backend: {backends[0]} -> {backends[1]}"
        yield edit(label, "library", key=label)
        gone, come = (
            Counter({n: times for n, times in side.items() if not _ATTENTION.search(n)}) for side in (gone, come)
        )
    checks = [_checks(side) for side in (gone, come)]
    if sum(checks) and not all((gone, come)):
        count = f"{sum(checks)} check{'s' if sum(checks) > 1 else ''}"
        names = ", ".join(sorted(short(name) for name in gone or come if _CHECK.search(name)))
        yield edit(f"{count} {'fewer' if gone else 'more'} in the graph: {names}", "operators")
    elif gone or come:
        library = any(_LIBRARY.search(name) for name in (*gone, *come))
        topic: Topic = "library" if library else "operators"
        # What follows from another backend is told by it.
        yield edit(change(gone, come), topic, key=change(gone, come, counts=False), follows=None not in backends)


def _checks(side: Counter[str]) -> int:
    """How many checks; none where anything else is there but what is checked."""
    checks = {name: times for name, times in side.items() if _CHECK.search(name)}
    return sum(checks.values()) if all(_COMPARED.match(name) for name in side if name not in checks) else 0


def change(gone: Counter[str], come: Counter[str], counts: bool = True) -> str:
    """`aten.mm + aten.add -> aten.addmm`; `- aten.clone x2`."""
    before, after = (_listed(side, counts) for side in (gone, come))
    if before and before == after:
        return f"{before} stands elsewhere in torch's sources"
    if before and after:
        folded = _folded(gone, come)
        return folded or f"{before} -> {after}"
    if checks_finite(map(short, come)):
        return f"a check that inputs are finite is added: {after}"
    return f"- {before}" if before else f"+ {after}"


def _folded(gone: Counter[str], come: Counter[str]) -> str:
    """A value that was, or is, computed of nothing that varies; empty for any other change."""
    if sum(gone.values()) != sum(come.values()):
        return ""
    constant = [all(short(name) in _CONSTANTS for name in side) for side in (gone, come)]
    if constant == [True, False]:
        return f"{_listed(come, True)} is computed, no longer folded into a constant"
    return f"{_listed(gone, True)} is folded into a constant" if constant == [False, True] else ""


def checks_finite(names: Iterable[str]) -> bool:
    """Whether they are those of the check that inputs are finite, which patterns of softmax make."""
    return set(names) >= _FINITE


def _listed(side: Counter[str], counts: bool) -> str:
    names: Counter[str] = Counter()
    for name, times in side.items():
        names[short(name)] += times
    told = [f"{name} x{times}" if counts and times > 1 else name for name, times in sorted(names.items())]
    more = [f"{len(told) - _LISTED} more"] if counts and len(told) > _LISTED else []
    return " + ".join([*told[: _LISTED if counts else None], *more])


def _backend(side: Iterable[str]) -> str | None:
    for name in side:
        found = _ATTENTION.search(name)
        if found is not None:
            return _BACKENDS.get(found[1], found[1])
    return None


def _targets(function: Function) -> Iterator[str]:
    return (node.target for node in nodes(function) if node.target)


def _types(old: Function, new: Function) -> Iterator[Edit]:
    """Results of another type, and nodes of other arguments, of graphs with the same operators."""
    pairs = list(zip_longest(nodes(old), nodes(new)))
    for one, other in pairs:
        if one is None or other is None or one.target != other.target or one.type == other.type:
            continue
        what = f"result of {short(one.target)}" if one.target else "result of getitem"
        if not one.target and not one.text.startswith("\0["):
            what = "parameter or constant"
        for label in _type_change(one.type, other.type):
            yield edit(f"{what}: {label}", "operators")
    inputs = [[each.type for each in side.inputs] for side in (old, new)]
    for one_type, other_type in zip(*inputs, strict=False):
        if one_type != other_type:
            for label in _type_change(one_type, other_type):
                yield edit(f"input: {label}", "operators")


def _arguments(old: Function, new: Function) -> Iterator[Edit]:
    """Nodes of other arguments, of graphs with the same operators and types."""
    for one, other in zip(nodes(old), nodes(new), strict=False):
        if one.target and one.target == other.target and one.text != other.text:
            yield from argument_edits(one, other)


def _type_change(old: str, new: str) -> Sequence[str]:
    one, other = _TYPE.match(old), _TYPE.match(new)
    if one is None or other is None:
        return [f"{old or 'no type'} -> {new or 'no type'}"]
    found = []
    for place, what in ((1, "dtype"), (2, "shape"), (3, "strides"), (4, "device")):
        before, after = (each[place] or ("contiguous" if what == "strides" else "") for each in (one, other))
        if before != after:
            found.append(f"{what} {before.strip() or 'default'} -> {after.strip() or 'default'}")
    return found
