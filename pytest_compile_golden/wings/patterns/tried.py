"""A pattern tried on other inputs: whether it fires, and whether it then computes the same, in float64."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from pytest_compile_golden.api import capture
from pytest_compile_golden.errors import CompileGoldenError, reason_of
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.stages import get_stage
from pytest_compile_golden.torch_names import tensors as names
from pytest_compile_golden.wings.patterns.registered import Registered

pytree = names.PYTREE.get()

Change = Callable[[int, torch.Tensor], torch.Tensor]
"""Makes another tensor of the input with that number."""
_RELATIVE, _ABSOLUTE = 1e-5, 1e-6
"""What some patterns round to float32 on purpose is equal to that."""
_DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.int64)
"""Beside float64, in which all other kinds of inputs are."""
_SLACK = 4
"""How much farther from float64 than the pattern itself what replaces it may be."""


@dataclass(frozen=True)
class Difference:
    """Inputs for which a pattern fires, and replaces by something else."""

    inputs: str
    what: str


@dataclass(frozen=True)
class Tried:
    """What became of one pattern."""

    pattern: Registered
    differences: tuple[Difference, ...]
    fires: bool
    """Whether it fires for any of the inputs that were compiled: those that differ, or its own."""
    failed: str = ""
    """Why it was not compared for any inputs."""


def tried(pattern: Registered, target: str) -> Tried:
    """Compare both functions on every kind of inputs; what differs is compiled for `target`, to see that it fires.

    What is right is what the pattern's own function gives in float64.
    """
    search, replacement = (functools.partial(fn, **_numbers(pattern)) for fn in (pattern.search, pattern.replacement))
    ran, failed, differences = False, "", []
    with torch.no_grad():
        for name, inputs in kinds(pattern.inputs):
            try:
                wanted, again = (search(*_copied(inputs)) for _ in range(2))
            except Exception as error:
                failed = failed or _first(error)
                continue  # no program could have this form
            if difference(wanted, again):
                return Tried(pattern, (), _fires(pattern, inputs, target), "it draws random numbers")
            ran = True
            try:
                exact = search(*_copied(pytree.tree_map_only(torch.Tensor, _exact, list(inputs))))
                what = difference(wanted, replacement(*_copied(inputs)), exact)
            except Exception as error:
                what = f"the replacement raises {_first(error)}"
            if what and _fires(pattern, inputs, target):
                differences.append(Difference(name, what))
    fires = bool(differences) or any(_fires(pattern, inputs, target) for _, inputs in _of_dtypes(pattern.inputs))
    return Tried(pattern, tuple(differences), fires, "" if ran else failed)


def kinds(inputs: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Inputs like those that torch traced, each kind with what is special about it: strides, rank, aliasing, values."""
    yield from _of_dtypes(inputs)
    yield "transposed in memory", _with(inputs, lambda _, x: x.mT.contiguous().mT if x.dim() > 1 else x)
    yield "expanded, with stride 0", _with(inputs, lambda _, x: x[:1].expand_as(x) if x.dim() else x)
    yield "with one dimension more", _with(inputs, lambda _, x: x[None].repeat(2, *[1] * x.dim()) if x.dim() else x)
    first: dict[tuple[torch.Size, torch.dtype], torch.Tensor] = {}
    yield "that are one tensor", _with(inputs, lambda _, x: first.setdefault((x.shape, x.dtype), x))
    for number, like in enumerate(pytree.tree_leaves(list(inputs))):
        if isinstance(like, torch.Tensor) and like.dim() > 1:
            for value in (0.0, 2.0, -math.inf) if like.is_floating_point() else (0, 1):
                yield f"whose argument {number + 1} has a row of {value:g}", _with(inputs, _row(number, value))


def _of_dtypes(inputs: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Inputs of the pattern's own form, whose floats are float64, and then of each other dtype."""
    yield "of its own form", _random(inputs)
    for dtype in _DTYPES:
        yield f"in {_name(dtype)}", _with(inputs, functools.partial(_as, dtype))


def _as(dtype: torch.dtype, _: int, tensor: torch.Tensor) -> torch.Tensor:
    if not tensor.is_floating_point():
        return tensor
    return tensor.to(dtype) if dtype.is_floating_point else (4 * tensor).to(dtype)


def _exact(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _row(number: int, value: float) -> Change:
    def change(position: int, tensor: torch.Tensor) -> torch.Tensor:
        if position == number:
            tensor = tensor.clone()
            tensor[..., 0, :] = value
        return tensor

    return change


def _random(inputs: Sequence[Any]) -> list[Any]:
    return _with(inputs, lambda _, value: value)


def _with(inputs: Sequence[Any], change: Change) -> list[Any]:
    """Random values, floats in float64, each changed; numbers that were traced as tensors are numbers again."""
    random = torch.Generator().manual_seed(0)
    leaves, form = pytree.tree_flatten(list(inputs))

    def made(like: torch.Tensor) -> torch.Tensor | float:
        if not like.dim() and like.is_floating_point():
            return 2.0
        if like.is_floating_point():
            return torch.randn(like.shape, dtype=torch.float64, generator=random)
        values = torch.randint(0, 2, like.shape, generator=random)
        return values.to(like.dtype)

    values = [made(leaf) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
    changed = [
        change(number, value) if isinstance(value, torch.Tensor) else value for number, value in enumerate(values)
    ]
    return list(pytree.tree_unflatten(changed, form))


def _copied(inputs: Sequence[Any]) -> list[Any]:
    """Deep enough that a function may write into them; what is one tensor stays one."""
    copies: dict[int, torch.Tensor] = {}
    return list(pytree.tree_map_only(torch.Tensor, lambda x: copies.setdefault(id(x), _like(x)), list(inputs)))


def _like(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.clone() if 0 not in tensor.stride() else tensor


def difference(wanted: Any, found: Any, exact: Any = None) -> str:
    """How the results of two functions differ, beyond rounding; empty if they do not.

    exact: what the first gives in float64, which the second may miss by a few times as much as the first does.
    """
    exact = wanted if exact is None else exact
    for one, other, right in zip(*map(pytree.tree_leaves, (wanted, found, exact)), strict=False):
        if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
            continue
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            return f"{_kind(other)} instead of {_kind(one)}"
        eps = torch.finfo(one.dtype).eps if one.is_floating_point() else 0.0
        one, other, right = one.double(), other.double(), right.double()
        nans = int(one.isnan().sum()), int(other.isnan().sum())
        if nans[0] != nans[1]:
            return f"{nans[1]} NaN instead of {nans[0]}"
        # Where only the first overflows, there is nothing to be right about.
        right = torch.where(one.isinf() & right.isfinite(), other, right)
        largest = _most(right.masked_fill(right.isinf(), 0))
        allowed = max(_ABSOLUTE, _SLACK * (_most(one - right) + eps * largest))
        if not torch.allclose(right, other, max(_RELATIVE, _SLACK * eps), allowed, equal_nan=True):
            return f"values differ by up to {_most(right - other):.2g}"
    return ""


def _most(tensor: torch.Tensor) -> float:
    return float(tensor.abs().nan_to_num(0).max()) if tensor.numel() else 0.0


def _kind(tensor: torch.Tensor) -> str:
    return f"{_name(tensor.dtype)}{[*tensor.shape]}"


def _fires(pattern: Registered, inputs: Sequence[Any], target: str) -> bool:
    """Whether the pattern matches when its own function is compiled with such inputs."""
    leaves, form = pytree.tree_flatten(list(inputs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    numbers, search = _numbers(pattern), _compiled(pattern.search)

    def program(*given: torch.Tensor) -> Any:
        rest = iter(given)
        again = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        return search(*pytree.tree_unflatten(again, form), **numbers)

    try:
        text = capture(program, *tensors, target=target)["passes"].text
    except CompileGoldenError:
        return False
    return any(match.name == pattern.name for ran in get_stage("passes").format.read(text) for match in ran.patterns)


def _numbers(pattern: Registered) -> dict[str, float]:
    """Nothing is dropped, or the two functions would draw different random numbers."""
    return {name: 0.0 if "dropout" in name else value for name, value in pattern.numbers.items()}


def _compiled(search: Callable[..., Any]) -> Callable[..., Any]:
    """The function as if it were a user's: Dynamo skips those in torch's own files (torch/_dynamo/trace_rules.py)."""
    if isinstance(search, functools.partial):
        return functools.partial(_compiled(search.func), *search.args, **search.keywords)
    if not isinstance(search, types.FunctionType):
        return search
    code = search.__code__.replace(co_filename="pattern.py")
    return types.FunctionType(code, search.__globals__, search.__name__, search.__defaults__, search.__closure__)


def _first(error: Exception) -> str:
    return split_lines(reason_of(error))[0][:120]
