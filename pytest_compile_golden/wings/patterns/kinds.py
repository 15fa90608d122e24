"""Inputs of every kind that authors of patterns may not have thought of: dtypes, strides, ranks, aliasing, values."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from pytest_compile_golden.torch_names import tensors as names

pytree = names.PYTREE.get()

Change = Callable[[int, torch.Tensor], torch.Tensor]
"""Makes another tensor of the input with that number."""
_DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.int64)
"""Beside float64, in which all other kinds of inputs are."""


def kinds(inputs: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Inputs like these, first of just their form, each kind with what is special about it."""
    yield from of_dtypes(inputs)
    yield "transposed in memory", _with(inputs, lambda _, x: x.mT.contiguous().mT if x.dim() > 1 else x)
    yield "expanded, with stride 0", _with(inputs, lambda _, x: x[:1].expand_as(x) if x.dim() else x)
    yield "with one dimension more", _with(inputs, lambda _, x: x[None].repeat(2, *[1] * x.dim()) if x.dim() else x)
    first: dict[tuple[torch.Size, torch.dtype], torch.Tensor] = {}
    yield "that are one tensor", _with(inputs, lambda _, x: first.setdefault((x.shape, x.dtype), x))
    for number, like in enumerate(pytree.tree_leaves(list(inputs))):
        if isinstance(like, torch.Tensor) and like.dim() > 1:
            for value in (0.0, 2.0, -math.inf) if like.is_floating_point() else (0, 1):
                yield f"whose argument {number + 1} has a row of {value:g}", _with(inputs, _row(number, value))


def of_dtypes(inputs: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Inputs of the pattern's own form, whose floats are float64, and then of each other dtype."""
    yield "of its own form", _with(inputs, lambda _, x: x)
    for dtype in _DTYPES:
        yield f"in {str(dtype).removeprefix('torch.')}", _with(inputs, functools.partial(_as, dtype))


def _as(dtype: torch.dtype, _: int, tensor: torch.Tensor) -> torch.Tensor:
    return tensor if not tensor.is_floating_point() else (tensor if dtype.is_floating_point else 4 * tensor).to(dtype)


def _row(number: int, value: float) -> Change:
    def change(position: int, tensor: torch.Tensor) -> torch.Tensor:
        if position == number:
            tensor = tensor.clone()
            tensor[..., 0, :] = value
        return tensor

    return change


def _with(inputs: Sequence[Any], change: Change) -> list[Any]:
    """Random values, floats in float64, each changed; numbers that were traced as tensors are numbers again."""
    random = torch.Generator().manual_seed(0)
    leaves, form = pytree.tree_flatten(list(inputs))

    def made(number: int, like: Any) -> Any:
        if not isinstance(like, torch.Tensor):
            return like
        if not like.is_floating_point():
            return change(number, torch.randint(0, 2, like.shape, generator=random).to(like.dtype))
        if not like.dim():
            return 2.0
        return change(number, torch.randn(like.shape, dtype=torch.float64, generator=random))

    return list(pytree.tree_unflatten([made(number, leaf) for number, leaf in enumerate(leaves)], form))
