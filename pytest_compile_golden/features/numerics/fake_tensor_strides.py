"""The strides that a program would have if each operator did what its rule for fake tensors says."""

from __future__ import annotations

from typing import Any

import torch

from pytest_compile_golden.torch_internals import tensors

pytree = tensors.PYTREE.get()
TorchDispatchMode = tensors.DISPATCH_MODE.get()
FakeTensorMode = tensors.FAKE_MODE.get()
FakeTensor = tensors.FAKE_TENSOR.get()
Operator = tensors.OPERATOR.get()


class FakeStrides(TorchDispatchMode):  # type: ignore[misc,valid-type]
    """Gives the new tensors that an operator returns the strides that its fake rule has for them.

    A compiler sees fake tensors only, so a rule that disagrees with its operator shows in what is compiled, whoever
    wrote the code. Views, and what an operator is given and writes to, stay as they are.
    """

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.disagreeing: dict[str, None] = {}
        """The operators whose rule has given other strides than they do, in the order of the calls."""

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Dynamo compiles under it, as what torch wrote for operators that take functions expects even in eager."""
        return True

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        given = {id(leaf) for leaf in pytree.tree_leaves((args, kwargs))}
        # Before the operator, which may write to what it is given.
        is_view = isinstance(func, Operator) and func.is_view
        ruled = None if is_view else _by_fake_rule(func, args, kwargs)
        result = func(*args, **kwargs)
        leaves, spec = pytree.tree_flatten(result)
        expected = pytree.tree_leaves(ruled)
        if len(expected) != len(leaves):
            return result
        changed = [
            _with_strides(mine, theirs)
            if _is_new(mine, given)
            and isinstance(theirs, FakeTensor)
            and _differ(mine, theirs)
            else mine
            for mine, theirs in zip(leaves, expected, strict=True)
        ]
        if all(new is old for new, old in zip(changed, leaves, strict=True)):
            return result
        self.disagreeing[str(func)] = None
        return pytree.tree_unflatten(changed, spec)


def _by_fake_rule(func: Any, args: Any, kwargs: Any) -> Any:
    """What an operator's fake rule returns; None if it has none for these arguments."""
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    try:
        fakes = pytree.tree_map_only(torch.Tensor, mode.from_tensor, (args, kwargs))
        with mode:
            return func(*fakes[0], **fakes[1])
    except Exception:  # a rule may raise anything, as where a size depends on values; then it says no strides
        return None


def _is_new(value: Any, given: set[int]) -> bool:
    return (
        isinstance(value, torch.Tensor)
        and id(value) not in given
        and value.layout == torch.strided
    )


def _differ(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether they have the same shape, and other strides where these matter."""
    return one.shape == other.shape and any(
        mine != theirs and size > 1 and one.numel() > 0
        for mine, theirs, size in zip(
            one.stride(), other.stride(), one.shape, strict=True
        )
    )


def _with_strides(value: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(
        value.shape, like.stride(), dtype=value.dtype, device=value.device
    ).copy_(value)
