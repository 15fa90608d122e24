"""How FX graphs changed: operators added and removed or, if there are none, types and arguments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import starmap, zip_longest

from pytest_compile_golden.formats.edits import Edit, Topic, distinct, edit, line_edits
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.graph.argument_edits import argument_edits
from pytest_compile_golden.formats.graph.form import nodes
from pytest_compile_golden.formats.graph.printed import Function, read
from pytest_compile_golden.formats.operators import short
from pytest_compile_golden.formats.text import with_times

_LIBRARY = re.compile(r"\b(?:aten|torch)\.(?:addmm|baddbmm|bmm|mm|_scaled_mm|convolution|_int_mm|linear)\b")
_ATTENTION = re.compile(r"_?scaled_dot_product_(\w*?)_?attention(?:_for_\w+)?(_backward)?(?:\.|$)")
_BACKENDS = {"cudnn": "cuDNN", "efficient": "memory-efficient", "flash": "flash", "fused": "fused", "": "math"}
_CHECK = re.compile(r"\b_?assert_|sym_constrain")
_COMPARED = re.compile(r"_?operator\.(?:ge|gt|le|lt|eq|ne|and_|or_)$")
_TYPE = re.compile(r"(\w+)(\[[^\]]*\])?(\[[^\]]*\])?(.*)$")
# Operators that do not depend on the graph's inputs.
_CONSTANTS = frozenset({"aten.full", "aten.scalar_tensor"})
FINITE = "a check that inputs are finite is added"
"""What softmax patterns do since torch 2.13."""
_FINITE = frozenset({"aten.abs", "aten.any.dims", "aten.eq", "aten.ne"})
_LISTED = 8


def edits(old: str, new: str) -> tuple[Edit, ...]:
    """The edits between two artifacts of graphs; the first lines that differ if they are not graphs."""
    try:
        before, after = ({function.name: function for function in read(text)} for text in (old, new))
    except Unreadable:
        return line_edits(old, new, "#", "operators")
    all_edits: list[Edit] = []
    names = dict.fromkeys((*before, *after))
    counts = [
        Counter(target for function in side.values() for target in _targets(function)) for side in (before, after)
    ]
    all_edits += operator_edits(*counts)
    if not all_edits:
        for name in names:
            if name in before and name in after:
                all_edits += _types(before[name], after[name])
    if not all_edits:
        for name in names:
            if name in before and name in after:
                all_edits += _arguments(before[name], after[name])
    return distinct(all_edits) or line_edits(old, new, "#", "operators")


def operator_edits(old: Counter[str], new: Counter[str]) -> Iterator[Edit]:
    """How the operators changed, given the count of each."""
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
        finite = not gone and checks_finite(map(short, come))
        key = FINITE if finite else change(gone, come, counts=False)
        # Any other change follows from a change of the backend.
        yield edit(change(gone, come), topic, key=key, follows=None not in backends, anywhere=finite)


def _checks(side: Counter[str]) -> int:
    """The number of checks; 0 if there is anything besides checks and the conditions that they check."""
    checks = {name: times for name, times in side.items() if _CHECK.search(name)}
    return sum(checks.values()) if all(_COMPARED.match(name) for name in side if name not in checks) else 0


def change(gone: Counter[str], come: Counter[str], counts: bool = True) -> str:
    """`aten.mm + aten.add -> aten.addmm`; `- aten.clone x2`."""
    before, after = (_listed(side, counts) for side in (gone, come))
    if before and before == after:
        return f"{before} moved within torch's sources"
    if before and after:
        folded = _folded(gone, come)
        return folded or f"{before} -> {after}"
    if checks_finite(map(short, come)):
        return f"{FINITE}: {after}"
    return f"- {before}" if before else f"+ {after}"


def _folded(gone: Counter[str], come: Counter[str]) -> str:
    """Says that a value is, or is no longer, folded into a constant; empty for any other change."""
    if sum(gone.values()) != sum(come.values()):
        return ""
    constant = [all(short(name) in _CONSTANTS for name in side) for side in (gone, come)]
    if constant == [True, False]:
        return f"{_listed(come, True)} is computed, no longer folded into a constant"
    return f"{_listed(gone, True)} is folded into a constant" if constant == [False, True] else ""


def checks_finite(names: Iterable[str]) -> bool:
    """Whether `names` include the operators of the check for finite inputs that softmax patterns make."""
    return set(names) >= _FINITE


def _listed(side: Counter[str], counts: bool) -> str:
    names: Counter[str] = Counter()
    for name, times in side.items():
        names[short(name)] += times
    parts = [with_times(name, times) if counts else name for name, times in sorted(names.items())]
    more = [f"{len(parts) - _LISTED} more"] if counts and len(parts) > _LISTED else []
    return " + ".join([*parts[: _LISTED if counts else None], *more])


def _backend(side: Iterable[str]) -> str | None:
    for name in side:
        match = _ATTENTION.search(name)
        if match is not None:
            return _BACKENDS.get(match[1], match[1])
    return None


def _targets(function: Function) -> Iterator[str]:
    return (node.target for node in nodes(function) if node.target)


def _types(old: Function, new: Function) -> Iterator[Edit]:
    """Changed types of results and inputs, in graphs with the same operators."""
    pairs = list(zip_longest(nodes(old), nodes(new)))
    for before, after in pairs:
        if before is None or after is None or before.target != after.target or before.type == after.type:
            continue
        subject = f"result of {short(before.target)}" if before.target else "result of getitem"
        if not before.target and not before.text.startswith("\0["):
            subject = "parameter or constant"
        for label in _type_change(before.type, after.type):
            yield edit(f"{subject}: {label}", "operators")
    yield from _inputs(*([argument.type for argument in side.inputs] for side in (old, new)))


def _inputs(old: list[str], new: list[str]) -> Iterator[Edit]:
    if len(old) != len(new):
        for word, side in (("added", Counter(new) - Counter(old)), ("removed", Counter(old) - Counter(new))):
            types = Counter("size" if one.startswith("Sym(") else one for one in side.elements())
            if types:
                yield edit(f"inputs {word}: {', '.join(starmap(with_times, types.items()))}", "operators")
        return
    for one_type, other_type in zip(old, new, strict=True):
        if one_type != other_type:
            for label in _type_change(one_type, other_type):
                yield edit(f"input: {label}", "operators")


def _arguments(old: Function, new: Function) -> Iterator[Edit]:
    """Changed arguments of nodes, in graphs with the same operators and types."""
    for before, after in zip(nodes(old), nodes(new), strict=False):
        if before.target and before.target == after.target and before.text != after.text:
            yield from argument_edits(before, after)


def _type_change(old: str, new: str) -> Sequence[str]:
    old_type, new_type = _TYPE.match(old), _TYPE.match(new)
    if old_type is None or new_type is None:
        return [f"{old or 'no type'} -> {new or 'no type'}"]
    labels = []
    for index, part in ((1, "dtype"), (2, "shape"), (3, "strides"), (4, "device")):
        before, after = (side[index] or ("contiguous" if part == "strides" else "") for side in (old_type, new_type))
        if before != after:
            labels.append(f"{part} {before.strip() or 'default'} -> {after.strip() or 'default'}")
    return labels
