"""Compare compiled code with eager, value by value; float64 decides which of the two is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from pytest_compile_golden.facts.numerics import Difference
from pytest_compile_golden.wings.numerics.reference import Reference
from pytest_compile_golden.wings.numerics.run import Observation, TensorSnapshot

# The tolerances of torch.testing.assert_close for the dtypes that it knows, a rounding error for the others.
_RELATIVE = {torch.float64: 1e-7, torch.float32: 1.3e-6, torch.bfloat16: 1.6e-2, torch.float16: 1e-3}
_ABSOLUTE = {torch.float64: 1e-7}
_WORSE = 8.0
"""Compiled code is wrong where its error is more than this many times eager's: fusion rounds at other points, but no
more coarsely."""
_DECIDED = 2.0
"""It is not wrong where its error is at most this many times the change in float64's own result when inputs move."""
_MOVES = range(8)

# Numbers that an optimizer keeps on the CPU: Dynamo moves the step count to its parameter's device, as `capturable`
# does (torch/_dynamo/variables/optimizer.py: move_step_if_cpu), and NAdam's product follows.
_ON_CPU = ("['step'] after the call", "['mu_product'] after the call")


@dataclass(frozen=True)
class Tolerance:
    """The arguments of `numerics(rtol=, atol=)`; None means the dtype's default."""

    relative: float | None
    absolute: float | None

    def of(self, dtype: torch.dtype) -> tuple[float, float]:
        inexact = dtype.is_floating_point or dtype.is_complex
        narrow = dtype.to_real() if dtype.is_complex else dtype
        relative = _RELATIVE.get(narrow, torch.finfo(narrow).eps if inexact else 0.0)
        absolute = _ABSOLUTE.get(narrow, 1e-5) if inexact else 0.0
        return (
            relative if self.relative is None else self.relative,
            absolute if self.absolute is None else self.absolute,
        )


Strides = Callable[[TensorSnapshot, TensorSnapshot], str | None]
"""Why the second tensor's strides may differ from those of the first, eager's; None if they may not."""


def differences(
    eager: list[Observation],
    compiled: list[Observation],
    reference: Reference,
    tolerance: Tolerance,
    other_strides: Strides = lambda eager, compiled: None,
) -> Iterator[Difference]:
    """Everything on which the two disagree, and which side is wrong."""
    for index, (mine, theirs) in enumerate(zip(eager, compiled, strict=True)):
        if mine.structure != theirs.structure:
            text = f"compiled returns {theirs.structure}, eager {mine.structure}"
            yield Difference(mine.call, "output", "structure", "compiled", text)
            continue
        for what in dict.fromkeys((*mine.values, *theirs.values)):
            pair = _Pair(mine.call, what, mine.values.get(what, _NONE), theirs.values.get(what, _NONE))
            yield from pair.differences(reference, index, tolerance, other_strides)
        for what, memory in mine.shares.items():
            if what in theirs.shares and memory != theirs.shares[what]:
                text = f"compiled {_memory(theirs.shares[what])}, eager {_memory(memory)}"
                yield Difference(mine.call, what, "alias", "compiled", text)


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


_NONE = _Absent()


def _memory(shared: tuple[str, int] | None) -> str:
    if shared is None:
        return "has its own memory"
    return f"is a view of {shared[0]}" + (f" starting at element {shared[1]}" if shared[1] else "")


@dataclass(frozen=True)
class _Pair:
    """One value as eager and as compiled code left it."""

    call: str
    what: str
    eager: Any
    compiled: Any

    def differences(
        self, reference: Reference, index: int, tolerance: Tolerance, other_strides: Strides
    ) -> Iterator[Difference]:
        mine, theirs = self.eager, self.compiled
        if not isinstance(mine, TensorSnapshot) or not isinstance(theirs, TensorSnapshot):
            if not _same_leaf(mine, theirs):
                yield self._found("kind", f"compiled gives {_leaf(theirs)}, eager {_leaf(mine)}")
            return
        moves = {"device", "class"} if self.what.endswith(_ON_CPU) else set()
        for fact, value in mine.facts.items():
            if theirs.facts.get(fact) != value and fact not in moves:
                text = f"compiled has {fact} {theirs.facts.get(fact)}, eager {value}"
                why = other_strides(mine, theirs) if fact == "strides" else None
                yield self._found(fact, text) if why is None else self._found(fact, f"{text}: {why}", "neither")
        if mine.facts["shape"] == theirs.facts["shape"] and mine.facts["dtype"] == theirs.facts["dtype"]:
            yield from self._values(mine, theirs, reference, index, tolerance)

    def _found(self, kind: str, text: str, wrong: str | None = "compiled") -> Difference:
        return Difference(self.call, self.what, kind, wrong, text)

    def _values(
        self, mine: TensorSnapshot, theirs: TensorSnapshot, reference: Reference, index: int, tolerance: Tolerance
    ) -> Iterator[Difference]:
        eager = _plain(mine.values)
        compiled = _plain(theirs.values).to(eager.device)
        if torch.equal(eager, compiled):  # the usual case
            return
        relative, absolute = tolerance.of(mine.values.dtype)
        apart = _distance(compiled, eager) > absolute + relative * _size(eager)
        if not apart.any():
            return
        truth = _truth(reference, index, self.what, mine)
        if truth is None:
            text = f"{_many(apart)}; {_worst(apart, _distance(compiled, eager), compiled, eager, None)}"
            yield self._found("value", text + "; it is not known which is wrong", None)
            return
        error, eager_error = _distance(compiled, truth), _distance(eager, truth)
        allowed = absolute + relative * _size(truth)
        wrong = apart & (error > allowed + _WORSE * _scale(eager_error, eager))
        for moved in _MOVES:
            if not wrong.any():
                break
            rerun = _truth(reference, index, self.what, mine, moved)
            if rerun is not None:
                # Decided by rounding: float64 itself gives another result for inputs that differ by rounding errors.
                wrong &= error > allowed + _DECIDED * _scale(_distance(rerun, truth), eager)
        if wrong.any():
            text = f"{_many(wrong)}; {_worst(wrong, error, compiled, eager, truth)}; compiled is wrong"
            yield self._found("value", text)
        elif (apart & (eager_error > allowed) & (error <= eager_error)).any():
            text = f"{_many(apart)}; {_worst(apart, eager_error, compiled, eager, truth)}; eager is wrong"
            yield self._found("value", text, "eager")


def _truth(
    reference: Reference, index: int, what: str, like: TensorSnapshot, moved: int | None = None
) -> torch.Tensor | None:
    """The float64 run's value; None if it has none of that shape."""
    observed = reference.run(moved)
    if observed is None:
        return None
    seen = observed[index].values.get(what)
    if not isinstance(seen, TensorSnapshot) or seen.values.shape != like.values.shape:
        return None
    wide = _plain(seen.values)
    # Past the dtype's largest number, infinity is the right answer.
    beyond = torch.isinf(_plain(seen.values.to(like.values.dtype)))
    return torch.where(beyond, wide.sign() * math.inf, wide) if like.values.dtype.is_floating_point else wide


def _plain(values: torch.Tensor) -> torch.Tensor:
    """Dense float64 values, or int64 for whole numbers; complex numbers as their two parts."""
    if values.is_quantized:
        values = values.dequantize()
    if values.layout != torch.strided:
        values = values.to_dense()
    if values.is_complex():
        return torch.view_as_real(values.resolve_conj().to(torch.complex128))
    return values.to(torch.float64 if values.is_floating_point() else torch.int64)


def _distance(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """|first - second|; 0 between equal infinities and between NaNs, infinite where only one is finite."""
    same = (first == second) | (torch.isnan(first) & torch.isnan(second))
    apart = (first.double() - second.double()).abs().nan_to_num(nan=math.inf, posinf=math.inf)
    return torch.where(same, 0.0, apart)


def _size(values: torch.Tensor) -> torch.Tensor:
    return values.double().abs().nan_to_num(nan=0.0, posinf=0.0)


def _scale(errors: torch.Tensor, of: torch.Tensor) -> torch.Tensor:
    """Each element's error; for inexact numbers at least the root mean square, since one may be small by luck."""
    finite = errors[torch.isfinite(errors)]
    if not of.is_floating_point() or not finite.numel():
        return errors
    return torch.maximum(errors, finite.square().mean().sqrt())


def _many(apart: torch.Tensor) -> str:
    return f"{int(apart.sum())} of {apart.numel()} elements differ"


def _worst(
    where: torch.Tensor, errors: torch.Tensor, compiled: torch.Tensor, eager: torch.Tensor, truth: torch.Tensor | None
) -> str:
    """The element with the largest error: its index, its value on each side, and how far each is from float64."""
    flat = int(torch.where(where, errors, -1.0).argmax())
    index = [int(number) for number in torch.unravel_index(torch.tensor(flat), where.shape)] if where.dim() else []
    at = tuple(index)
    text = f"worst at {list(index)}: compiled {_number(compiled[at])}, eager {_number(eager[at])}"
    if truth is None:
        return f"{text}, difference {_number(errors[at])}"
    errors_of = [_number(_distance(side[at], truth[at])) for side in (compiled, eager)]
    return f"{text}, float64 {_number(truth[at])}; compiled error {errors_of[0]}, eager error {errors_of[1]}"


def _number(value: torch.Tensor) -> str:
    return f"{value.item():.6g}" if value.is_floating_point() else str(value.item())


def _same_leaf(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, float) and isinstance(theirs, float):
        return math.isclose(mine, theirs, rel_tol=1e-7, abs_tol=1e-7) or (math.isnan(mine) and math.isnan(theirs))
    if type(mine) is not type(theirs):
        return False
    plain = isinstance(mine, (int, str, bytes, complex, bool, torch.dtype, torch.device)) or mine is None
    # An object without a value to compare (one that the program passes through) is compared by its class.
    return bool(mine == theirs) if plain else True


def _leaf(value: Any) -> str:
    if isinstance(value, TensorSnapshot):
        return f"a tensor of dtype {value.facts['dtype']} and shape {value.facts['shape']}"
    return repr(value)
