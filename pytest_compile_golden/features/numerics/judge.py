"""The judge: does compiled code give what eager gives, and if not, which of them is wrong.

Eager is no reference, since it rounds as well. Where both differ, the program is run once more with each operator in
float64: a side is wrong if it is farther from that than roundings, which a compiler may place elsewhere, can bring it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.numerics import VERDICTS, Difference, Verdict
from pytest_compile_golden.features.numerics.exact_reference import HALF, Exact
from pytest_compile_golden.features.numerics.fake_tensor_strides import FakeStrides
from pytest_compile_golden.features.numerics.observation import (
    ALL_STRIDES,
    OFFSET,
    READ_AGAIN,
    Observation,
    TensorSnapshot,
    plain,
)
from pytest_compile_golden.features.numerics.tensor_distance import (
    MOST,
    described,
    distance,
    identical,
    scale,
    size,
    worst,
    zeros_of_other_sign,
)

# The tolerances of torch.testing.assert_close for the dtypes that it knows, a rounding error for the others.
_RELATIVE = {
    torch.float64: 1e-7,
    torch.float32: 1.3e-6,
    torch.bfloat16: 1.6e-2,
    torch.float16: 1e-3,
}
_ABSOLUTE = {torch.float64: 1e-7}
_WORSE = 8.0
"""Compiled code may be off by this many times what eager is off by: it rounds at other points, but no more coarsely."""
_DECIDED = 2.0
"""Either may be off by this many times what unwritten roundings change."""
_MOVES = range(8)
_RARE = 1000.0
"""A reciprocal of what roundings decide is so many times as large in one of as many runs."""
_WAYS: tuple[Literal[-1, 1], ...] = (1, -1)
_NOT_RUN_AGAIN = (
    "which side is wrong is not known, as the program could not be run as written"
)
_ROUGHLY = 0.05
_ANOTHER_EACH_TIME = "eager gives something else each time that the program is run"

# Numbers that an optimizer keeps on the CPU: Dynamo moves the step count to its parameter's device, as `capturable`
# does (torch/_dynamo/variables/optimizer.py: move_step_if_cpu), and NAdam's product follows.
_ON_CPU = ("['step'] after the call", "['mu_product'] after the call")


# What compiled code does not do, as it says (torch/_functorch/_aot_autograd/runtime_wrappers.py).
_DECLARED = ("does not currently support double backward", "donated buffers")


# How an operator that has no kernel for a dtype or a device says so (aten/src/ATen/Dispatch.h, and reportError of
# aten/src/ATen/core/dispatch/OperatorEntry.cpp). Nothing but the words tells it from one that refuses them on purpose:
# since torch 2.14 both raise NotImplementedError (aten/src/ATen/native/BinaryOps.h: sub_check). Whether an operator
# takes them on the meta device does not tell: that is often decided in Python, which accepts more (torch/_refs).
_NOT_THERE = re.compile("not implemented for '|Could not run '")
_REFUSALS = (
    ArithmeticError,
    AssertionError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""Errors that operators raise, or that a program does for what it is given."""


def refuses(error: BaseException | None) -> bool:
    """Whether the program or an operator refuses what it is given, rather than not being there for the device."""
    if isinstance(error, NotImplementedError):
        return not _NOT_THERE.search(str(error))
    return isinstance(error, _REFUSALS)


@dataclass(frozen=True)
class Tolerance:
    """The arguments of `numerics(rtol=, atol=)`; None means the dtype's default."""

    relative: float | None
    absolute: float | None

    def of(self, dtype: torch.dtype, values: torch.Tensor) -> tuple[float, float]:
        """The relative and the absolute tolerance for a tensor of a dtype: those that were given, else torch's own
        (torch/testing/_comparison.py), a rounding error for a dtype that torch has none for, and 0 for integers.

        torch's absolute one is for values that are small beside others. Where all are small, it is less.
        """
        inexact = dtype.is_floating_point or dtype.is_complex
        narrow = dtype.to_real() if dtype.is_complex else dtype
        relative = _RELATIVE.get(narrow, torch.finfo(narrow).eps if inexact else 0.0)
        absolute = _ABSOLUTE.get(narrow, 1e-5) if inexact else 0.0
        largest = float(size(values).max()) if inexact and values.numel() else 0.0
        if 0 < largest < 1:
            smallest = min(absolute, torch.finfo(narrow).tiny)
            absolute = max(absolute * largest, smallest)
        return (
            relative if self.relative is None else self.relative,
            absolute if self.absolute is None else self.absolute,
        )


Strides = Callable[[TensorSnapshot, TensorSnapshot], str | None]
"""Why the second tensor's strides may differ from those of the first, eager's; None if they may not."""


@dataclass
class Judge:
    """Compares what eager and compiled code leave; runs the program again where they differ, to find who is wrong."""

    run: Callable[[AbstractContextManager[object]], list[Observation]]
    """Runs the program in eager mode once more, in this mode."""
    tolerance: Tolerance
    emulated: Callable[[], list[Observation]] | None = None
    """Compiles and runs the program with no rounding left out (`emulate_precision_casts`), if that can be done."""
    other_strides: Strides = lambda eager, compiled: None
    not_compared: dict[str, str] = field(default_factory=dict)
    """What could not be run again, and why."""
    _exact: dict[tuple[int | None, int], list[Observation] | None] = field(
        default_factory=dict
    )
    _undefined: dict[str, None] = field(default_factory=dict)
    """What the program does of which torch leaves the result undefined."""
    _emulated: list[Observation] | None = None
    _repeated: list[Observation] | None = None
    _ruled: tuple[list[Observation], list[str]] | None = None
    """What eager leaves with the strides of fake rules, and the operators whose rules give others than they do."""
    _past_half: bool = False
    _out_of_range: set[int] = field(default_factory=set)
    """The calls with special values in which eager is off."""

    def differences(
        self, eager: list[Observation], compiled: list[Observation]
    ) -> Iterator[Difference]:
        """Everything on which the two disagree beyond the tolerance, each with a verdict."""
        told: set[tuple[str, str]] = set()
        raised: set[str] = set()
        usual: set[str] = set()
        """What differs without special values."""
        for index, (mine, theirs) in enumerate(zip(eager, compiled, strict=True)):
            if mine.call.removesuffix(READ_AGAIN) in raised:
                continue
            if theirs.overwritten:
                self.not_compared["what earlier calls returned, read again,"] = (
                    "a CUDA graph has written to it, as torch says"
                )
                continue
            if theirs.raises or mine.raises:
                raised.add(mine.call)
                if not mine.raises and any(
                    words in theirs.raises for words in _DECLARED
                ):
                    self.not_compared[f"{mine.call}, compiled,"] = theirs.raises
                elif bool(theirs.raises) != bool(mine.raises):
                    text = f"compiled {_outcome(theirs)}, eager {_outcome(mine)}"
                    yield Difference(
                        mine.call,
                        "the call",
                        "refusal",
                        "compiled",
                        text,
                        mine.given,
                        mine.special,
                    )
                continue
            if mine.structure != theirs.structure:
                text = f"compiled returns {theirs.structure}, eager {mine.structure}"
                yield Difference(
                    mine.call,
                    "output",
                    "structure",
                    "compiled",
                    text,
                    mine.given,
                    mine.special,
                )
                continue
            for what in dict.fromkeys((*mine.values, *theirs.values)):
                one, other = (
                    mine.values.get(what, _NONE),
                    theirs.values.get(what, _NONE),
                )
                if (mine.call.removesuffix(READ_AGAIN), what) in told or (
                    mine.special and what in usual
                ):
                    continue
                for found in self._compared(index, what, one, other, mine):
                    told.add((mine.call, what))
                    if not mine.special:
                        usual.add(what)
                    yield replace(
                        found, call=mine.call, given=mine.given, special=mine.special
                    )
            names = dict.fromkeys((*mine.plain_values, *theirs.plain_values))
            for what in () if mine.special else names:
                one = mine.plain_values.get(what, _NONE)
                other = theirs.plain_values.get(what, _NONE)
                if what not in usual and not _same_plain(one, other):
                    usual.add(what)
                    text = f"compiled leaves {other!r}, eager {one!r}"
                    yield Difference(
                        mine.call,
                        f"{what} after the call",
                        "state",
                        "compiled",
                        text,
                        mine.given,
                    )
            for what, memory in mine.shares.items():
                if mine.special and what in usual:
                    continue
                if what in theirs.shares and memory != theirs.shares[what]:
                    if not mine.special:
                        usual.add(what)
                    text = f"compiled {_memory(theirs.shares[what])}, eager {_memory(memory)}"
                    yield Difference(
                        mine.call,
                        what,
                        "alias",
                        "compiled",
                        text,
                        mine.given,
                        mine.special,
                    )
                elif (one := mine.objects.get(what)) != (
                    other := theirs.objects.get(what)
                ) and what not in usual:
                    usual.add(what)
                    text = f"compiled returns {_object(other)}, eager {_object(one)}"
                    yield Difference(
                        mine.call, what, "identity", "compiled", text, mine.given
                    )

    def _compared(
        self, index: int, what: str, mine: Any, theirs: Any, of: Observation
    ) -> Iterator[Difference]:
        def found(kind: str, text: str, verdict: Verdict = "compiled") -> Difference:
            return Difference("", what, kind, verdict, text)

        if not isinstance(mine, TensorSnapshot) or not isinstance(
            theirs, TensorSnapshot
        ):
            if not _same_leaf(mine, theirs):
                yield found(
                    "kind", f"compiled gives {_leaf(theirs)}, eager {_leaf(mine)}"
                )
            return
        moves = {"device", "class"} if what.endswith(_ON_CPU) else set()
        differ = [
            fact
            for fact, value in mine.facts.items()
            if theirs.facts.get(fact) != value and fact not in moves
        ]
        for fact in differ:
            text = f"compiled has {fact} {theirs.facts.get(fact)}, eager {mine.facts[fact]}"
            if fact in (ALL_STRIDES, OFFSET):
                if differ[0] in (ALL_STRIDES, OFFSET):  # only these
                    yield found(fact, text, "unpromised")
            elif (
                fact == "strides"
                and (why := self.other_strides(mine, theirs)) is not None
            ):
                yield found(fact, f"{text}: {why}", "unpromised")
            elif fact == "strides" and (
                rules := self._by_fake_rules(index, what, mine, theirs)
            ):
                yield found(
                    fact,
                    f"{text}: the fake rule of {', '.join(rules)} is wrong",
                    "fake_rule",
                )
            elif fact != "grad_fn" or "requires_grad" not in differ:
                yield found(fact, text)
        if (
            mine.facts["shape"] == theirs.facts["shape"]
            and mine.facts["dtype"] == theirs.facts["dtype"]
        ):
            yield from self._values(index, what, mine, theirs, of)

    def _values(
        self,
        index: int,
        what: str,
        mine: TensorSnapshot,
        theirs: TensorSnapshot,
        of: Observation,
    ) -> Iterator[Difference]:
        eager = plain(mine.values)
        compiled = plain(theirs.values).to(eager.device)
        zeros = zeros_of_other_sign(eager, compiled)
        if not zeros.any() and torch.equal(eager, compiled):  # the usual case
            return
        relative, absolute = self.tolerance.of(mine.values.dtype, eager)
        apart = distance(compiled, eager) > absolute + relative * size(eager)
        if apart.any():
            yield from self._numbers(index, what, mine, eager, compiled, apart, of)
        if of.special and eager.is_floating_point():  # some are the smallest numbers
            zeros |= ((eager == 0) != (compiled == 0)) & ~apart
        if zeros.any():
            yield self._zeros(index, what, mine, zeros, eager, compiled)

    def _numbers(
        self,
        index: int,
        what: str,
        mine: TensorSnapshot,
        eager: torch.Tensor,
        compiled: torch.Tensor,
        apart: torch.Tensor,
        of: Observation,
    ) -> Iterator[Difference]:
        """Which side is wrong. apart: the elements that differ by more than the tolerance."""
        relative, absolute = self.tolerance.of(mine.values.dtype, eager)
        again = self._in(self._once_more(), index, what, mine)
        if again is not None:
            again = again.to(eager.device)
            kept = distance(again, eager) <= absolute + relative * size(eager)
            if not (apart & kept).any():
                text = described(apart, compiled, eager)
                yield Difference(
                    "", what, "value", "undecided", text, reason=_ANOTHER_EACH_TIME
                )
                return
        exact = self._in(self._exactly(), index, what, mine)
        if exact is None:
            text = described(apart, compiled, eager)
            yield Difference(
                "", what, "value", "undecided", text, reason=_NOT_RUN_AGAIN
            )
            return
        error, eager_error = distance(compiled, exact), distance(eager, exact)
        reach = absolute + relative * size(exact)  # of unwritten roundings
        wrong = apart & (error > reach + _WORSE * scale(eager_error, eager))
        eager_wrong = apart & (eager_error > reach) & (error <= eager_error)

        def beyond_reach() -> tuple[torch.Tensor, torch.Tensor]:
            return wrong & (error > reach), eager_wrong & (eager_error > reach)

        if self._undefined and (wrong.any() or eager_wrong.any()):
            for way in _WAYS:
                rerun = self._in(self._exactly(None, way), index, what, mine)
                if rerun is not None:  # where that changes anything, all is right
                    reach = reach.masked_fill(distance(rerun, exact) > reach, math.inf)
            wrong, eager_wrong = beyond_reach()
            if not (wrong.any() or eager_wrong.any()):
                text = described(apart, compiled, eager)
                reason = f"torch leaves undefined {' and '.join(self._undefined)}"
                yield Difference("", what, "value", "undefined", text, reason=reason)
                return
        changed = torch.zeros_like(error)  # by moved roundings
        for moved in _MOVES:
            if not (wrong.any() or eager_wrong.any()):
                break
            rerun = self._in(self._exactly(moved), index, what, mine)
            if rerun is not None:
                moves = distance(rerun, exact)
                changed = torch.maximum(changed, moves)
                reach = torch.maximum(reach, _DECIDED * scale(moves, eager))
                wrong, eager_wrong = beyond_reach()
        # Roundings decide the sign and size of most numbers, as in the inverse of a singular matrix.
        mostly_noise = (changed > size(exact)).double().mean() > MOST
        if eager.is_floating_point() and mostly_noise:
            reach = torch.maximum(reach, _RARE * changed.max())
            wrong, eager_wrong = beyond_reach()
        verdict: Verdict
        by, settled = (
            "roundings that the program does not write change it as much",
            True,
        )
        if wrong.any():
            emulated = self._in(self._without_fusion(), index, what, mine)
            if emulated is not None:
                by = "with emulate_precision_casts it is as in eager"
                wrong &= distance(emulated, exact) > reach + _WORSE * scale(
                    eager_error, eager
                )
            elif self._past_half:
                by, settled = (
                    "whether fusion leaves out that half precision overflows is not known",
                    False,
                )
                wrong &= torch.isfinite(exact)
        if of.special:  # at the ends of a dtype's range, eager may be out of range, and all that follows from it
            if (eager_error > absolute + relative * size(exact)).any():
                self._out_of_range.add(index)
            wrong &= index not in self._out_of_range
        if (
            wrong.any()
            and not of.given
            and not of.special
            and mine.values.dtype in HALF
        ):
            # Large scores of attention overflow in half precision, or their rounding decides between two keys; one
            # kernel for all of it has neither, and torch means it to.
            verdict, where, by = (
                "undecided",
                wrong,
                "rounding of half precision may decide it, which one kernel leaves out",
            )
        elif wrong.any():
            verdict, where, by = "compiled", wrong, VERDICTS["compiled"]
        elif eager_wrong.any():
            verdict, where, by = "eager", eager_wrong, VERDICTS["eager"]
        else:
            verdict, where = "fusion" if settled else "undecided", apart
        text = described(where, compiled, eager, exact)
        yield Difference("", what, "value", verdict, text, reason=by)

    def _zeros(
        self,
        index: int,
        what: str,
        mine: TensorSnapshot,
        apart: torch.Tensor,
        eager: torch.Tensor,
        compiled: torch.Tensor,
    ) -> Difference:
        """What a zero of the other sign, or on one side only, is: the program's own, unless rounding decides it."""
        wrong, known = apart, False
        by = "roundings that the program does not write decide it"
        for moved in (None, *_MOVES):
            rerun = self._in(self._exactly(moved), index, what, mine)
            if rerun is not None:
                known = True
                wrong = wrong & identical(rerun, eager)
            if not wrong.any():
                break
        if known and wrong.any():  # a number in between may be out of range
            emulated = self._in(self._without_fusion(), index, what, mine)
            if emulated is not None:
                by = "with emulate_precision_casts it is as in eager"
                wrong = wrong & ~identical(emulated, eager)
        text = f"{int(apart.sum())} of {apart.numel()} elements are a zero of the other sign"
        lost = apart & ((eager == 0) != (compiled == 0))
        if lost.any():
            text += f", or on one side only; {worst(lost, compiled, eager)}"
        if not known:
            return Difference(
                "", what, "zero", "undecided", text, reason=_NOT_RUN_AGAIN
            )
        if wrong.any():
            return Difference(
                "", what, "zero", "compiled", text, reason=VERDICTS["compiled"]
            )
        return Difference("", what, "zero", "fusion", text, reason=by)

    def _exactly(
        self, moved: int | None = None, otherwise: Literal[-1, 0, 1] = 0
    ) -> list[Observation] | None:
        if (moved, otherwise) not in self._exact:
            mode = Exact(moved, otherwise)
            rerun = self._again(
                lambda: self.run(mode), "eager with each operator in float64"
            )
            self._exact[moved, otherwise] = rerun
            self._past_half |= mode.past_half
            self._undefined |= mode.undefined
        return self._exact[moved, otherwise]

    def _once_more(self) -> list[Observation] | None:
        if self._repeated is None:
            self._repeated = (
                self._again(lambda: self.run(nullcontext()), "eager, once more,") or []
            )
        return self._repeated

    def _without_fusion(self) -> list[Observation] | None:
        if self._emulated is None and self.emulated is not None:
            self._emulated = (
                self._again(self.emulated, "compiled code with emulate_precision_casts")
                or []
            )
        return self._emulated

    def _by_fake_rules(
        self, index: int, what: str, mine: TensorSnapshot, theirs: TensorSnapshot
    ) -> list[str]:
        """The operators whose rules for fake tensors give a result the strides that compiled code gives it, if any."""
        if self._ruled is None:
            mode = FakeStrides()
            observed = (
                self._again(
                    lambda: self.run(mode), "eager with the strides of fake rules"
                )
                or []
            )
            self._ruled = observed, [*mode.disagreeing]
        observed, operators = self._ruled
        seen = observed[index].values.get(what) if index < len(observed) else None
        alike = isinstance(seen, TensorSnapshot) and seen.facts.get(
            "strides"
        ) == theirs.facts.get("strides")
        return operators if alike else []

    def _again(
        self, run: Callable[[], list[Observation]], what: str
    ) -> list[Observation] | None:
        try:
            return run()
        except Exception as error:
            # The program may raise anything, and so may what compiles it.
            lines = split_lines(str(error).strip()) or [type(error).__name__]
            self.not_compared.setdefault(what, lines[0])
            return None

    def _in(
        self,
        observed: list[Observation] | None,
        index: int,
        what: str,
        like: TensorSnapshot,
    ) -> torch.Tensor | None:
        """The value of another run; None if it has none of that shape."""
        seen = (
            observed[index].values.get(what)
            if observed and index < len(observed)
            else None
        )
        if (
            not isinstance(seen, TensorSnapshot)
            or seen.values.shape != like.values.shape
        ):
            return None
        return plain(seen.values)


def _outcome(observation: Observation) -> str:
    return f"raises {observation.raises}" if observation.raises else "returns a result"


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


_NONE = _Absent()


def _memory(shared: tuple[str, int] | None) -> str:
    if shared is None:
        return "has its own memory"
    return f"is a view of {shared[0]}" + (
        f" starting at element {shared[1]}" if shared[1] else ""
    )


def _object(name: str | None) -> str:
    return "another tensor" if name is None else f"{name} itself"


def _same_leaf(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, float) and isinstance(theirs, float):
        return math.isclose(mine, theirs, rel_tol=1e-7, abs_tol=1e-7) or (
            math.isnan(mine) and math.isnan(theirs)
        )
    if type(mine) is not type(theirs):
        return False
    plain = (
        isinstance(mine, (int, str, bytes, complex, bool, torch.dtype, torch.device))
        or mine is None
    )
    # An object without a value to compare (one that the program passes through) is compared by its class.
    return bool(mine == theirs) if plain else True


def _same_plain(mine: Any, theirs: Any) -> bool:
    """Whether they are the same; floats may be of tensors, which other code rounds in another way."""
    if isinstance(mine, float) and isinstance(theirs, float) and math.isfinite(mine):
        return math.isclose(mine, theirs, rel_tol=_ROUGHLY, abs_tol=_ROUGHLY)
    return _same_leaf(mine, theirs) if type(mine) is not list else bool(mine == theirs)


def _leaf(value: Any) -> str:
    if isinstance(value, TensorSnapshot):
        return (
            f"a tensor of dtype {value.facts['dtype']} and shape {value.facts['shape']}"
        )
    return repr(value)
