"""Collectives that are not in any graph: data-parallel hooks and eager code call them, around the graphs."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from pytest_compile_golden.facts.collectives import Collective
from pytest_compile_golden.observe.graphs import dtype_name
from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.probes.collectives import bytes_sent, collective_kind, ranks_of
from pytest_compile_golden.record.graphs import GraphKey
from pytest_compile_golden.targets.process_group import group_name
from pytest_compile_golden.torch_names import inductor, scheduler
from pytest_compile_golden.torch_names import tensors as names

TorchDispatchMode = names.DISPATCH_MODE.get()
pytree = names.PYTREE.get()

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


class EagerCollectivesProbe:
    """Watches each operator that runs outside graphs, and notes which graphs it runs between."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        if not (dist.is_available() and dist.is_initialized()):
            return
        names.IS_INFRA_MODE.resolve()
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

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == "c10d" or func.namespace.startswith("_c10d_functional"):
            self._called(func, args)
        return func(*args, **(kwargs or {}))


def _kind(operator: Any) -> str | None:
    if operator.namespace == "c10d":
        return _KINDS.get(operator._schema.name.partition("::")[2])
    has_group = any(argument.name == "group_name" for argument in operator._schema.arguments)
    return collective_kind(operator) if has_group else None


def _collective(kind: str, operator: Any, args: Any) -> Collective:
    """The whole message is the output of a gather and the input of a scatter: the larger side."""
    arguments = {argument.name: value for argument, value in zip(operator._schema.arguments, args, strict=False)}
    objects = {_class(value): value for value in args if isinstance(value, torch.ScriptObject)}
    if "ProcessGroup" in objects:
        ranks = dist.get_process_group_ranks(dist.ProcessGroup.unbox(objects["ProcessGroup"]))
        times = 1
    else:
        ranks = ranks_of(arguments["group_name"])
        times = len(ranks) if "all_gather" in kind else 1
    sides = [[leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)] for value in args]
    message = times * max(sum(tensor.numel() * tensor.itemsize for tensor in side) for side in sides)
    return Collective(
        kind=kind,
        reduction=_reduction(objects.get("ReduceOp")) or str(arguments.get("reduce_op", "")),
        group=group_name(ranks),
        dtype=", ".join(dict.fromkeys(dtype_name(tensor.dtype) for side in sides for tensor in side)),
        nbytes=message,
        sent=bytes_sent(kind, message, len(ranks)),
    )


def _class(value: Any) -> str:
    return str(value._type().name())


def _reduction(operation: Any) -> str:
    return "" if operation is None else str(dist.ReduceOp.RedOpType(operation.op()).name.lower())
