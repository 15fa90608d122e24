"""Describes operations that only one of two schedules has: what they are for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_compile_golden.formats.edits import Edit, edit
from pytest_compile_golden.formats.operators import short
from pytest_compile_golden.formats.schedule.printed import Operation
from pytest_compile_golden.formats.text import with_times

LISTED = 4
VIEWS = re.compile(r"aten\.(?:reshape|view|_unsafe_view|permute|expand|unsqueeze|squeeze|clone|slice|select)\b")
_BUFFER = re.compile(r"\w+")
_KERNELS = frozenset({"pointwise", "reduction", "sort", "scan", "argreduction"})


def edit_of(old: Sequence[Operation], new: Sequence[Operation]) -> Edit:
    """The edit from `old` to `new`, which has more or fewer operations."""
    more = len(new) - len(old)
    for counted, words in ((_copies, _copies_words), (_halves, _halves_words)):
        before, after = counted(old), counted(new)
        changed = after - before if more > 0 else before - after
        if sum(changed.values()) == abs(more) == abs(sum(after.values()) - sum(before.values())):
            return edit(words(changed, more > 0), "fusion")
    before, after = (Counter(operation.kind for operation in side) for side in (old, new))
    change = " -> ".join(filter(None, (listed(before - after), listed(after - before)))) or "operations"
    of = _besides(old, new) if more > 0 else _besides(new, old)
    label = f"{abs(more)} operation{'s' if abs(more) > 1 else ''} {'more' if more > 0 else 'fewer'}: {change}{of}"
    kinds = sorted({*before - after, *after - before})
    return edit(label, "fusion", key=f"operations {'+' if more > 0 else '-'} {', '.join(kinds)}{of}")


def called(old: Sequence[Operation], new: Sequence[Operation]) -> Iterator[Edit]:
    """Operators that a library computes now instead of a kernel, or the other way round."""
    before, after = (
        {_called(operation) for operation in side if operation.kind.startswith("extern ")} for side in (old, new)
    )
    for calls, kernels, how in (
        (after - before, old, "called in a library instead of computed by a kernel"),
        (before - after, new, "computed by a kernel instead of called in a library"),
    ):
        computed = {
            name
            for operation in kernels
            if operation.kind.partition(" ")[0] in _KERNELS
            for name in _operators(operation)
        }
        for name in sorted(calls & computed):
            yield edit(f"{name} is {how}", "library", key=f"{name} is {how}")


def listed(kinds: Counter[str]) -> str:
    """`pointwise x3, reduction sum`."""
    return ", ".join(with_times(name, times) for name, times in sorted(kinds.items()))


def _copies(operations: Sequence[Operation]) -> Counter[str]:
    """For library calls, by operator, how many of their inputs are copied into the layout that they need."""
    operators_of = {_name(output): _operators(operation) for operation in operations for output in operation.outputs}
    called: dict[str, set[str]] = {}
    for operation in operations:
        if operation.kind.startswith("extern "):
            for read in operation.reads:
                called.setdefault(_name(read), set()).add(_called(operation))
    counts: Counter[str] = Counter()
    for operation in operations:
        if operation.kind == "pointwise" and len(operation.reads) == 1:
            calls = {name for output in operation.outputs for name in called.get(_name(output), ())}
            # It computes nothing that its input has not computed already.
            if calls and _operators(operation) - calls <= operators_of.get(_name(operation.reads[0]), set()):
                counts.update(sorted(calls & _operators(operation))[:1])
    return counts


def _copies_words(changed: Counter[str], come: bool) -> str:
    parts = []
    for name, times in changed.items():
        subject = f"{times} input{'s' if times > 1 else ''} of {name} {'are' if times > 1 else 'is'}"
        parts.append(f"{subject} copied for it" if come else f"{subject} no longer copied for it")
    return ", ".join(parts)


def _halves(operations: Sequence[Operation]) -> Counter[str]:
    """By operator, how many reductions reduce the result of another reduction of the same operator."""
    reductions = {
        _name(output): operation for operation in operations for output in operation.outputs if _reduces(operation)
    }
    counts: Counter[str] = Counter()
    for operation in operations:
        first = next((reductions[_name(read)] for read in operation.reads if _name(read) in reductions), None)
        if _reduces(operation) and first is not None and first.kind == operation.kind:
            counts.update(sorted(_operators(first) & _operators(operation))[:1])
    return counts


def _halves_words(changed: Counter[str], come: bool) -> str:
    names = dict.fromkeys(".".join(name.split(".")[:2]) for name in changed)
    return f"{', '.join(names)} {'is reduced in two steps' if come else 'is reduced in one step instead of two'}"


def _besides(old: Sequence[Operation], new: Sequence[Operation]) -> str:
    """In words, the operators of the program for which `new` has more operations of the same kind than `old`."""
    before, after = (
        Counter(
            (operation.kind, *dict.fromkeys(short(computed.operator) for computed in operation.computes))
            for operation in side
        )
        for side in (old, new)
    )
    operators = dict.fromkeys(name for entry in after - before for name in entry[1:])
    names = [name for name in operators if not VIEWS.match(name)] or list(operators)
    return f" of {', '.join(names[:LISTED])}{', …' if len(names) > LISTED else ''}" if names else ""


def _reduces(operation: Operation) -> bool:
    return operation.kind.startswith("reduction ")


def _operators(operation: Operation) -> set[str]:
    return {short(computed.operator) for computed in operation.computes}


def _called(call: Operation) -> str:
    """`aten.convolution_backward` for `extern FallbackKernel torch.ops.aten.convolution_backward.default`."""
    name = call.kind.rpartition(" ")[2]
    return short(name.removeprefix("torch.ops.").replace("extern_kernels.", "aten."))


def _name(access: str) -> str:
    """`buf0` for `buf0[c0]` and for `buf0: f32[8] cpu`."""
    match = _BUFFER.match(access)
    return access if match is None else match[0]
