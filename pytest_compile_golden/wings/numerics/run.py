"""Run a program call by call and record outputs, gradients, and the final state of everything it can write to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch

from pytest_compile_golden.targets.evaluation import real
from pytest_compile_golden.torch_internals import tensors
from pytest_compile_golden.wings.numerics import names

pytree = tensors.PYTREE.get()
_disable_current_modes = tensors.DISABLE_MODES.get()
FakeTensor = tensors.FAKE_TENSOR.get()


@dataclass(frozen=True)
class TensorSnapshot:
    """A tensor at one moment."""

    values: torch.Tensor
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


@dataclass(frozen=True)
class Call:
    """One call of a program. Several calls may share their argument objects."""

    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


@dataclass(frozen=True)
class Cotangents:
    """The gradients that backward starts from: drawn once per output, the same for every run of the program."""

    seed: int
    place: Callable[[Any], Any]
    moved: Callable[[torch.Tensor], torch.Tensor] = lambda drawn: drawn
    """Changes each of them."""
    _drawn: dict[tuple[str, str], torch.Tensor] = field(default_factory=dict)

    def of(self, call: str, name: str, output: torch.Tensor) -> torch.Tensor:
        key = call, name
        with _disable_current_modes():  # those of a float64 run, meant for the program only, and of a virtual GPU
            known = self._drawn.get(key)
            if known is None or known.shape != output.shape:
                generator = torch.Generator().manual_seed(self.seed + len(self._drawn))
                wide = torch.complex128 if output.is_complex() else torch.float64
                # Rounded to the output's dtype immediately, so that float64 starts from the same values.
                known = torch.randn(output.shape, generator=generator, dtype=wide).to(output.dtype)
                self._drawn.setdefault(key, known)
            known = self.moved(known).to(output.dtype)
        placed: torch.Tensor = self.place(known)
        return placed.to(output.device)


def run(
    fn: Callable[..., Any],
    calls: Sequence[Call],
    *,
    original: Callable[..., Any],
    entry: Callable[..., Any] | None,
    cotangents: Cotangents | None,
    before: Callable[[int], None],
) -> list[Observation]:
    """Make the calls in order and observe each; finally read the outputs of earlier calls once more.

    original: what `fn` is a copy of; nothing writes to it.
    entry: called instead of `fn`, which is then only used to name what it owns.
    cotangents: if None, backward is not run.
    before: called with the index of each call before it is made.
    """
    kept = names.owned(original)
    live: list[tuple[str, dict[str, Any]]] = []
    observed = []
    for index, call in enumerate(calls):
        before(index)
        torch.manual_seed(index)
        inputs = names.inputs(fn, call.args, call.kwargs)
        for tensor in inputs.values():
            if cotangents is not None and tensor.requires_grad and not tensor.is_leaf:
                tensor.retain_grad()
        result = (fn if entry is None else entry)(*call.args, **call.kwargs)
        outputs = names.outputs(result)
        if cotangents is not None:
            _backward(outputs, call.name, cotangents)
        live.append((call.name, outputs))
        given = {**names.owned(fn), **inputs}
        # What an optimizer or a list held before the call may be a different tensor now.
        now = {**given, **names.inputs(fn, call.args, call.kwargs)}
        observed.append(_observe(call.name, result, outputs, given, now, kept))
    # A later call must not write to what an earlier one returned, unless it does so in eager too.
    for name, outputs in live[:-1]:
        again = {key: take_snapshot(value) for key, value in outputs.items() if isinstance(value, torch.Tensor)}
        observed.append(Observation(f"{name}, read again after the last call", "", again))
    return observed


def _backward(outputs: Mapping[str, Any], call: str, cotangents: Cotangents) -> None:
    differentiable = {
        name: value
        for name, value in outputs.items()
        if isinstance(value, torch.Tensor) and value.requires_grad and value.grad_fn is not None
    }
    if differentiable:
        start = [cotangents.of(call, name, value) for name, value in differentiable.items()]
        torch.autograd.backward(list(differentiable.values()), start)


def _observe(
    call: str,
    result: Any,
    outputs: Mapping[str, Any],
    given: Mapping[str, torch.Tensor],
    now: Mapping[str, torch.Tensor],
    kept: dict[str, torch.Tensor],
) -> Observation:
    """given, now: inputs, and what the program owns, by name, before and after the call.
    kept: the last values seen for each of these, stored only once however many calls leave them unchanged.
    """
    observation = Observation(call, str(pytree.tree_structure(result)))
    for name, value in outputs.items():
        observation.values[name] = take_snapshot(value) if isinstance(value, torch.Tensor) else value
    for name, tensor in given.items():
        if tensor.grad is not None and (tensor.is_leaf or tensor.retains_grad):
            observation.values[f"gradient of {name}"] = take_snapshot(tensor.grad)
    for name, tensor in now.items():
        snapshot = take_snapshot(tensor, kept.get(name))
        observation.values[f"{name} after the call"], kept[name] = snapshot, snapshot.values
    whose: dict[int, str] = {}
    for name, tensor in now.items():
        whose.setdefault(_memory(tensor), name)
    for name, value in outputs.items():
        if isinstance(value, torch.Tensor) and value.layout == torch.strided and value.numel():
            owner = whose.get(_memory(value))
            observation.shares[name] = None if owner is None else (owner, value.storage_offset())
            whose.setdefault(_memory(value), name)
    return observation


def _memory(tensor: torch.Tensor) -> int:
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):  # sparse, opaque: memory without an address
        return id(tensor)


def take_snapshot(tensor: torch.Tensor, earlier: torch.Tensor | None = None) -> TensorSnapshot:
    """A snapshot of the tensor as it is now, with `earlier` instead of a copy if it still has those values."""
    seen, shape = _contents(tensor.detach())
    facts: dict[str, object] = {
        "class": type(tensor).__name__,
        "dtype": tensor.dtype,
        "shape": shape,
        "device": tensor.device,
        "layout": tensor.layout,
        "requires_grad": tensor.requires_grad,
    }
    if tensor.layout == torch.strided and not tensor.is_nested:
        # In a dimension with one element, or in an empty tensor, all strides mean the same.
        means = [size > 1 and tensor.numel() > 0 for size in tensor.shape]
        facts["strides"] = tuple(
            stride if counts else None for stride, counts in zip(tensor.stride(), means, strict=True)
        )
    values = real(seen)
    # The value of a virtual GPU's tensor is a real tensor.
    with _disable_current_modes() if isinstance(seen, FakeTensor) else nullcontext():
        return TensorSnapshot(earlier if earlier is not None and _equal(values, earlier) else values.clone(), facts)


def _contents(tensor: torch.Tensor) -> tuple[torch.Tensor, tuple[object, ...]]:
    """The tensor and its shape; for a nested one, whose ragged size is a unique symbol, those of its parts."""
    if not tensor.is_nested:
        return tensor, tuple(tensor.shape)
    parts = tensor.unbind()
    return torch.cat([part.flatten() for part in parts]), tuple(tuple(part.shape) for part in parts)


def _equal(values: torch.Tensor, earlier: torch.Tensor) -> bool:
    """Whether both hold the same numbers; `values` may be wider, as those of a float64 run are."""
    if any(one.layout != torch.strided or one.is_quantized for one in (values, earlier)):
        return False
    if (values.device, values.shape) != (earlier.device, earlier.shape):
        return False
    exact = torch.promote_types(values.dtype, earlier.dtype) == values.dtype
    return exact and bool(torch.equal(values, earlier.to(values.dtype)))
