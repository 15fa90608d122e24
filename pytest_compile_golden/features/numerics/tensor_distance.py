"""How far the values of two tensors of one shape are apart, element by element, and how that is said."""

from __future__ import annotations

import math

import torch

MOST = 0.75
"""The share of all elements that is most of them."""


def zeros_of_other_sign(eager: torch.Tensor, compiled: torch.Tensor) -> torch.Tensor:
    """Where both are 0 and only one is negative."""
    if not eager.is_floating_point():
        return torch.zeros((), dtype=torch.bool, device=eager.device)
    return (
        (eager == 0)
        & (compiled == 0)
        & (torch.signbit(eager) != torch.signbit(compiled))
    )


def identical(values: torch.Tensor, eager: torch.Tensor) -> torch.Tensor:
    """Where both are the same number, with the same sign."""
    return (values == eager) & (torch.signbit(values) == torch.signbit(eager))


def distance(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """|first - second|; 0 between equal infinities and between NaNs, infinite where only one is finite."""
    same = (first == second) | (torch.isnan(first) & torch.isnan(second))
    apart = (
        (first.double() - second.double())
        .abs()
        .nan_to_num(nan=math.inf, posinf=math.inf)
    )
    return torch.where(same, 0.0, apart)


def size(values: torch.Tensor) -> torch.Tensor:
    """|values|; 0 for infinities and NaNs."""
    return values.double().abs().nan_to_num(nan=0.0, posinf=0.0)


def scale(errors: torch.Tensor, of: torch.Tensor) -> torch.Tensor:
    """Each element's error; for inexact numbers at least that of most elements, since it may be small by luck."""
    finite = errors[torch.isfinite(errors)]
    if not of.is_floating_point() or not finite.numel():
        return errors
    return torch.maximum(
        errors, finite.kthvalue(max(1, int(MOST * finite.numel()))).values
    )


def described(
    where: torch.Tensor,
    compiled: torch.Tensor,
    eager: torch.Tensor,
    exact: torch.Tensor | None = None,
) -> str:
    """How many elements differ, and the worst of them.

    exact: what the program computes as it is written, if that is known.
    """
    largest = worst(where, compiled, eager, exact)
    return f"{int(where.sum())} of {where.numel()} elements differ; {largest}"


def worst(
    where: torch.Tensor,
    compiled: torch.Tensor,
    eager: torch.Tensor,
    exact: torch.Tensor | None = None,
) -> str:
    """Of the elements that differ, the one that is farthest off: its index, and its value on each side."""
    flat = int(torch.where(where, distance(compiled, eager), -1.0).argmax())
    index = (
        [int(number) for number in torch.unravel_index(torch.tensor(flat), where.shape)]
        if where.dim()
        else []
    )
    at = tuple(index)
    text = f"worst at {index}: compiled {_number(compiled[at])}, eager {_number(eager[at])}"
    return text if exact is None else f"{text}, as written {_number(exact[at])}"


def _number(value: torch.Tensor) -> str:
    return f"{value.item():.6g}" if value.is_floating_point() else str(value.item())
