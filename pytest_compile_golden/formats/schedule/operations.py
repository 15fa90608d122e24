"""Operations that only one of two schedules has: what they are for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_compile_golden.changes.change import Change, Counts, counts
from pytest_compile_golden.changes.schedules import InputsCopiedFor, LibraryCalled, OperationsChanged, ReductionSteps
from pytest_compile_golden.facts.schedules import Operation
from pytest_compile_golden.formats.operators import short

VIEWS = re.compile(r"aten\.(?:reshape|view|_unsafe_view|permute|expand|unsqueeze|squeeze|clone|slice|select)\b")
_BUFFER = re.compile(r"\w+")
_KERNELS = frozenset({"pointwise", "reduction", "sort", "scan", "argreduction"})


def change(old: Sequence[Operation], new: Sequence[Operation]) -> Change:
    """How `old` became `new`, which has more or fewer operations."""
    more = len(new) - len(old)
    for counted in (_copies, _halves):
        before, after = counted(old), counted(new)
        changed = after - before if more > 0 else before - after
        if sum(changed.values()) == abs(more) == abs(sum(after.values()) - sum(before.values())):
            if counted is _copies:
                return InputsCopiedFor(counts(changed), more > 0)
            return ReductionSteps(tuple(dict.fromkeys(".".join(name.split(".")[:2]) for name in changed)), more > 0)
    before, after = (Counter(operation.kind for operation in side) for side in (old, new))
    of = _besides(old, new) if more > 0 else _besides(new, old)
    return OperationsChanged(abs(more), more > 0, _sorted(before - after), _sorted(after - before), of)


def called(old: Sequence[Operation], new: Sequence[Operation]) -> Iterator[LibraryCalled]:
    """Operators that a library computes now instead of a kernel, or the other way round."""
    before, after = (
        {_called(operation) for operation in side if operation.kind.startswith("extern ")} for side in (old, new)
    )
    for calls, kernels, library in ((after - before, old, True), (before - after, new, False)):
        computed = {
            name
            for operation in kernels
            if operation.kind.partition(" ")[0] in _KERNELS
            for name in _operators(operation)
        }
        for name in sorted(calls & computed):
            yield LibraryCalled(name, library)


def _sorted(kinds: Counter[str]) -> Counts:
    return tuple(sorted(kinds.items()))


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


def _besides(old: Sequence[Operation], new: Sequence[Operation]) -> tuple[str, ...]:
    """The operators of the program for which `new` has more operations of the same kind than `old`."""
    before, after = (
        Counter(
            (operation.kind, *dict.fromkeys(short(computed.operator) for computed in operation.computes))
            for operation in side
        )
        for side in (old, new)
    )
    operators = dict.fromkeys(name for entry in after - before for name in entry[1:])
    return tuple([name for name in operators if not VIEWS.match(name)] or operators)


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
