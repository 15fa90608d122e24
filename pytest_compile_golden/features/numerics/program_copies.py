"""Copies of a program and its inputs: as they are, or with other values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from pytest_compile_golden.observe.device_transfer import move_all
from pytest_compile_golden.targets.tensor_placement import Placement
from pytest_compile_golden.torch_internals import tensors

pytree = tensors.PYTREE.get()

NUMBERS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)

_SPECIAL = 16
"""How many values there are for each special one."""
_BITS = {
    1: torch.uint8,
    2: torch.int16,
    4: torch.int32,
    8: torch.int64,
    16: torch.complex128,
}


class Copies(Placement):
    """Copies everything on its own device; tensors that share memory in the original share it in the copy."""

    def __init__(
        self, changed: Callable[[torch.Tensor], torch.Tensor] = torch.clone
    ) -> None:
        """changed: makes the copy of a storage's contents, which are a one-dimensional tensor."""
        super().__init__("cpu")
        self._changed = changed

    def values(self, flat: torch.Tensor) -> torch.Tensor:
        return self._changed(flat)

    def _is_there(self, tensor: torch.Tensor) -> bool:
        return False

    def _new(self, tensor: torch.Tensor) -> torch.Tensor:
        # Tensors made in inference mode behave differently: they have no version and cannot be saved for backward.
        with torch.inference_mode(tensor.is_inference()):
            return super()._new(tensor)

    def _storage(
        self, tensor: torch.Tensor
    ) -> tuple[torch.UntypedStorage, torch.dtype]:
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self._storages:
            flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
            flat.set_(storage, 0, (storage.nbytes() // tensor.element_size(),), (1,))
            self._storages[key] = self.values(flat).untyped_storage()
            self._alive.append(storage)
        return self._storages[key], tensor.dtype

    def _of_other_layout(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.clone()


def snapshot(
    fn: Callable[..., Any], inputs: tuple[Any, ...], options: Mapping[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """A copy of a call of `capture` or `numerics` as it is now, before anything else writes to its arguments.

    Copies the tensors, modules and optimizers in `inputs`, in the options `calls` and `kwargs`, and in what `fn` is,
    is bound to or closes over. What shares memory, or is one object, in the original does so in the copy.
    """
    call = {
        key: options[key] for key in ("calls", "kwargs") if options.get(key) is not None
    }
    copied, (own_inputs, own_given) = move_all(
        fn, (inputs, call), Copies().tree, fresh=True
    )
    return copied, own_inputs, {**options, **own_given}


class Redrawn(Copies):
    """Other values that are just as valid: a tensor's own in another order, which keeps ranges and masks intact."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._generator = torch.Generator().manual_seed(seed)

    def values(self, flat: torch.Tensor) -> torch.Tensor:
        if flat.numel() == 0:
            return flat.clone()
        number = flat.is_floating_point() or flat.is_complex()
        if number and (flat == flat[0]).all():
            # For a tensor with one value everywhere: values around it, with the same sign.
            wide = flat.to(torch.complex128 if flat.is_complex() else torch.float64)
            random = torch.rand(
                flat.shape, generator=self._generator, dtype=torch.float64
            ).to(flat.device)
            return torch.where(wide == 0, random, wide * (0.5 + random)).to(flat.dtype)
        # Unsigned ones cannot be compared.
        whole = flat if number or flat.itemsize == 1 else flat.to(torch.int64)
        if not number and (whole[1:] >= whole[:-1]).all():
            return flat.clone()  # positions, offsets, one index: sorted for a reason
        order = torch.randperm(flat.numel(), generator=self._generator).to(flat.device)
        return flat.view(_BITS[flat.element_size()])[order].view(flat.dtype)


class Special(Copies):
    """Some of the values are replaced by ones at which programs go wrong."""

    def __init__(
        self, seed: int, numbers: Callable[[torch.dtype], Sequence[float]]
    ) -> None:
        """numbers: those to put in a tensor of this dtype; none to leave it as it is."""
        super().__init__()
        self._generator = torch.Generator().manual_seed(seed)
        self._numbers = numbers
        self.used = False
        """Whether something was replaced."""

    def values(self, flat: torch.Tensor) -> torch.Tensor:
        changed, numbers = flat.clone(), self._numbers(flat.dtype)
        if (
            not numbers
            or not flat.numel()
            or (not flat.is_floating_point() and bool((flat[1:] >= flat[:-1]).all()))
        ):
            return changed  # whole numbers are sorted for a reason
        self.used = True
        few = min(len(numbers), (flat.numel() + 1) // 2)  # in a short tensor
        places = torch.randperm(flat.numel(), generator=self._generator)[
            : max(few, flat.numel() // _SPECIAL)
        ]
        inserted = [numbers[number % len(numbers)] for number in range(len(places))]
        changed[places.to(flat.device)] = torch.tensor(
            inserted, dtype=flat.dtype, device=flat.device
        )
        return changed


def zeros(dtype: torch.dtype) -> Sequence[float]:
    """Zeros of both signs, and numbers next to them."""
    if dtype not in NUMBERS:
        return ()
    tiny = torch.finfo(dtype).tiny
    return (-0.0, 0.0, tiny / 4, -tiny / 4, tiny)


def not_finite(dtype: torch.dtype) -> Sequence[float]:
    """Infinities and NaN."""
    return (math.inf, math.nan, -math.inf) if dtype in NUMBERS else ()


def ends_of_range(dtype: torch.dtype) -> Sequence[float]:
    """The largest and smallest numbers."""
    if dtype in NUMBERS:
        return (torch.finfo(dtype).max, torch.finfo(dtype).min)
    if dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64):
        return (torch.iinfo(dtype).max, torch.iinfo(dtype).min, 0)
    return ()


def layouts(tree: Any) -> dict[str, Any]:
    """Inputs of other sizes and strides, by what they have. Only tensors change that are as long as the first there."""
    given = [
        leaf
        for leaf in pytree.tree_leaves(tree)
        if isinstance(leaf, torch.Tensor) and leaf.dim()
    ]
    if not given or any(leaf.layout != torch.strided for leaf in given):
        return {}
    first = given[0]

    def every(change: Callable[[torch.Tensor], torch.Tensor], dim: int = 0) -> Any:
        def changed(tensor: torch.Tensor) -> torch.Tensor:
            if not tensor.dim() or tensor.shape[dim] != first.shape[dim]:
                return tensor
            return change(tensor.detach()).requires_grad_(tensor.requires_grad)

        return pytree.tree_map_only(torch.Tensor, changed, tree)

    def overlapping(tensor: torch.Tensor) -> torch.Tensor:
        last = sum(size - 1 for size in tensor.shape)
        return (
            tensor.flatten()[: last + 1]
            .clone()
            .as_strided(tensor.shape, (1,) * tensor.dim())
        )

    found = {
        "a size of one": every(lambda tensor: tensor[:1].clone()),
        "a size of zero": every(lambda each: each[:0]),
    }
    if first.dim() > 1:
        found["a last size of one"] = every(lambda each: each[..., :1].clone(), -1)
        found["a last size of zero"] = every(lambda each: each[..., :0], -1)
    if len(first) > 1:
        found["a broadcast dimension"] = every(
            lambda tensor: tensor[:1].clone().expand_as(tensor)
        )
        found["overlapping elements"] = every(overlapping)
    return found
