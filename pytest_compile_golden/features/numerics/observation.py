"""What a call leaves, as it is compared: tensors with their values and facts, and whose memory they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from pytest_compile_golden.torch_internals import tensors

pytree = tensors.PYTREE.get()

ALL_STRIDES, OFFSET = "strides where a dimension has one element", "storage offset"
"""Facts that Inductor does not promise to keep, and that are compared if nothing else of the layout differs."""

READ_AGAIN = ", read again after the last call"


@dataclass(frozen=True)
class TensorSnapshot:
    """A tensor at one moment."""

    values: torch.Tensor
    """On the CPU."""
    facts: Mapping[str, object]
    """dtype, shape, strides ... by the word that a difference in one is reported with."""


@dataclass
class Observation:
    """The state after one call."""

    call: str
    structure: str
    """Containers and their keys, as torch's pytree prints them."""
    values: dict[str, Any] = field(default_factory=dict)
    """Tensors as snapshots, other leaves as they are; outputs first, then gradients, then what was passed or owned."""
    shares: dict[str, tuple[str, int] | None] = field(default_factory=dict)
    """Whose memory each output tensor shares, and the element at which it starts; None if it has its own."""
    objects: dict[str, str] = field(default_factory=dict)
    """Which object an output is, for those that are an input, what the program owns or an earlier output."""
    plain_values: dict[str, Any] = field(default_factory=dict)
    """Numbers and text that the program may change, by name."""
    given: bool = True
    """Whether the call was asked for; others have other values, or repeat one."""
    special: bool = False
    """Whether its inputs have special values."""
    overwritten: bool = False
    """Whether nothing is left of it, which torch declares."""
    raises: str = ""
    """The error of a call that raises one, type and message."""


def outputs(result: Any) -> dict[str, Any]:
    """The leaves of what a call returned: `output`, `output[1]`, `output['hidden']`."""
    return {
        f"output{pytree.keystr(path)}": leaf
        for path, leaf in pytree.tree_flatten_with_path(result)[0]
    }


def observe(
    call: str,
    result: Any,
    outputs: Mapping[str, Any],
    given: Mapping[str, torch.Tensor],
    now: Mapping[str, torch.Tensor],
    kept: dict[str, torch.Tensor] | None = None,
) -> Observation:
    """What a call that returned `result` has left.

    outputs: its leaves, by name. given, now: inputs, and what the program owns, by name, before and after the call.
    kept: the last values seen for each of these, stored only once however many calls leave them unchanged.
    """
    kept = {} if kept is None else kept
    observation = Observation(call, str(pytree.tree_structure(result)))
    for name, value in outputs.items():
        observation.values[name] = (
            take_snapshot(value) if isinstance(value, torch.Tensor) else value
        )
    for name, tensor in given.items():
        if tensor.grad is not None and (tensor.is_leaf or tensor.retains_grad):
            observation.values[f"gradient of {name}"] = take_snapshot(tensor.grad)
    for name, tensor in now.items():
        snapshot = take_snapshot(tensor, kept.get(name))
        observation.values[f"{name} after the call"], kept[name] = (
            snapshot,
            snapshot.values,
        )
    known: dict[int, str] = {}
    for name, tensor in now.items():
        known.setdefault(id(tensor), name)
    for name, value in outputs.items():
        if isinstance(value, torch.Tensor):
            if id(value) in known:
                observation.objects[name] = known[id(value)]
            known.setdefault(id(value), name)
    whose: dict[int, str] = {}
    for name, tensor in now.items():
        whose.setdefault(_memory(tensor), name)
    for name, value in outputs.items():
        if (
            isinstance(value, torch.Tensor)
            and value.layout == torch.strided
            and value.numel()
        ):
            owner = whose.get(_memory(value))
            observation.shares[name] = (
                None if owner is None else (owner, value.storage_offset())
            )
            whose.setdefault(_memory(value), name)
    return observation


def _memory(tensor: torch.Tensor) -> int:
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):
        # sparse, opaque: memory without an address.
        return id(tensor)


def take_snapshot(
    tensor: torch.Tensor, earlier: torch.Tensor | None = None
) -> TensorSnapshot:
    """A snapshot of the tensor as it is now, with `earlier` instead of a copy if it still has those values."""
    values, shape = _contents(tensor.detach())
    facts: dict[str, object] = {
        "class": type(tensor).__name__,
        "dtype": tensor.dtype,
        "shape": shape,
        "device": tensor.device,
        "layout": tensor.layout,
        "requires_grad": tensor.requires_grad,
        "grad_fn": tensor.grad_fn is not None,
    }
    if tensor.layout == torch.strided and not tensor.is_nested:
        # In a dimension with one element, or in an empty tensor, all strides mean the same.
        means = [size > 1 and tensor.numel() > 0 for size in tensor.shape]
        facts["strides"] = tuple(
            stride if counts else None
            for stride, counts in zip(tensor.stride(), means, strict=True)
        )
        facts[ALL_STRIDES], facts[OFFSET] = tensor.stride(), tensor.storage_offset()
    host = values.cpu()
    if earlier is not None and _equal(host, earlier):
        return TensorSnapshot(earlier, facts)
    return TensorSnapshot(host.clone() if host is values else host, facts)


def plain(values: torch.Tensor) -> torch.Tensor:
    """Dense float64 values, or int64 for whole numbers; complex numbers as their two parts."""
    if values.is_quantized:
        values = values.dequantize()
    if values.layout != torch.strided:
        values = values.to_dense()
    if values.is_complex():
        return torch.view_as_real(values.resolve_conj().to(torch.complex128))
    return values.to(torch.float64 if values.is_floating_point() else torch.int64)


def _contents(tensor: torch.Tensor) -> tuple[torch.Tensor, tuple[object, ...]]:
    """The tensor and its shape; for a nested one, whose ragged size is a unique symbol, those of its parts."""
    if not tensor.is_nested:
        return tensor, tuple(tensor.shape)
    parts = tensor.unbind()
    return torch.cat([part.flatten() for part in parts]), tuple(
        tuple(part.shape) for part in parts
    )


def _equal(values: torch.Tensor, earlier: torch.Tensor) -> bool:
    """Whether both hold the same numbers."""
    if any(
        one.layout != torch.strided or one.is_quantized for one in (values, earlier)
    ):
        return False
    alike = (values.device, values.shape, values.dtype) == (
        earlier.device,
        earlier.shape,
        earlier.dtype,
    )
    return alike and bool(torch.equal(values, earlier))
