"""A program as it is written, with less rounding than eager: each operator in float64, rounded once to its own dtype.

Every cast, dtype, range, infinity and NaN of the program stays. Moved, the program shows how far roundings that it does
not write may change what it computes.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any, Literal

import torch

from pytest_compile_golden.torch_internals import tensors

pytree = tensors.PYTREE.get()
TorchDispatchMode = tensors.DISPATCH_MODE.get()
_disable_current_modes = tensors.DISABLE_MODES.get()
aten = torch.ops.aten

HALF = (torch.float16, torch.bfloat16)
_WIDE = {
    **dict.fromkeys((torch.float32, *HALF), torch.float64),
    **{
        value: torch.float64
        for name, value in vars(torch).items()
        if name.startswith("float8_")
    },
    **dict.fromkeys((torch.complex64, torch.complex32), torch.complex128),
}
_ADDED_UP = 16
"""How many rounding errors each number is off by that an operator adds up with others, maybe in another order."""
_MOST_INDEPENDENT = 2**20
"""How many numbers may be added up one after another in float32 before most digits of each are rounded away, so that
the errors are no longer as good as independent."""
_COMPUTED = 2
"""How many a result is off by: other code for an operator, a multiplication fused with an addition."""
_SCANNED = 0.01
"""By how much roundings alone may change what a scan combines in another order."""
_CASTS = (
    aten._to_copy.default,
    aten.copy_.default,
    torch.ops.prims.convert_element_type.default,
)
_AS_THEY_ARE = (*_CASTS, aten.nextafter.default, aten.nextafter_.default)
"""Operators that mean something else in float64."""
_PUTS = (aten.index_put.default, aten.index_put_.default)
_SCATTERS = (aten.scatter.src, aten.scatter_.src)
_COPIES = (aten.index_copy.default, aten.index_copy_.default)
_SORTS = (aten.sort.default, aten.sort.stable)
_MATRIX_PRODUCTS = {
    aten.mm: 0,
    aten.bmm: 0,
    aten.mv: 0,
    aten.dot: 0,
    aten.addmm: 1,
    aten.baddbmm: 1,
    aten.addmv: 1,
}
"""Which argument is the matrix whose rows are multiplied and added up."""
_DIVISIONS = (aten.div, aten.div_, aten._foreach_div, aten._foreach_div_)


class Exact(TorchDispatchMode):  # type: ignore[misc,valid-type]
    """Computes each operator of a program in float64, and rounds the result to the dtype that the program has there.

    moved: whether roundings that the program does not write go another way, drawn from a seed; 2n and 2n + 1 go in
    opposite ways. Casts to half precision are among them, as fusion may leave them out; those to anything narrower are
    the program's own, and what is exact stays as it is.
    otherwise: 1 or -1 for another result where torch leaves it undefined: the largest or smallest number of a whole
    dtype for a float that it does not have, another order in which a function that is not associative combines what is
    scanned, and with -1 the first instead of the last value put at one place, and another order of equal values where
    they are sorted.
    """

    supports_higher_order_operators = True

    def __init__(
        self, moved: int | None = None, otherwise: Literal[-1, 0, 1] = 0
    ) -> None:
        super().__init__()
        self._otherwise = otherwise
        self.undefined: dict[str, None] = {}
        """What the program does of which torch leaves the result undefined."""
        self._generator = (
            None if moved is None else torch.Generator().manual_seed(moved // 2)
        )
        self._sign = 1 if moved is None or moved % 2 == 0 else -1
        self.past_half = False
        """Whether a number was too large for the half precision that the program has it in."""

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Dynamo compiles under it, as what torch wrote for operators that take functions expects even in eager."""
        return True

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        given = [
            leaf
            for leaf in pytree.tree_leaves((args, kwargs))
            if isinstance(leaf, torch.Tensor)
        ]
        if not isinstance(func, tensors.OPERATOR.get()):
            # An operator with graphs of its own; what it returns may be something that it was given.
            result = func(*args, **kwargs)
            if func.name() == "associative_scan":
                self._combine_otherwise(result, *args, **kwargs)
            return pytree.tree_map_only(torch.Tensor, self._off, result)
        dtype = next((tensor.dtype for tensor in given if tensor.dtype in _WIDE), None)
        # `prim` has what is asked of a tensor, such as its device. What makes a graph would take all of this into it.
        asked = func.namespace == "prim" or tensors.PROXY_MODE.get()() is not None
        if not asked and (reversed_order := _in_reversed_order(func, args)) is not None:
            result = func(*args, **kwargs)
            what = f"{func.overloadpacket} of several values at one place"
            self._put_otherwise(result, reversed_order, what)
            return result
        if not asked and func in _SORTS and not kwargs.get("stable"):
            values, indices = func(*args, **kwargs)
            how = {each.name: value for each, value in _arguments(func, args, kwargs)}
            if values.dim():
                rotated = _with_equals_rotated(values, indices, how["dim"])
                what = f"the order in which {func.overloadpacket} leaves equal values"
                self._put_otherwise(indices, rotated, what)
            return values, indices
        by_reciprocal = _multiplies_by_reciprocal(func, args, kwargs)
        if func.is_view or asked or _draws(func, args, kwargs):
            return func(*args, **kwargs)
        if dtype is None and not by_reciprocal:
            return func(*args, **kwargs)
        if func in _AS_THEY_ARE:
            result = func(*args, **kwargs)
            narrows = (
                func in _CASTS
                and result.dtype in HALF
                and given[-1].dtype.itemsize > result.dtype.itemsize
            )
            if narrows:
                self._round(result, given[-1].double(), given[-1].double())
            elif func in _CASTS and given[-1].is_floating_point():
                self._cast_out_of_range(result, given[-1])
            return result
        # Kernels have numbers in the precision that they compute in, which for half precision may be either.
        numbers = (
            (torch.float32, dtype)
            if dtype in HALF and _has_fractions(args, kwargs)
            else (torch.float32,)
        )
        precise = [self._in_float64(func, args, kwargs, rounded) for rounded in numbers]
        result = func(*args, **kwargs)
        made = _made(func, args, kwargs, result)
        best = next(
            (each for each in precise if each and _like(made, each[0])), precise[0]
        )
        if best is None:  # the operator does not take float64
            for tensor in made:
                self._put(tensor, self._off(tensor))
        else:
            for index, (tensor, better, moved) in enumerate(
                zip(made, *best, strict=True)
            ):
                with _without_a_value():
                    if moved is not better:
                        count = _added_up(func, args, index, tensor, given)
                        moved = self._one_after_another(better, moved, count)
                    self._round(tensor, better, moved, by_reciprocal)
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
                        copies[id(leaf)] = (
                            leaf.clone() if known is None else change(leaf.to(known))
                        )
                    return copies[id(leaf)]
                if isinstance(leaf, torch.dtype):
                    return _WIDE.get(leaf, leaf)
                return _rounded(leaf, numbers) if type(leaf) is float else leaf

            wide_args, wide_kwargs = pytree.tree_map(wide, (args, kwargs))
            return _made(func, wide_args, wide_kwargs, func(*wide_args, **wide_kwargs))

        try:
            better = run(lambda tensor: tensor)
            # Sums of half precision are made in float32.
            return better, run(
                lambda tensor: self._off(tensor, torch.float32, _ADDED_UP)
            ) if adds_up else better
        except (NotImplementedError, RuntimeError):
            return None

    def _round(
        self,
        tensor: torch.Tensor,
        better: torch.Tensor,
        moved: torch.Tensor,
        never_exact: bool = False,
    ) -> None:
        """Give a result of the program the better value, rounded, or the moved one where rounding changes it.

        never_exact: whether rounding may change any, also one that is exact here.
        """
        if tensor.layout != torch.strided or tensor.shape != better.shape:
            return
        rounded = better.to(tensor.dtype)
        if tensor.dtype in HALF and not self.past_half:
            self.past_half = not torch.equal(rounded.isinf(), better.isinf())
        if self._generator is not None and tensor.dtype in _WIDE:
            wide = rounded.to(better.dtype)
            # A sum may be exact by luck.
            by_luck = moved is not better and not (
                torch.equal(wide, better) and torch.equal(tensor, rounded)
            )
            inexact = (wide != better) | by_luck | never_exact
            rounded = torch.where(
                inexact, self._off(moved, tensor.dtype).to(tensor.dtype), rounded
            )
        self._put(tensor, rounded)

    def _one_after_another(
        self, better: torch.Tensor, moved: torch.Tensor, count: float
    ) -> torch.Tensor:
        """What an operator makes of moved numbers, if it may add them up one after another in float32.

        Errors of n additions that are independent are as large as the root of n of them (Higham and Mary, A new
        approach to probabilistic rounding error analysis, 2019), of all numbers that are added up, and of the sum.
        better: made of the numbers as they are. count: how many are added up for an element.
        """
        errors = max(math.sqrt(count), count / math.sqrt(_MOST_INDEPENDENT))
        if errors <= _ADDED_UP or not better.is_floating_point():
            return moved
        apart = (moved - better).nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)
        return self._off(
            moved + (errors / _ADDED_UP - 1) * apart, torch.float32, errors
        )

    def _cast_out_of_range(self, result: torch.Tensor, number: torch.Tensor) -> None:
        """Give floats that a whole dtype does not have another of its numbers, as C++ and GPUs may do."""
        if (
            result.dtype == torch.bool
            or result.is_floating_point()
            or result.is_complex()
        ):
            return
        limits = torch.iinfo(result.dtype)
        whole = number.double().trunc()
        outside = (
            whole.isnan()
            | (whole < float(limits.min))
            | (whole >= float(limits.max) + 1)
        )
        with _without_a_value():
            if torch.equal(outside, torch.zeros_like(outside)):
                return
            self.undefined[
                f"the cast of a number to {result.dtype}, whose range it is out of"
            ] = None
            if self._otherwise:
                self._put(
                    result,
                    result.masked_fill(
                        outside, limits.max if self._otherwise > 0 else limits.min
                    ),
                )

    def _combine_otherwise(
        self, result: Any, combine: Callable[..., Any], scanned: Any, more: Any = ()
    ) -> None:
        """Give a scan the result of another order, which is another one if the function is not associative.

        scanned: along their first dimension. more: what each call of the function also gets.
        """

        def at(place: int) -> list[torch.Tensor]:
            return [tensor[place : place + 1] for tensor in scanned]

        def combined(one: Any, other: Any) -> list[torch.Tensor]:
            return list(pytree.tree_leaves(combine(*one, *other, *more)))

        length = len(scanned[0])
        if length < 3:
            return
        from_left = combined(combined(at(0), at(1)), at(2))
        from_right = combined(at(0), combined(at(1), at(2)))
        with _without_a_value():
            if all(
                torch.allclose(
                    left, right, _SCANNED, _SCANNED * float(left.abs().max())
                )
                for left, right in zip(from_left, from_right, strict=True)
            ):
                return
            what = "the order in which associative_scan combines numbers"
            self.undefined[what] = None
        if self._otherwise:
            # From first to last, or the first with all of the others.
            start = 0 if self._otherwise < 0 else 1
            totals = [at(start)]
            for place in range(start + 1, length):
                totals.append(combined(totals[-1], at(place)))
            if start:
                totals = [at(0), *(combined(at(0), each) for each in totals)]
            for tensor, *parts in zip(result, *totals, strict=True):
                self._put(tensor, torch.cat(parts))

    def _put_otherwise(
        self, result: torch.Tensor, otherwise: torch.Tensor, what: str
    ) -> None:
        """Give a result of the program the other one that it may have. what: is undefined if they differ."""
        with _without_a_value():
            if not torch.equal(result, otherwise):
                self.undefined[what] = None
                if self._otherwise < 0:
                    self._put(result, otherwise)

    def _put(self, tensor: torch.Tensor, value: torch.Tensor) -> None:
        if value is tensor:
            return
        # What would write nothing new is not written: backward may hold the tensor. A zero of the other sign is new.
        if not torch.equal(tensor, value) or (
            tensor.is_floating_point()
            and not torch.equal(tensor.float().signbit(), value.float().signbit())
        ):
            tensor.copy_(value)

    def _off(
        self,
        tensor: torch.Tensor,
        dtype: torch.dtype | None = None,
        by: float = _COMPUTED,
    ) -> torch.Tensor:
        """Numbers that are off by some rounding errors of this dtype, their own if not given.

        by: how many, on average; each is off by half as many to one and a half times as many.
        """
        dtype = tensor.dtype if dtype is None else dtype
        if (
            self._generator is None
            or not (dtype.is_floating_point or dtype.is_complex)
            or dtype.itemsize == 1
        ):
            return tensor
        with _disable_current_modes():
            # Of different sizes: of two in a row, one must not undo the other.
            errors = torch.rand(
                tensor.shape, generator=self._generator, dtype=torch.float64
            )
            errors = errors.mul_(2).sub_(1)
            errors += errors.sign() / 2
        wide = tensor.to(_WIDE.get(tensor.dtype, tensor.dtype))
        return (
            wide
            * (
                1
                + self._sign
                * by
                * torch.finfo(dtype).eps
                * torch.empty_like(tensor, dtype=torch.float64).copy_(errors)
            )
        ).to(tensor.dtype)


def _multiplies_by_reciprocal(func: Any, args: Any, kwargs: Any) -> bool:
    """Whether this divides by a number that is no tensor's on a GPU, where a product with its rounded reciprocal does,
    compiled (torch/_inductor/lowering.py: div_prim) and in eager (aten/src/ATen/native/cuda/BinaryDivTrueKernel.cu)."""
    if func.overloadpacket not in _DIVISIONS or kwargs.get("rounding_mode") == "floor":
        return False
    divisor = args[1]
    return (
        isinstance(divisor, (int, float))
        and abs(math.frexp(divisor)[0]) != 0.5  # of powers of two it is exact
        and pytree.tree_leaves(args[0])[0].device.type != "cpu"
    )


def _added_up(
    func: Any, args: Any, index: int, made: torch.Tensor, given: list[torch.Tensor]
) -> float:
    """How many numbers an operator adds up for an element of what it makes.

    index: which of the tensors that it makes this is. given: the tensors that it is given.
    """
    operator = func.overloadpacket
    if operator in _MATRIX_PRODUCTS:
        return float(args[_MATRIX_PRODUCTS[operator]].shape[-1])
    if operator is aten.convolution:
        return _of_window(args[1], args[8], not args[6])
    if operator is aten.convolution_backward:
        gradient, weight = args[0], args[2]
        transposed, groups, wanted = args[7], args[9], args[10]
        if index == 0 and wanted[0]:
            return _of_window(weight, groups, transposed)
        return float(gradient.numel() / max(1, gradient.shape[1]))
    largest = max((tensor.numel() for tensor in given), default=0)
    return float(largest / max(1, made.numel()))


def _of_window(weight: torch.Tensor, groups: int, second: bool) -> float:
    """How many products a convolution adds up for a pixel. second: whether it adds up the weight's second dimension,
    which is of one group, rather than its first, which is of all."""
    size = float(weight.numel() / max(1, weight.shape[0 if second else 1]))
    return size if second else size / groups


def _has_fractions(args: Any, kwargs: Any) -> bool:
    numbers = [
        leaf for leaf in pytree.tree_leaves((args, kwargs)) if type(leaf) is float
    ]
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
        value = (
            args[position]
            if position < len(args)
            else kwargs.get(argument.name, argument.default_value)
        )
        yield argument, value


def _like(made: list[torch.Tensor], precise: list[torch.Tensor]) -> bool:
    """Whether they are the same but for a few rounding errors."""
    for one, other in zip(made, precise, strict=True):
        if one.shape != other.shape:
            return False
        if not one.is_floating_point():
            continue
        limits = torch.finfo(one.dtype)
        far = (
            one.to(other.dtype) - other
        ).abs() > 4 * limits.eps * other.abs() + limits.tiny
        with _without_a_value():
            if not torch.equal(far, torch.zeros_like(far)):
                return False
    return True


def _in_reversed_order(func: Any, args: Any) -> torch.Tensor | None:
    """What an operator that puts values at places leaves if it begins with the last; None for any other operator."""
    if func in _PUTS and not (len(args) > 3 and args[3]):
        tensor, indices, values = args[:3]
        places = _numbered(tensor)[
            tuple(slice(None) if index is None else index for index in indices)
        ]
    elif func in _SCATTERS:
        tensor, dim, index, values = args
        places = _numbered(tensor)
        for other, size in enumerate(index.shape):
            if other != dim % max(1, tensor.dim()):
                places = places.narrow(other, 0, size)
            values = values.narrow(other, 0, size)
        places = places.gather(dim, index)
    elif func in _COPIES:
        tensor, dim, index, values = args
        places = _numbered(tensor).index_select(dim, index)
    else:
        return None
    flat = tensor.clone(memory_format=torch.contiguous_format).view(-1)
    flat[places.flatten().flip(0)] = (
        values.expand(places.shape).flatten().flip(0).to(flat.dtype)
    )
    return flat.view(tensor.shape)


def _with_equals_rotated(
    values: torch.Tensor, indices: torch.Tensor, dim: int
) -> torch.Tensor:
    """The indices of a sort if each of equal values is in the place of the one before it."""
    values, indices = values.movedim(dim, -1), indices.movedim(dim, -1)
    places = torch.arange(values.shape[-1], device=values.device)
    new = torch.ones_like(values, dtype=torch.bool)
    before, after = values[..., :-1], values[..., 1:]
    new[..., 1:] = (before != after) & ~(before.isnan() & after.isnan())
    first = torch.where(new, places, 0).cummax(-1).values
    rotated = torch.where(
        new.roll(-1, -1), indices.gather(-1, first), indices.roll(-1, -1)
    )
    return rotated.movedim(-1, dim)


def _numbered(tensor: torch.Tensor) -> torch.Tensor:
    return torch.arange(tensor.numel(), device=tensor.device).view(tensor.shape)


def _draws(func: Any, args: Any, kwargs: Any) -> bool:
    """Whether this call draws random numbers; attention is an operator that may, but only does so with dropout."""
    if torch.Tag.nondeterministic_seeded not in func.tags:
        return False
    return bool(
        {
            argument.name: value for argument, value in _arguments(func, args, kwargs)
        }.get("dropout_p", True)
    )


def _without_a_value() -> contextlib.AbstractContextManager[None]:
    """Leaves out what torch traces, whose tensors have no values."""
    return contextlib.suppress(tensors.DATA_DEPENDENT.get())
