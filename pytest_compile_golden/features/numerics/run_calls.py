"""Run a program call by call and record outputs, gradients, and the final state of everything it can write to."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.program_call import Backward, Call
from pytest_compile_golden.errors import EagerFailed
from pytest_compile_golden.features.numerics import python_state, tensor_names
from pytest_compile_golden.features.numerics.observation import (
    READ_AGAIN,
    Observation,
    observe,
    outputs,
    plain,
    take_snapshot,
)
from pytest_compile_golden.observe.compile_isolation import seed_devices
from pytest_compile_golden.observe.program_calls import prepared
from pytest_compile_golden.torch_internals import device, tensors

_disable_current_modes = tensors.DISABLE_MODES.get()


@dataclass(frozen=True)
class Step:
    """One call of a program, as a run makes it. Several may share their argument objects."""

    name: str
    call: Call
    given: bool = True
    """Whether it is one that was asked for, not one with other values."""
    special: bool = False
    """Whether its inputs have special values, with which it may fail."""


@dataclass(frozen=True)
class Cotangents:
    """The gradients that backward starts from: drawn once per output, the same for every run of the program."""

    seed: int
    place: Callable[[Any], Any]
    _drawn: dict[tuple[str, str], torch.Tensor] = field(default_factory=dict)

    def of(self, call: str, name: str, output: torch.Tensor) -> torch.Tensor:
        """The gradient of one output of a call, in its shape and dtype, on its device.

        It is from the standard normal distribution, and drawn on the CPU, so that all targets get the same. It is drawn
        again only if the output has another shape now.
        """
        key = call, name
        # Those that watch the program, and a virtual GPU's.
        with _disable_current_modes():
            known = self._drawn.get(key)
            if known is None or known.shape != output.shape:
                generator = torch.Generator().manual_seed(self.seed + len(self._drawn))
                wide = torch.complex128 if output.is_complex() else torch.float64
                known = torch.randn(output.shape, generator=generator, dtype=wide).to(
                    output.dtype
                )
                self._drawn.setdefault(key, known)
        placed: torch.Tensor = self.place(known)
        return placed.to(output.device)


def run(
    fn: Callable[..., Any],
    steps: Sequence[Step],
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
    kept = tensor_names.owned(original)
    live: list[tuple[str, dict[str, Any]]] = []
    observed = []
    overwritten = False
    """Whether the next call may write to what this one returned."""
    for index, step in enumerate(steps):
        call = step.call
        before(index)
        seed_devices(index)
        try:
            with prepared(call):
                inputs = tensor_names.inputs(fn, call.args, call.kwargs)
                for tensor in inputs.values():
                    if (
                        cotangents is not None
                        and tensor.requires_grad
                        and not tensor.is_leaf
                    ):
                        tensor.retain_grad()
                result = (fn if entry is None else entry)(*call.args, **call.kwargs)
            returned = outputs(result)
            given = {**tensor_names.owned(fn), **inputs}
            if cotangents is not None:
                backward(returned, step.name, cotangents, call.backward, given)
        # In compiled code, as eager takes these values; with `nan_asserts` it asserts that there is no NaN.
        except (AssertionError, RuntimeError, IndexError, ValueError) as error:
            if not step.special and not (call.backward and entry is not None):
                raise
            first_line = split_lines(str(error))[:1]
            observed.append(
                Observation(
                    step.name,
                    "",
                    given=step.given,
                    special=step.special,
                    raises=": ".join([type(error).__name__, *first_line]),
                )
            )
            if not step.special:
                live.append((step.name, {}))
            continue
        if not step.special:
            live.append((step.name, returned))
        # What an optimizer or a list held before the call may be a different tensor now.
        now = {**given, **tensor_names.inputs(fn, call.args, call.kwargs)}
        left = observe(step.name, result, returned, given, now, kept)
        plain_values = python_state.plain_values(fn, call.args, call.kwargs)
        observed.append(
            replace(
                left,
                given=step.given,
                special=step.special,
                plain_values=plain_values,
            )
        )
        overwritten = entry is not None and _cuda_graphs_are_recorded()
        if overwritten:
            # torch asks for gradients outside a graph's memory if they add up.
            for tensor in now.values():
                tensor.grad = None if tensor.grad is None else tensor.grad.clone()
    # A later call must not write to what an earlier one returned, unless it does so in eager too, or is a CUDA graph.
    for name, earlier in live[:-1]:
        again = Observation(name + READ_AGAIN, "", overwritten=overwritten)
        if not overwritten:
            again.values = {
                key: take_snapshot(value)
                for key, value in earlier.items()
                if isinstance(value, torch.Tensor)
            }
        observed.append(again)
    return observed


def _cuda_graphs_are_recorded() -> bool:
    """Whether compiled code of this process has been recorded, and its results may be in the memory of a graph."""
    if device.CUDAGRAPH_TREES.at not in sys.modules or not torch.cuda.is_available():
        return False
    return device.TREE_MANAGER.get()(torch.cuda.current_device(), False) is not None


def differentiable(tensors: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """Those of outputs, or of their gradients, that have a gradient."""
    return {
        name: value
        for name, value in tensors.items()
        if isinstance(value, torch.Tensor)
        and value.requires_grad
        and value.grad_fn is not None
    }


def backward(
    outputs: Mapping[str, Any],
    call: str,
    cotangents: Cotangents,
    how: Backward | None = None,
    given: Mapping[str, torch.Tensor] = {},
) -> None:
    """Run backward from what a call returned. given: inputs and what the program owns, by name."""
    ends = differentiable(outputs)
    start = [cotangents.of(call, name, value) for name, value in ends.items()]
    if how == "double":
        leaves = {
            name: tensor for name, tensor in given.items() if tensor.requires_grad
        }
        found = torch.autograd.grad(
            [*ends.values()],
            [*leaves.values()],
            start,
            create_graph=True,
            allow_unused=True,
        )
        ends = differentiable(
            {
                f"gradient of {name}": each
                for name, each in zip(leaves, found, strict=True)
            }
        )
        start = [cotangents.of(call, name, value) for name, value in ends.items()]
    if ends and how == "twice":
        torch.autograd.backward([*ends.values()], start, retain_graph=True)
    if ends:
        torch.autograd.backward([*ends.values()], start)


class RepeatedCall:
    """A call that is made many times, each time as if it were the first."""

    def __init__(
        self,
        fn: Callable[..., Any],
        step: Step,
        entry: Callable[..., Any],
        cotangents: Cotangents | None,
        before: Callable[[], None] = lambda: None,
    ) -> None:
        """entry: called instead of `fn`. cotangents: if None, backward is not run. before: called before each call."""
        self._fn, self._entry, self._cotangents, self._before = (
            fn,
            entry,
            cotangents,
            before,
        )
        self._name, self._call = step.name, step.call
        self._given = {
            **tensor_names.owned(fn),
            **tensor_names.inputs(fn, step.call.args, step.call.kwargs),
        }
        self._contents = {
            name: tensor.detach().clone()
            for name, tensor in self._given.items()
            if not _overlaps(tensor)  # which nothing can write to
        }
        self._kept: dict[str, torch.Tensor] = {}

    def observed(self, seed: int | None) -> Observation:
        """What a call leaves. seed: of random numbers; None to draw on where the call before it ended.

        Raises EagerFailed if it leaves what cannot be put back, such as the state of an optimizer.
        """
        result, returned = self._called(seed)
        if self._cotangents is not None:
            backward(returned, self._name, self._cotangents)
        if len(tensor_names.owned(self._fn)) + len(
            tensor_names.inputs(self._fn, self._call.args, self._call.kwargs)
        ) > len(self._given):
            raise EagerFailed("a call makes tensors that the next one uses")
        return observe(
            self._name, result, returned, self._given, self._given, self._kept
        )

    def derivative(self, seed: int) -> tuple[float, float]:
        """By how much a small step changes what forward returns less what the gradients say, and the typical size."""
        assert self._cotangents is not None
        steps = {
            name: self._step(name, tensor)
            for name, tensor in self._given.items()
            if name in self._contents and tensor.requires_grad and tensor.is_leaf
        }
        self.observed(seed)
        expected, square = 0.0, 0.0
        for name, step in steps.items():
            gradient = self._given[name].grad
            if gradient is not None:
                said = _product(gradient, step)
                expected, square = (
                    expected + float(said.sum()),
                    square + float((said**2).sum()),
                )
        ahead, behind = (
            self._value(self._called(seed, steps, sign)[1]) for sign in (1, -1)
        )
        return (ahead - behind) / 2 - expected, math.sqrt(square)

    def _step(self, name: str, tensor: torch.Tensor) -> torch.Tensor:
        assert self._cotangents is not None
        size = float(_product(tensor, tensor).mean().sqrt()) or 1.0
        # As many of the dtype's digits as both the step and what it changes need.
        return self._cotangents.of("a step", name, tensor) * (
            size * torch.finfo(tensor.dtype).eps ** 0.3
        )

    def _value(self, returned: Mapping[str, Any]) -> float:
        """What the gradients are of."""
        assert self._cotangents is not None
        return sum(
            float(_product(value, self._cotangents.of(self._name, name, value)).sum())
            for name, value in differentiable(returned).items()
        )

    def _called(
        self,
        seed: int | None,
        steps: Mapping[str, torch.Tensor] | None = None,
        sign: int = 1,
    ) -> tuple[Any, dict[str, Any]]:
        """What the call returns with everything as it was before the first, or a step from there; and its leaves."""
        with torch.no_grad():
            for name, contents in self._contents.items():
                self._given[name].copy_(contents)
                if steps and name in steps:
                    self._given[name].add_(steps[name], alpha=sign)
        for tensor in self._given.values():
            if tensor.is_leaf or tensor.retains_grad:
                tensor.grad = None
            elif self._cotangents is not None and tensor.requires_grad:
                tensor.retain_grad()
        if seed is not None:
            seed_devices(seed)
        self._before()
        with prepared(self._call):
            result = self._entry(*self._call.args, **self._call.kwargs)
        return result, outputs(result)


def _product(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    values = [take_snapshot(tensor).values for tensor in (one, other)]
    with _disable_current_modes():
        return plain(values[0]).double() * plain(values[1]).double()


def _overlaps(tensor: torch.Tensor) -> bool:
    return tensor.layout == torch.strided and any(
        stride == 0 and size > 1
        for stride, size in zip(tensor.stride(), tensor.shape, strict=True)
    )
