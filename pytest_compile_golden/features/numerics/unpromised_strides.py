"""Results whose strides Inductor does not promise to be the same as eager's.

Before torch 2.14, and in training, it notes the strides to keep after the joint-graph passes have run
(torch/_inductor/compile_fx.py). An output that such a pass replaces, say hand-written attention with a library's,
therefore has the strides of its replacement. Of a view it keeps their order alone, without `strict_output_strides`; it
keeps none that depend on values (torch/_inductor/graph.py), and none at all without `keep_output_stride` or with
`pad_outputs`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from pytest_compile_golden.features.numerics.observation import TensorSnapshot
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import numerics as torch_names
from pytest_compile_golden.torch_internals import tensors

_Numbers = tuple[int | None, ...]
"""Sizes or strides; None matches any number."""


class _Layout(NamedTuple):
    shape: _Numbers
    strides: _Numbers

    def fits(self, tensor: TensorSnapshot) -> bool:
        return _fit(self.shape, tensor.facts["shape"]) and _fit(
            self.strides, tensor.facts.get("strides", ())
        )


class _Output(NamedTuple):
    """An output of a graph whose strides may differ from eager's."""

    eager: _Layout
    compiled: _Layout
    why: str
    ordered: bool = False
    """Whether only strides in eager's order may be given instead."""


class OtherStrides:
    """Records the strides that the graphs compiled while it watches do not promise."""

    def __init__(self) -> None:
        self._outputs: list[_Output] = []

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        with Patches() as patches:
            if torch_names.JOINT_PASSES.here:
                patches.wrap(*torch_names.JOINT_PASSES.resolve(), self._watched)
            yield

    def why(self, eager: TensorSnapshot, compiled: TensorSnapshot) -> str | None:
        """Why Inductor may give a result these strides instead of eager's; None if it may not."""
        return next(
            (
                output.why
                for output in self._outputs
                if output.eager.fits(eager)
                and output.compiled.fits(compiled)
                and (
                    not output.ordered
                    or _order(eager.facts.get("strides", ()))
                    == _order(compiled.facts.get("strides", ()))
                )
            ),
            None,
        )

    def _watched(self, passes: Callable[..., Any]) -> Callable[..., Any]:
        def watched(graph: Any, *args: Any, **kwargs: Any) -> Any:
            before = [_tensor(node) for node in _outputs(graph)]
            noted = "original_output_strides" in _output_node(graph).meta
            result = passes(graph, *args, **kwargs)
            # The passes keep the number of outputs.
            for eager, node in zip(before, _outputs(result), strict=False):
                compiled = _tensor(node)
                if eager is not None and compiled is not None:
                    is_view = (
                        isinstance(node, torch.fx.Node)
                        and isinstance(node.target, tensors.OPERATOR.get())
                        and node.target.is_view
                    )
                    self._note(eager, compiled, noted, is_view)
            return result

        return watched

    def _note(
        self, eager: torch.Tensor, compiled: torch.Tensor, noted: bool, is_view: bool
    ) -> None:
        """noted: whether torch has noted the strides to keep before the passes. is_view: what they have made of it."""
        traced, after = _layout(eager), _layout(compiled)
        anything = after._replace(strides=(None,) * len(after.strides))
        if not torch_names.KEEP_OUTPUT_STRIDE.get():
            self._outputs.append(_Output(traced, anything, "keep_output_stride is off"))
        elif torch_names.PAD_OUTPUTS.get():
            self._outputs.append(_Output(traced, anything, "pad_outputs is on"))
        elif free_unbacked_symbols(eager.stride()):
            self._outputs.append(
                _Output(
                    traced,
                    anything,
                    "eager's depend on values, so Inductor does not keep them",
                )
            )
        elif not noted and tuple(eager.stride()) != tuple(compiled.stride()):
            self._outputs.append(
                _Output(traced, after, "a joint-graph pass changed them")
            )
        elif is_view and not (
            torch_names.STRICT_STRIDES.here and torch_names.STRICT_STRIDES.get()
        ):
            why = "it is a view, of which Inductor keeps the order alone (strict_output_strides)"
            self._outputs.append(_Output(traced, anything, why, ordered=True))


def _order(strides: Any) -> list[int]:
    """The dimensions from the smallest stride to the largest, without those whose stride says nothing."""
    told = [each for each in enumerate(strides) if each[1] is not None]
    return [dimension for dimension, _ in sorted(told, key=lambda each: each[1])]


def _output_node(graph: Any) -> Any:
    return graph.graph.find_nodes(op="output")[0]


def _outputs(graph: Any) -> list[Any]:
    """The nodes that a graph returns, or what else it does."""
    (returned,) = _output_node(graph).args
    return list(returned) if isinstance(returned, (list, tuple)) else [returned]


def _tensor(node: Any) -> torch.Tensor | None:
    """The fake tensor of a node; None for one that is no strided tensor."""
    value = getattr(node, "meta", {}).get("val")
    is_strided = isinstance(value, torch.Tensor) and value.layout == torch.strided
    return value if is_strided else None


def _layout(tensor: torch.Tensor) -> _Layout:
    both = (tensor.shape, tensor.stride())
    return _Layout(
        *(
            tuple(number if type(number) is int else None for number in numbers)
            for numbers in both
        )
    )


def _fit(expected: _Numbers, seen: Any) -> bool:
    return len(expected) == len(seen) and all(
        mine is None or theirs is None or mine == theirs
        for mine, theirs in zip(expected, seen, strict=True)
    )
