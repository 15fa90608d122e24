"""A program as it is written, with less rounding than eager: each operator in float64, rounded once to its own dtype.

Every cast, dtype, range, infinity and NaN of the program stays. Moved, the program shows how far roundings that it does
not write may change what it computes.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import torch

from pytest_compile_golden.torch_internals import tensors

pytree = tensors.PYTREE.get()
TorchDispatchMode = tensors.DISPATCH_MODE.get()
_disable_current_modes = tensors.DISABLE_MODES.get()
aten = torch.ops.aten

HALF = (torch.float16, torch.bfloat16)
_WIDE = {
    **dict.fromkeys((torch.float32, *HALF), torch.float64),
    **{value: torch.float64 for name, value in vars(torch).items() if name.startswith("float8_")},
    **dict.fromkeys((torch.complex64, torch.complex32), torch.complex128),
}
_ADDED_UP = 16
"""How many rounding errors each number is off by that an operator adds up with others, maybe in another order."""
_COMPUTED = 2
"""How many a result is off by: other code for an operator, a multiplication fused with an addition."""
_CASTS = (aten._to_copy.default, aten.copy_.default, torch.ops.prims.convert_element_type.default)
_AS_THEY_ARE = (*_CASTS, aten.nextafter.default, aten.nextafter_.default)
"""Operators that mean something else in float64."""


class Exact(TorchDispatchMode):  # type: ignore[misc,valid-type]
    """Computes each operator of a program in float64, and rounds the result to the dtype that the program has there.

    moved: whether roundings that the program does not write go another way, drawn from a seed; 2n and 2n + 1 go in
    opposite ways. Casts to half precision are among them, as fusion may leave them out; those to anything narrower are
    the program's own, and what is exact stays as it is.
    """

    supports_higher_order_operators = True

    def __init__(self, moved: int | None = None) -> None:
        super().__init__()
        self._generator = None if moved is None else torch.Generator().manual_seed(moved // 2)
        self._sign = 1 if moved is None or moved % 2 == 0 else -1
        self.past_half = False
        """Whether a number was too large for the half precision that the program has it in."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        if not isinstance(func, tensors.OPERATOR.get()):
            # An operator with graphs of its own; what it returns may be something that it was given.
            return pytree.tree_map_only(torch.Tensor, self._off, func(*args, **kwargs))
        dtype = next((tensor.dtype for tensor in given if tensor.dtype in _WIDE), None)
        # `prim` has what is asked of a tensor, such as its device. What makes a graph would take all of this into it.
        asked = func.namespace == "prim" or tensors.PROXY_MODE.get()() is not None
        if func.is_view or dtype is None or asked or _draws(func, args, kwargs):
            return func(*args, **kwargs)
        if func in _AS_THEY_ARE:
            result = func(*args, **kwargs)
            narrows = func in _CASTS and result.dtype in HALF and given[-1].dtype.itemsize > result.dtype.itemsize
            if narrows:
                self._round(result, given[-1].double(), given[-1].double())
            return result
        # Kernels have numbers in the precision that they compute in, which for half precision may be either.
        numbers = (torch.float32, dtype) if dtype in HALF and _has_fractions(args, kwargs) else (torch.float32,)
        precise = [self._in_float64(func, args, kwargs, rounded) for rounded in numbers]
        result = func(*args, **kwargs)
        made = _made(func, args, kwargs, result)
        best = next((each for each in precise if each and _like(made, each[0])), precise[0])
        if best is None:  # the operator does not take float64
            for tensor in made:
                self._put(tensor, self._off(tensor))
        else:
            for tensor, better, moved in zip(made, *best, strict=True):
                with _without_a_value():
                    self._round(tensor, better, moved)
        return result

    def _in_float64(
        self, func: Any, args: Any, kwargs: Any, numbers: torch.dtype
    ) -> tuple[list[torch.Tensor], list[torch.Tensor]] | None:
        """What an operator makes in float64, and if it adds up, of moved numbers; None if it does not take float64.

        numbers: the precision of arguments that are no tensors.
        """
        adds_up = self._generator is not None and torch.Tag.pointwise not in func.tags

        def run(change: Callable[[torch.Tensor], torch.Tensor]) -> list[torch.Tensor]:
            copies: dict[int, torch.Tensor] = {}

            def wide(leaf: Any) -> Any:
                if isinstance(leaf, torch.Tensor):
                    if id(leaf) not in copies:
                        known = _WIDE.get(leaf.dtype)
                        # Copies, as the operator may write to them.
                        copies[id(leaf)] = leaf.clone() if known is None else change(leaf.to(known))
                    return copies[id(leaf)]
                if isinstance(leaf, torch.dtype):
                    return _WIDE.get(leaf, leaf)
                return _rounded(leaf, numbers) if type(leaf) is float else leaf

            wide_args, wide_kwargs = pytree.tree_map(wide, (args, kwargs))
            return _made(func, wide_args, wide_kwargs, func(*wide_args, **wide_kwargs))

        try:
            better = run(lambda tensor: tensor)
            # Sums of half precision are made in float32.
            return better, run(lambda tensor: self._off(tensor, torch.float32, _ADDED_UP)) if adds_up else better
        except (NotImplementedError, RuntimeError):
            return None

    def _round(self, tensor: torch.Tensor, better: torch.Tensor, moved: torch.Tensor) -> None:
        """Give a result of the program the better value, rounded, or the moved one where rounding changes it."""
        if tensor.layout != torch.strided or tensor.shape != better.shape:
            return
        rounded = better.to(tensor.dtype)
        if tensor.dtype in HALF and not self.past_half:
            self.past_half = not torch.equal(rounded.isinf(), better.isinf())
        if self._generator is not None and tensor.dtype in _WIDE:
            wide = rounded.to(better.dtype)
            # A sum may be exact by luck.
            by_luck = moved is not better and not (torch.equal(wide, better) and torch.equal(tensor, rounded))
            inexact = torch.ones_like(wide, dtype=torch.bool) if by_luck else wide != better
            rounded = torch.where(inexact, self._off(moved, tensor.dtype).to(tensor.dtype), rounded)
        self._put(tensor, rounded)

    def _put(self, tensor: torch.Tensor, value: torch.Tensor) -> None:
        if value is not tensor and not torch.equal(tensor, value):
            tensor.copy_(value)

    def _off(self, tensor: torch.Tensor, dtype: torch.dtype | None = None, by: int = _COMPUTED) -> torch.Tensor:
        """Numbers that are off by some rounding errors of this dtype, their own if not given."""
        dtype = tensor.dtype if dtype is None else dtype
        if self._generator is None or not (dtype.is_floating_point or dtype.is_complex) or dtype.itemsize == 1:
            return tensor
        with _disable_current_modes():
            signs = torch.randint(0, 2, tensor.shape, generator=self._generator).double().mul_(2).sub_(1)
        wide = tensor.to(_WIDE.get(tensor.dtype, tensor.dtype))
        return (
            wide
            * (
                1
                + self._sign * by * torch.finfo(dtype).eps * torch.empty_like(tensor, dtype=torch.float64).copy_(signs)
            )
        ).to(tensor.dtype)


def _has_fractions(args: Any, kwargs: Any) -> bool:
    numbers = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if type(leaf) is float]
    return any(math.isfinite(number) and not number.is_integer() for number in numbers)


def _rounded(number: float, dtype: torch.dtype) -> float:
    if not math.isfinite(number):
        return number
    digits = 1 - round(math.log2(torch.finfo(dtype).eps))
    fraction, exponent = math.frexp(number)
    return math.ldexp(round(math.ldexp(fraction, digits)), exponent - digits)


def _made(func: Any, args: Any, kwargs: Any, result: Any) -> list[torch.Tensor]:
    """The tensors that an operator wrote to, and those that it returns and was not given."""
    given = {id(leaf) for leaf in pytree.tree_leaves((args, kwargs))}
    made = []
    for argument, value in _arguments(func, args, kwargs):
        if argument.alias_info is not None and argument.alias_info.is_write:
            made += pytree.tree_leaves(value)
    made += [leaf for leaf in pytree.tree_leaves(result) if id(leaf) not in given]
    return [leaf for leaf in made if isinstance(leaf, torch.Tensor)]


def _arguments(func: Any, args: Any, kwargs: Any) -> Iterator[tuple[Any, Any]]:
    """What the operator declares, with what it is given."""
    for position, argument in enumerate(func._schema.arguments):
        value = args[position] if position < len(args) else kwargs.get(argument.name, argument.default_value)
        yield argument, value


def _like(made: list[torch.Tensor], precise: list[torch.Tensor]) -> bool:
    """Whether they are the same but for a few rounding errors."""
    for one, other in zip(made, precise, strict=True):
        if one.shape != other.shape:
            return False
        if not one.is_floating_point():
            continue
        limits = torch.finfo(one.dtype)
        far = (one.to(other.dtype) - other).abs() > 4 * limits.eps * other.abs() + limits.tiny
        with _without_a_value():
            if not torch.equal(far, torch.zeros_like(far)):
                return False
    return True


def _draws(func: Any, args: Any, kwargs: Any) -> bool:
    """Whether this call draws random numbers; attention is an operator that may, but only does so with dropout."""
    if torch.Tag.nondeterministic_seeded not in func.tags:
        return False
    return bool({argument.name: value for argument, value in _arguments(func, args, kwargs)}.get("dropout_p", True))


def _without_a_value() -> contextlib.AbstractContextManager[None]:
    """Leaves out what torch traces, whose tensors have no values."""
    return contextlib.suppress(tensors.DATA_DEPENDENT.get())
