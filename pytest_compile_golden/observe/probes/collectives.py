"""Collectives: those that a graph requests, those that are scheduled, and what is computed while they run."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
import torch.distributed as dist

from pytest_compile_golden.facts.costs import Collective, Communication
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.formats.collectives import counted
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.probes.scheduler import computed, group_kind
from pytest_compile_golden.observe.record_graphs import dtype_name
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.targets.process_group import group_name
from pytest_compile_golden.torch_internals import inductor, kernels, scheduler, tensors

OpOverload = tensors.OPERATOR.get()

_FUNCTIONAL = ("_c10d_functional", "_c10d_functional_autograd")
_SYMMETRIC = "symm_mem"
_SHARDS = "_dtensor"
# Nothing waits for these: they are done when the call returns.
_SYNCHRONOUS = (_SYMMETRIC, _SHARDS)
_ENDINGS = ("_out", "_into_tensor", "_tensor")
_ONCE = frozenset({"broadcast", "reduce", "send", "isend"})
_RECEIVING = frozenset({"recv", "irecv"})
_COMPUTES_NOTHING = frozenset({"unpack", "nop"})
TorchDispatchMode = tensors.DISPATCH_MODE.get()
pytree = tensors.PYTREE.get()

# Keyed by the operators behind torch.distributed's functions, which calls from C++ go through too
# (torch/csrc/distributed/c10d/Ops.cpp).
_KINDS = {
    "_allgather_base_": "all_gather",
    "_reduce_scatter_base_": "reduce_scatter",
    "allgather_": "all_gather",
    "allgather_coalesced_": "all_gather_coalesced",
    "allgather_into_tensor_coalesced_": "all_gather_coalesced",
    "allreduce_": "all_reduce",
    "allreduce_coalesced_": "all_reduce_coalesced",
    "alltoall_": "all_to_all",
    "alltoall_base_": "all_to_all_single",
    "broadcast_": "broadcast",
    "gather_": "gather",
    "gather_into_tensor_": "gather",
    "recv_": "recv",
    "recv_any_source_": "recv",
    "reduce_": "reduce",
    "reduce_scatter_": "reduce_scatter",
    "reduce_scatter_tensor_coalesced_": "reduce_scatter_coalesced",
    "scatter_": "scatter",
    "send": "send",
}


class CollectivesProbe:
    """Queries the scheduler when the code is written: its order is then the one in which everything runs."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        asked: list[str] = []

        def note_requested(gm: Any, *args: Any, **kwargs: Any) -> None:
            kinds = [
                collective_kind(node.target)
                for module in gm.modules()
                if isinstance(module, torch.fx.GraphModule)
                for node in module.graph.nodes
            ]
            asked[:] = [kind for kind in kinds if kind is not None and kind != "wait"]

        def written(lowering: Any, *args: Any, **kwargs: Any) -> None:
            collectives = _collectives(list(lowering.scheduler.nodes), lowering)
            if asked or collectives:
                recorder.add(
                    "collectives",
                    Communication(recorder.key.label, counted(asked), collectives),
                )

        hooks.outermost(inductor.POST_GRAD_PASSES, before=note_requested)
        hooks.before(kernels.COMPILE_TO_MODULE_LINES, written)


@functools.lru_cache(maxsize=1024)
def collective_kind(operator: Any) -> str | None:
    """The collective that an operator is: `all_gather` for `all_gather_into_tensor_out`, `wait`, or None."""
    if not isinstance(operator, OpOverload):
        return None
    name: str = operator._schema.name.partition("::")[2].rstrip("_")
    if operator.namespace in _SYNCHRONOUS:
        return name.lstrip("_") if "group_name" in _argument_names(operator) else None
    if operator.namespace not in _FUNCTIONAL:
        return None
    if name == "wait_tensor":
        return "wait"
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name


def _argument_names(operator: Any) -> list[str]:
    return [argument.name for argument in operator._schema.arguments]


class _Running:
    """A collective that nothing has waited for yet, and what was computed since it started."""

    def __init__(self, kind: str, call: Any, lowering: Any) -> None:
        self._kind, self._call, self._lowering = kind, call, lowering
        writes = any(
            argument.alias_info and argument.alias_info.is_write
            for argument in call.op_overload._schema.arguments
        )
        self.buffers = {
            call.get_name(),
            *(_buffer(buffer) for buffer in (call.inputs if writes else ())),
        }
        self.overlaps: list[str] = []

    def done(self) -> Collective:
        # The arguments of an extern call, by the names in the operator's schema.
        args, kwargs = self._call.unflatten_args(
            self._call.inputs, self._call.constant_args
        )
        arguments = {
            **dict(zip(_argument_names(self._call.op_overload), args, strict=False)),
            **kwargs,
            **self._call.kwargs,
        }
        ranks = ranks_of(arguments["group_name"])
        message, dtype = self._message(len(ranks))
        return Collective(
            kind=self._kind,
            reduction=str(arguments.get("reduce_op") or ""),
            group=group_name(ranks),
            dtype=dtype,
            nbytes=message,
            sent=bytes_sent(self._kind, message, len(ranks)),
            overlaps=tuple(self.overlaps),
            fused=self._kind.startswith("fused_"),
        )

    def _message(self, ranks: int) -> tuple[int, str]:
        """Bytes of the whole message, from what the ranks are given, and its dtype (several if the tensors differ)."""
        if self._kind == "fused_matmul_reduce_scatter":
            tensors, times = [*self._call.outputs, self._call][:1], ranks
        else:
            schema = self._call.op_overload._schema.arguments
            lists = str(schema[0].type).startswith("List")
            tensors = [
                tensor
                for tensor in self._call.inputs
                if lists or tensor is self._call.inputs[0]
            ]
            if self._kind.endswith("_coalesced") and any(
                argument.name == "out" for argument in schema
            ):
                tensors = tensors[: len(tensors) // 2]
            times = ranks if "all_gather" in self._kind else 1
        hint = inductor.HINT.of(self._lowering.sizevars)
        sizes = [
            math.prod(int(hint(size, fallback=0)) for size in tensor.get_size())
            * tensor.get_dtype().itemsize
            for tensor in tensors
        ]
        return times * sum(sizes), ", ".join(
            dict.fromkeys(dtype_name(tensor.get_dtype()) for tensor in tensors)
        )


def _collectives(groups: list[Any], lowering: Any) -> tuple[Collective, ...]:
    started: list[_Running] = []
    running: list[_Running] = []
    for group in groups:
        calls = [
            (kind, node.node)
            for node in group.get_nodes()
            if (kind := collective_kind(inductor.OVERLOAD.of(node.node, None)))
        ]
        for kind, call in calls:
            if kind == "wait":
                waited = {_buffer(buffer) for buffer in call.inputs}
                running = [
                    collective
                    for collective in running
                    if not collective.buffers & waited
                ]
            else:
                started.append(_Running(kind, call, lowering))
                if call.op_overload.namespace not in _SYNCHRONOUS:
                    running.append(started[-1])
        if not calls and group_kind(group) not in _COMPUTES_NOTHING:
            for collective in running:
                collective.overlaps.append(_described(group))
    return tuple(collective.done() for collective in started)


def _buffer(node: Any) -> str:
    """The name of the buffer behind a view, or of the call that an unpacked buffer is a result of."""
    unpacked = type(node).__name__ == "MultiOutput"
    return str((node.inputs[0] if unpacked else node).get_name())


def _described(group: Any) -> str:
    operators = dict.fromkeys(
        name for node in group.get_nodes() for name in computed(node.node)
    )
    return f"{group_kind(group)} [{', '.join(operators)}]"


def ranks_of(name: str) -> list[int]:
    """The ranks of the process group that is registered under a name."""
    from torch.distributed import distributed_c10d

    return list(
        distributed_c10d.get_process_group_ranks(
            distributed_c10d._resolve_process_group(name)
        )
    )


def bytes_sent(kind: str, message: int, ranks: int) -> int:
    """Bytes that one rank sends: in a ring, each part of the message is sent once, twice if all ranks need the sum."""
    if kind in _RECEIVING:
        return 0
    times = 2 if "all_reduce" in kind else 1
    return message if kind in _ONCE else times * message * (ranks - 1) // ranks


class EagerCollectivesProbe:
    """Watches each operator that runs outside graphs, and notes which graphs it runs between."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        if not (dist.is_available() and dist.is_initialized()):
            return
        tensors.IS_INFRA_MODE.resolve()
        keys: dict[int, tuple[Any, GraphKey]] = {}
        running = 0

        def compiled(graph: Any, *args: Any, **kwargs: Any) -> None:
            keys[id(graph)] = graph, recorder.key

        def begins(graph: Any, *args: Any, **kwargs: Any) -> None:
            nonlocal running
            running += 1
            if id(graph) in keys:
                recorder.add("step", keys[id(graph)][1])

        def ends(token: None, result: Any, *args: Any, **kwargs: Any) -> None:
            nonlocal running
            running -= 1

        def called(operator: Any, args: Any) -> None:
            if not running and (kind := _kind(operator)):
                recorder.add("step", _collective(kind, operator, args))

        hooks.after(inductor.CODEGEN_AND_COMPILE, compiled)
        hooks.around(scheduler.CALL_COMPILED, begins, ends)
        hooks.inside(_Looking(hooks.guarded("c10d", called)))


class _Looking(TorchDispatchMode):  # type: ignore[misc,valid-type]
    """Calls `called` with each operator before it runs. Poses as torch's own: Dynamo compiles under no other."""

    def __init__(self, called: Any) -> None:
        super().__init__()
        self._called = called

    @classmethod
    def is_infra_mode(cls) -> bool:
        return True

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if func.namespace == "c10d" or func.namespace.startswith("_c10d_functional"):
            self._called(func, args)
        return func(*args, **(kwargs or {}))


def _kind(operator: Any) -> str | None:
    if operator.namespace == "c10d":
        return _KINDS.get(operator._schema.name.partition("::")[2])
    has_group = any(
        argument.name == "group_name" for argument in operator._schema.arguments
    )
    return collective_kind(operator) if has_group else None


def _collective(kind: str, operator: Any, args: Any) -> Collective:
    """The whole message is the output of a gather and the input of a scatter: the larger side."""
    arguments = {
        argument.name: value
        for argument, value in zip(operator._schema.arguments, args, strict=False)
    }
    objects = {
        str(value._type().name()): value
        for value in args
        if isinstance(value, torch.ScriptObject)
    }
    if "ProcessGroup" in objects:
        ranks = dist.get_process_group_ranks(
            dist.ProcessGroup.unbox(objects["ProcessGroup"])
        )
        times = 1
    else:
        ranks = ranks_of(arguments["group_name"])
        times = len(ranks) if "all_gather" in kind else 1
    sides = [
        [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]
        for value in args
    ]
    message = times * max(
        sum(tensor.numel() * tensor.itemsize for tensor in side) for side in sides
    )
    operation = objects.get("ReduceOp")
    reduction = (
        ""
        if operation is None
        else str(dist.ReduceOp.RedOpType(operation.op()).name.lower())
    )
    return Collective(
        kind=kind,
        reduction=reduction or str(arguments.get("reduce_op", "")),
        group=group_name(ranks),
        dtype=", ".join(
            dict.fromkeys(dtype_name(tensor.dtype) for side in sides for tensor in side)
        ),
        nbytes=message,
        sent=bytes_sent(kind, message, len(ranks)),
    )
