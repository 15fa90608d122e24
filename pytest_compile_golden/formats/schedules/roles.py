"""What operations of a schedule do, and what they are for: copies for a library call, steps of a reduction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pytest_compile_golden.facts.schedules import Operation, buffer, index, type_of
from pytest_compile_golden.formats.canonical_text import short, without_overload

_VIEWS = frozenset(
    f"aten.{name}"
    for name in (
        "reshape",
        "view",
        "_unsafe_view",
        "permute",
        "expand",
        "unsqueeze",
        "squeeze",
        "clone",
        "slice",
        "select",
    )
)
_CLONE = "aten.clone"
_REDUCING = re.compile(
    r"aten\.(?:\w*(?:norm|softmax|var|std|mean|sum|prod|loss)|a?max|a?min|arg\w+|any|all|logsumexp|count_\w+)\b"
)
"""Operators that reduce, among those that a reduction computes together with what was fused into it."""
WELFORD = "welfordreduction "
"""How the kinds begin of reductions to a mean and a variance."""
_COMBINES = f"{WELFORD}welford_combine"


class Signature(NamedTuple):
    """What an operation does, whatever it and its buffers are named."""

    kind: str
    computes: tuple[str, ...]
    types: tuple[str, ...]
    """Of its results."""
    reads: int


def signature(operation: Operation) -> Signature:
    """What an operation does: as much as says which operation of another schedule is the same."""
    return Signature(
        operation.kind,
        tuple(sorted(map(str, operation.computes))),
        tuple(map(type_of, operation.outputs)),
        len(operation.reads),
    )


def makers(operations: Iterable[Operation]) -> dict[str, Operation]:
    """The operation that makes each buffer."""
    return {
        buffer(output): operation
        for operation in operations
        for output in operation.outputs
    }


def with_makers(
    operations: Iterable[Operation], makers: Mapping[str, Operation]
) -> list[Operation]:
    """The operations and those that make what they read: what these compute may move from one into the other."""
    every = list(operations)
    return every + [
        makers[name] for op in every for name in map(buffer, op.reads) if name in makers
    ]


def operators(operation: Operation) -> set[str]:
    """What it computes of the program, by short names."""
    return {short(computed.operator) for computed in operation.computes}


def computing(operators: Iterable[str]) -> list[str]:
    """Those that are more than another view of a value."""
    return [name for name in operators if without_overload(name) not in _VIEWS]


def called(operation: Operation) -> str:
    """`aten.convolution_backward` for `extern FallbackKernel torch.ops.aten.convolution_backward.default`; empty unless
    it is a library call."""
    if not operation.kind.startswith("extern "):
        return ""
    name = operation.kind.rpartition(" ")[2]
    return short(name.removeprefix("torch.ops.").replace("extern_kernels.", "aten."))


def reduces(operation: Operation) -> bool:
    """Whether it is a reduction that a kernel computes."""
    return operation.kind.startswith(("reduction ", "multioutputreduction "))


def copies(operations: Sequence[Operation]) -> list[tuple[Operation, str]]:
    """The operations that copy an input of a library call into the layout that it needs, each with the operator of the
    call."""
    # torch marks no operation as a copy, so its surroundings must tell: a pointwise operation on one value, read by a
    # library call, that computes nothing which its input does not have already.
    operators_of = {
        name: operators(operation) for name, operation in makers(operations).items()
    }
    sizes = {
        buffer(output): _sizes(output)
        for operation in operations
        for output in operation.outputs
        if "[" in output
    }
    calls_of: dict[str, set[str]] = {}
    beside: dict[str, set[str]] = {}
    """What has been computed for the other inputs of the calls."""
    for operation in operations:
        if call := called(operation):
            for read in map(buffer, operation.reads):
                calls_of.setdefault(read, set()).add(call)
                others = (
                    operators_of.get(buffer(other), set())
                    for other in operation.reads
                    if buffer(other) != read
                )
                beside.setdefault(read, set()).update(*others)
    found = []
    # From the last operation back, since what is known of a copy makes its input a candidate.
    for operation in reversed(operations):
        if (
            operation.kind != "pointwise"
            or len(operation.reads) != 1
            or len(operation.writes) > 1
            # What a graph copies itself is copied for no call.
            or _CLONE in operators(operation)
        ):
            continue
        written, read = (
            {buffer(output) for output in operation.outputs},
            operation.reads[0],
        )
        if any(sizes[name] > sizes.get(buffer(read), sizes[name]) for name in written):
            # What computes more values than it reads uses some of them several times, as what is stored on the way.
            continue
        calls = {name for output in written for name in calls_of.get(output, ())}
        known = set(operators_of.get(buffer(read), ()))
        moved = index(read) not in map(index, operation.writes)
        # What is in the same place, and not made for the call, is computed, even by an operator that its input has.
        if not (moved or calls & operators(operation)):
            continue
        if calls & operators(operation) and moved:
            # torch says of what is made for a call that it computes whatever was computed for any of its inputs.
            known |= {name for output in written for name in beside.get(output, ())}
        # It computes nothing that has not been computed already.
        if calls and known.issuperset(computing(operators(operation) - calls)):
            found.append((operation, min(calls & operators(operation) or calls)))
            # What it copies may be a copy itself.
            calls_of.setdefault(buffer(read), set()).update(calls)
            beside.setdefault(buffer(read), set()).update(
                *(beside.get(output, ()) for output in written)
            )
    return found[::-1]


def _sizes(output: str) -> Counter[str]:
    """How often a buffer has a dimension of each size: `8` and `32` for `buf0: f32[8, 32] cpu`."""
    sizes = type_of(output).partition("[")[2].partition("]")[0]
    return Counter(size for size in sizes.split(", ") if size not in ("", "1"))


def made_for(operations: Sequence[Operation]) -> Counter[str]:
    """By operator of library calls, how many pointwise operations there are whose results only such calls read."""
    readers: dict[str, set[str]] = {}
    for operation in operations:
        for read in map(buffer, operation.reads):
            readers.setdefault(read, set()).add(called(operation))
    return Counter(
        min(calls)
        for operation in operations
        if operation.kind == "pointwise"
        for calls in [
            {
                call
                for output in operation.outputs
                for call in readers.get(buffer(output), ())
            }
        ]
        if len(calls) == 1 and "" not in calls
    )


def halves(operations: Sequence[Operation]) -> Counter[str]:
    """By operator, how many reductions reduce the result of another reduction of the same operator."""
    reductions = makers(filter(reduces, operations))
    counts: Counter[str] = Counter()
    for operation in operations:
        first = next(
            (
                reductions[buffer(read)]
                for read in operation.reads
                if buffer(read) in reductions
            ),
            None,
        )
        if reduces(operation) and first is not None and first.kind == operation.kind:
            counts.update(_reducers(operators(first) & operators(operation))[:1])
    return counts


def combined(old: Sequence[Operation], new: Sequence[Operation]) -> tuple[str, ...]:
    """The operators whose means and variances are put together from parts on one side only, if that is all."""
    before, after = (
        Counter(operation.kind for operation in side) for side in (old, new)
    )
    differ = (before - after) + (after - before)
    if not all(kind.startswith(WELFORD) for kind in differ) or (
        _COMBINES in before
    ) == (_COMBINES in after):
        return ()
    combining = [operation for operation in (*old, *new) if operation.kind == _COMBINES]
    return tuple(
        dict.fromkeys(
            name
            for operation in combining
            for name in _reducers(operators(operation))[:1]
        )
    )


def _reducers(operators: set[str]) -> list[str]:
    """Those of a reduction's operators that reduce; all of them if none is known to."""
    names = sorted(operators)
    return [name for name in names if _REDUCING.match(name)] or names
