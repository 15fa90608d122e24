"""The memory that graphs hold: the size of each buffer, and what is saved for backward and why."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from msgspec.structs import replace
from torch.fx import Node as FxNode

from pytest_compile_golden.facts.costs import Activation, BufferSize, BufferSizes, Saved
from pytest_compile_golden.facts.guards import commented
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.record_graphs import (
    dtype_name,
    function_name,
    user_frame,
)
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import inductor, kernels, tensors
from pytest_compile_golden.torch_internals import scheduler as names

OpOverload = tensors.OPERATOR.get()

_CHEAPEST = "minimum cut"


class MemoryProbe:
    """Queries the sizes when the code is written; the lifetimes of buffers are in the code itself."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def written(lowering: Any, *args: Any, **kwargs: Any) -> None:
            scheduler = lowering.scheduler
            buffers = names.BUFFER_SIZES.get()(scheduler.name_to_buf)
            inputs = names.FREEABLE.get()(
                scheduler.nodes, tensors.ORDERED_SET.get()(lowering.graph_inputs)
            )
            sizes = BufferSizes(
                recorder.key,
                {
                    name: BufferSize(int(alloc), int(free))
                    for name, (alloc, free) in buffers.items()
                },
                {
                    name: int(buffer.mpi_buffer.size_free)
                    for name, buffer in inputs.items()
                },
            )
            recorder.add("memory", sizes)

        hooks.before(kernels.COMPILE_TO_MODULE_LINES, written)


class SavedProbe:
    """Watches the partitioner (torch/_functorch/partitioners.py: min_cut_rematerialization_partition)."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        cuts: list[Any] = []
        solved: list[tuple[frozenset[str], Any]] = []

        def solve(result: Any, *args: Any, **kwargs: Any) -> None:
            if not cuts:
                recorder.lose(
                    ["memory"], f"{names.SOLVE.at} cuts differently".replace(":", ".")
                )
                return
            solved.append((frozenset(node.name for node in result[0]), cuts[-1]))

        def split(result: Any, joint: Any, *args: Any, **kwargs: Any) -> None:
            forward, backward = (module.graph for module in result)
            returned = next(
                node for node in reversed(forward.nodes) if node.op == "output"
            ).args[0]
            values = [
                value
                for value in returned[kwargs["num_fwd_outputs"] :]
                if isinstance(value, FxNode)
            ]
            # With a memory budget it makes several cuts, and uses one of them.
            saved = frozenset(value.name for value in values)
            matching = [cut for solution, cut in solved if solution == saved] or cuts
            reasons = _Reasons(matching[-1] if matching else {})
            activations = (
                *_kept(values, reasons),
                *_recomputed(forward, backward, reasons),
            )
            recorder.add(
                "saved",
                Saved(replace(recorder.key, direction="forward").label, activations),
            )
            cuts.clear()
            solved.clear()

        hooks.before(
            names.MINIMUM_CUT, lambda graph, *args, **kwargs: cuts.append(graph)
        )
        hooks.after(names.SOLVE, solve)
        hooks.after(inductor.PARTITION, split)


class _Reasons:
    """Why nodes are on their side of the cut: torch notes the reason on edges that must not be cut."""

    def __init__(self, cut: Any) -> None:
        self._cut = cut

    def _noted(self, start: str, end: str) -> str:
        edge = self._cut[start].get(end, {}) if start in self._cut else {}
        return str(edge.get("reason", ""))

    @property
    def _told(self) -> bool:
        return bool(self._cut) and inductor.CUT_REASON.here

    def saved(self, node: FxNode) -> str:
        """Either it must not be recomputed, or it was the cheapest of the alternatives; empty if torch does not say."""
        if not self._told:
            return ""
        return (
            self._noted("source", f"{node.name}_in")
            or self._noted(f"{node.name}_out", "sink")
            or _CHEAPEST
        )

    def recomputed(self, node: FxNode) -> str:
        if not self._told:
            return ""
        name = node.name
        return (
            self._noted(f"{name}_in", "sink")
            or self._noted(f"{name}_in", f"{name}_out")
            or _CHEAPEST
        )


def _kept(values: Iterable[FxNode], reasons: _Reasons) -> Iterator[Activation]:
    """What forward saves for backward. A view keeps all of its tensor, which counts once however many views of it are
    saved; an input counts as 0, as its owner keeps it.

    Sizes are those of `_size_of`, which the partitioner uses too (torch/_functorch/partitioners.py).
    """
    size_of = names.SIZE_OF.get()
    counted: set[FxNode] = set()
    for value in values:
        if not isinstance(value.meta.get("val"), torch.Tensor):
            continue
        base = _base(value)
        if base.op == "placeholder":
            yield _activation("input", value, 0, reasons.saved(value))
            continue
        nbytes = 0 if base in counted else int(size_of(base))
        counted.add(base)
        yield _activation("saved", value, nbytes, reasons.saved(value))


def _recomputed(
    forward: torch.fx.Graph, backward: torch.fx.Graph, reasons: _Reasons
) -> Iterator[Activation]:
    """What both graphs compute; views are not included."""
    size_of = names.SIZE_OF.get()
    computed = {node.name for node in forward.nodes if node.op == "call_function"}
    for node in backward.nodes:
        again = (
            node.op == "call_function"
            and node.name in computed
            and node.target is not operator.getitem
        )
        if (
            again
            and isinstance(node.meta.get("val"), torch.Tensor)
            and _base(node) is node
        ):
            yield _activation(
                "recomputed", node, int(size_of(node)), reasons.recomputed(node)
            )


def _activation(kind: str, node: FxNode, nbytes: int, why: str) -> Activation:
    value = node.meta["val"]
    target = "" if node.op == "placeholder" else function_name(node.target)
    shape = ", ".join(map(str, value.shape))
    code, _ = user_frame(node.meta.get("stack_trace"))
    return Activation(
        kind,
        f"{dtype_name(value.dtype)}[{shape}]",
        nbytes,
        target,
        why,
        commented(node.name, code),
    )


def _base(node: FxNode) -> FxNode:
    """The node that a view, or a chain of views, is based on."""
    while (
        isinstance(node.target, OpOverload)
        and node.args
        and isinstance(node.args[0], FxNode)
    ):
        first = next(iter(node.target._schema.arguments), None)
        if first is None or first.alias_info is None or first.alias_info.is_write:
            break
        node = node.args[0]
    return node
