"""Run a program call by call and record outputs, gradients, and the final state of everything it can write to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from pytest_compile_golden.torch_internals import tensors
from pytest_compile_golden.wings.numerics import names
from pytest_compile_golden.wings.numerics.observation import READ_AGAIN, Observation, observe, outputs, take_snapshot

_disable_current_modes = tensors.DISABLE_MODES.get()


@dataclass(frozen=True)
class Call:
    """One call of a program. Several calls may share their argument objects."""

    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    given: bool = True
    """Whether it is one that was asked for, not one with other values."""


@dataclass(frozen=True)
class Cotangents:
    """The gradients that backward starts from: drawn once per output, the same for every run of the program."""

    seed: int
    place: Callable[[Any], Any]
    _drawn: dict[tuple[str, str], torch.Tensor] = field(default_factory=dict)

    def of(self, call: str, name: str, output: torch.Tensor) -> torch.Tensor:
        key = call, name
        with _disable_current_modes():  # those that watch the program, and a virtual GPU's
            known = self._drawn.get(key)
            if known is None or known.shape != output.shape:
                generator = torch.Generator().manual_seed(self.seed + len(self._drawn))
                wide = torch.complex128 if output.is_complex() else torch.float64
                known = torch.randn(output.shape, generator=generator, dtype=wide).to(output.dtype)
                self._drawn.setdefault(key, known)
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
        returned = outputs(result)
        if cotangents is not None:
            _backward(returned, call.name, cotangents)
        live.append((call.name, returned))
        given = {**names.owned(fn), **inputs}
        # What an optimizer or a list held before the call may be a different tensor now.
        now = {**given, **names.inputs(fn, call.args, call.kwargs)}
        observed.append(replace(observe(call.name, result, returned, given, now, kept), given=call.given))
    # A later call must not write to what an earlier one returned, unless it does so in eager too.
    for name, earlier in live[:-1]:
        again = {key: take_snapshot(value) for key, value in earlier.items() if isinstance(value, torch.Tensor)}
        observed.append(Observation(name + READ_AGAIN, "", again))
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
