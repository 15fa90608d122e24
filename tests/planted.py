"""Wrong-code bugs to plant in the installed compiler, in memory: in a lowering, a pass, code generation ..."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch._inductor.compile_fx
import torch._inductor.decomposition
import torch._inductor.lowering
import torch._inductor.output_code
from torch._inductor.codegen import cpp
from torch._inductor.codegen.wrapper import PythonWrapperCodegen

aten, prims = torch.ops.aten, torch.ops.prims
LOWERINGS = torch._inductor.lowering.lowerings
Plant = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Bug:
    """A bug that makes `program` compile wrongly once `plant` has been called."""

    name: str
    plant: Plant
    program: Callable[..., Any]
    inputs: Callable[[], tuple[Any, ...]]
    what: str
    """The first thing that is wrong."""
    kind: str = "value"
    call: str = "call 1"
    train: bool = False
    verdict: str = "compiled"


def _lowering(
    operator: Any, make: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setitem(LOWERINGS, operator, make(LOWERINGS[operator]))

    return plant


def _post_grad(change: Callable[[Any], None]) -> Plant:
    """An incorrect pass after all other post-grad passes."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        original = torch._inductor.compile_fx._recursive_post_grad_passes

        def passes(gm: Any, *args: Any, **kwargs: Any) -> None:
            original(gm, *args, **kwargs)
            change(gm.graph)
            gm.recompile()

        patch.setattr(torch._inductor.compile_fx, "_recursive_post_grad_passes", passes)

    return plant


def _joint(change: Callable[[Any], None]) -> Plant:
    """An incorrect pass after all other passes over the joint graph, which are also made for inference."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        original = torch._inductor.compile_fx.joint_graph_passes

        def passes(gm: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(gm, *args, **kwargs)
            change(result.graph)
            result.recompile()
            return result

        patch.setattr(torch._inductor.compile_fx, "joint_graph_passes", passes)

    return plant


def _node(operator: Any, change: Callable[[Any, Any], Any]) -> Callable[[Any], None]:
    """Put another node in the place of each node of an operator. change: makes it, of the graph and the node."""

    def changed(graph: Any) -> None:
        for node in graph.find_nodes(op="call_function", target=operator):
            users = {*node.users}
            with graph.inserting_before(node.next):
                new = change(graph, node)
            new.meta.update(node.meta)
            node.replace_all_uses_with(new, delete_user_cb=users.__contains__)

    return changed


swap_operands = _lowering(
    aten.sub.Tensor, lambda original: lambda a, b, **rest: original(b, a, **rest)
)


def _write_first(graph: Any) -> None:
    """Move every write to an input ahead of what reads its old value."""
    first = next(node for node in graph.nodes if node.op != "placeholder")
    for node in graph.find_nodes(op="call_function", target=aten.copy_.default):
        first.prepend(node)


def _no_writes(graph: Any) -> None:
    for node in graph.find_nodes(op="call_function", target=aten.copy_.default):
        node.replace_all_uses_with(node.args[1])
        graph.erase_node(node)


def _identity_of_max(patch: pytest.MonkeyPatch) -> None:
    scalar, vector = cpp.reduction_init, cpp.CppVecKernel.reduction_init_vec
    patch.setattr(
        cpp,
        "reduction_init",
        lambda kind, dtype: "0" if kind == "max" else scalar(kind, dtype),
    )
    zero = "at::vec::Vectorized<float>(0)"
    patch.setattr(
        cpp.CppVecKernel,
        "reduction_init_vec",
        lambda self, kind, dtype: zero if kind == "max" else vector(self, kind, dtype),
    )


def dense_allocations(patch: pytest.MonkeyPatch) -> None:
    original = PythonWrapperCodegen.make_allocation

    def make_allocation(
        self: Any,
        name: Any,
        device: Any,
        dtype: Any,
        shape: Any,
        stride: Any,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        descending = tuple(sorted(stride, reverse=True))
        return original(self, name, device, dtype, shape, descending, *args, **kwargs)

    patch.setattr(PythonWrapperCodegen, "make_allocation", make_allocation)


def _copied_alias(patch: pytest.MonkeyPatch) -> None:
    # After Dynamo, which it depends on.
    from torch._functorch._aot_autograd import (
        runtime_wrappers as wrappers,
    )

    original = wrappers.gen_alias_from_base
    patch.setattr(
        wrappers,
        "gen_alias_from_base",
        lambda *args, **kwargs: original(*args, **kwargs).clone(),
    )


def _wrong_derivative(patch: pytest.MonkeyPatch) -> None:
    def tanh_backward(gradient: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
        return gradient * (1 - result)

    patch.setitem(
        torch._inductor.decomposition.decompositions,
        aten.tanh_backward.default,
        tanh_backward,
    )


def _compiled_call(make: Callable[[list[Any], list[Any]], list[Any]]) -> Plant:
    """Have calls of the compiled graph return `make(kept, outputs)`, where `kept` are the first call's outputs."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        original = torch._inductor.output_code.CompiledFxGraph.__call__
        kept: list[Any] = []

        def call(self: Any, inputs: Any) -> Any:
            outputs = list(original(self, inputs))
            if not kept:
                kept.extend(outputs)
            return make(kept, outputs)

        patch.setattr(torch._inductor.output_code.CompiledFxGraph, "__call__", call)

    return plant


def _into_the_first(kept: list[Any], outputs: list[Any]) -> list[Any]:
    for mine, new in zip(kept, outputs, strict=True):
        mine.copy_(new)
    return list(kept)


def _all_differentiable(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        torch.autograd.function.FunctionCtx,
        "mark_non_differentiable",
        lambda self, *outputs: None,
    )


def _partly_without_gradients(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    with torch.no_grad():
        constant = x.sin()
    return x.cos(), constant


def _no_copies(graph: Any) -> None:
    for node in graph.find_nodes(op="call_function", target=aten.clone.default):
        node.replace_all_uses_with(node.args[0])
        graph.erase_node(node)


def _copied_results(graph: Any) -> None:
    output = graph.output_node()
    with graph.inserting_before(output):
        copies = [
            graph.call_function(aten.clone.default, (node,)) for node in output.args[0]
        ]
    for copy, node in zip(copies, output.args[0], strict=True):
        copy.meta.update(node.meta)
    output.args = (tuple(copies),)


def _one_memory_for_all(graph: Any) -> None:
    output = graph.output_node()
    output.args = ((output.args[0][0],) * len(output.args[0]),)


def _into_the_input(graph: Any) -> None:
    """Reuse the memory of what an operator reads, which is the caller's."""
    for node in graph.find_nodes(op="call_function", target=aten.sin.default):
        with graph.inserting_after(node):
            graph.call_function(aten.copy_.default, (node.args[0], node)).meta.update(
                node.meta
            )


def _no_writes_to_parts(graph: Any) -> None:
    for node in graph.find_nodes(op="call_function", target=aten.slice_scatter.default):
        node.replace_all_uses_with(node.args[0])
        graph.erase_node(node)


def _alias_of_the_start(patch: pytest.MonkeyPatch) -> None:
    # After Dynamo, which it depends on.
    from torch._functorch._aot_autograd import (
        runtime_wrappers as wrappers,
    )

    original = wrappers.gen_alias_from_base

    def from_base(*args: Any, **kwargs: Any) -> torch.Tensor:
        view = original(*args, **kwargs)
        return view.as_strided(view.shape, view.stride(), 0)

    patch.setattr(wrappers, "gen_alias_from_base", from_base)


def _parts(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x + 1
    return y, y[2:5]


def _doubled_rows(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y[2:5].mul_(2)
    return y


def _two() -> tuple[Any, ...]:
    return torch.randn(8, 8), torch.randn(8, 8)


def _one() -> tuple[Any, ...]:
    return (torch.randn(8, 8),)


def clamped(graph: Any, node: Any, low: float, high: float) -> Any:
    """A node that is neither less than `low` nor more than `high`, of operators that Inductor does not decompose."""
    limits = [
        graph.call_function(
            aten.full.default, ([], number), {"dtype": node.meta["val"].dtype}
        )
        for number in (low, high)
    ]
    return graph.call_function(
        aten.minimum.default,
        (graph.call_function(aten.maximum.default, (node, limits[0])), limits[1]),
    )


def _saturating(graph: Any) -> None:
    """Casts of whole numbers to int8 give the nearest one that it has, not the one that is left of the bits."""
    for node in graph.find_nodes(
        op="call_function", target=prims.convert_element_type.default
    ):
        if node.args[1] == torch.int8:
            with graph.inserting_before(node):
                node.args = (clamped(graph, node.args[0], -128, 127), torch.int8)


def _widened_first(graph: Any) -> None:
    """A product is computed in the dtype that it is cast to afterwards."""
    for node in graph.find_nodes(
        op="call_function", target=prims.convert_element_type.default
    ):
        product = node.args[0]
        if product.target is aten.mul.Tensor:
            with graph.inserting_before(node):
                wide = [
                    graph.call_function(node.target, (each, node.args[1]))
                    for each in product.args
                ]
                node.replace_all_uses_with(
                    graph.call_function(aten.mul.Tensor, tuple(wide))
                )


def _slice_backward(
    gradient: torch.Tensor, sizes: list[int], dim: int, start: int, end: int, step: int
) -> torch.Tensor:
    return torch.slice_scatter(
        gradient.new_zeros(sizes), gradient, dim, start + 1, end + 1, step
    )


def _clamped_embedding(
    weight: torch.Tensor, indices: torch.Tensor, *rest: Any
) -> torch.Tensor:
    return weight[indices.clamp(0, weight.shape[0] - 1)]


def _reversed_writes(graph: Any) -> None:
    for node in graph.find_nodes(op="call_function", target=aten.copy_.default):
        with graph.inserting_before(node):
            node.args = (
                node.args[0],
                graph.call_function(prims.rev.default, (node.args[1], [0])),
            )


def _products_of_half_precision(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    with torch.autocast(x.device.type, dtype=torch.bfloat16):
        return x @ w


def _repeated_places() -> tuple[Any, ...]:
    return torch.zeros(4), torch.tensor([1, 3, 1]), torch.tensor([5.0, 6.0, 7.0])


def _in_place(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    before = x * 2
    x.copy_(y)
    return before + 1


def _accumulate(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x.add_(y)
    return y * 3


def _where(
    operator: Any, one: Any, other: Any, chosen: Any, otherwise: Any = None
) -> Any:
    """In a lowering: `chosen` where the comparison holds, else `otherwise`, by default the first that is compared."""
    return LOWERINGS[aten.where.self](
        LOWERINGS[operator](one, other), chosen, one if otherwise is None else otherwise
    )


_without_negative_zeros = _lowering(
    aten.neg.default,
    lambda original: lambda x: LOWERINGS[aten.add.Tensor](original(x), 0.0),
)


def _flushed(original: Callable[..., Any]) -> Callable[..., Any]:
    def mul(x: Any, y: Any) -> Any:
        product = original(x, y)
        size = LOWERINGS[aten.abs.default](product)
        tiny = torch.finfo(torch.float32).tiny
        return _where(aten.lt.Scalar, size, tiny, original(product, 0.0), product)

    return mul


def _zero_for_nan(original: Callable[..., Any]) -> Callable[..., Any]:
    def lowering(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        return _where(aten.ne.Tensor, result, result, 0.0)

    return lowering


def _true_of_nothing(original: Callable[..., Any]) -> Callable[..., Any]:
    def any_of(x: Any, *rest: Any, **kwargs: Any) -> Any:
        found = original(x, *rest, **kwargs)
        return (
            found if all(x.get_size()) else LOWERINGS[aten.bitwise_not.default](found)
        )

    return any_of


def _last_of_equals(original: Callable[..., Any]) -> Callable[..., Any]:
    def argmax(x: Any, dim: int, *rest: Any) -> Any:
        last = len(x.get_size()) - 1
        place = original(LOWERINGS[prims.rev.default](x, [last]), dim, *rest)
        count = x.get_size()[last] - 1
        return LOWERINGS[aten.add.Tensor](LOWERINGS[aten.neg.default](place), count)

    return argmax


def _one_of_two_gradients(graph: Any) -> None:
    """What a parameter's two uses ask of it is not added up."""
    for node in graph.output_node().all_input_nodes:
        if node.target is aten.add.Tensor:
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)


def _no_detach(patch: pytest.MonkeyPatch) -> None:
    from torch._dynamo.output_graph import OutputGraph

    original = OutputGraph.call_user_compiler

    def compiled(self: Any, gm: Any, *args: Any, **kwargs: Any) -> Any:
        for node in gm.graph.find_nodes(op="call_method", target="detach"):
            node.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(node)
        gm.recompile()
        return original(self, gm, *args, **kwargs)

    patch.setattr(OutputGraph, "call_user_compiler", compiled)


class _UsedTwice(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.eye(8) + 0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x @ self.weight) @ self.weight


BUGS = (
    Bug(
        "swapped operands",
        swap_operands,
        lambda x, y: (x + y, x - y),
        _two,
        "output[1]",
    ),
    Bug(
        "dropped mask",
        _lowering(
            aten.where.self, lambda original: lambda mask, a, b: original(mask, a, a)
        ),
        lambda x, y: {"exp": x.exp(), "masked": torch.where(x > 0, y, -y)},
        _two,
        "output['masked']",
    ),
    Bug("copy after a mutation", _post_grad(_write_first), _in_place, _two, "output"),
    Bug(
        "missing mutation",
        _post_grad(_no_writes),
        _accumulate,
        _two,
        "x after the call",
    ),
    Bug(
        "missing state",
        _post_grad(_no_writes),
        torch.nn.BatchNorm1d(8),
        _one,
        "buffer running_mean after the call",
    ),
    Bug(
        "reduction identity",
        _identity_of_max,
        lambda x: (x.sum(-1), (-x.abs()).amax(-1)),
        _one,
        "output[1]",
    ),
    Bug(
        "lost cast",
        _lowering(
            prims.convert_element_type.default,
            lambda original: (
                lambda x, dtype: x if dtype == torch.int32 else original(x, dtype)
            ),
        ),
        lambda x: (x * 3).to(torch.int32).to(torch.float32) + 1,
        _one,
        "output",
    ),
    Bug(
        "low precision",
        _lowering(
            prims.convert_element_type.default,
            lambda original: (
                lambda x, dtype: original(original(x, torch.bfloat16), dtype)
            ),
        ),
        lambda x: x.double().sin(),
        _one,
        "output",
    ),
    Bug(
        "strides",
        dense_allocations,
        lambda x: x.t() + 1,
        lambda: (torch.randn(4, 8),),
        "output",
        "strides",
    ),
    Bug(
        "broken alias",
        _copied_alias,
        lambda x: (x + 1, x.view(-1)),
        _one,
        "output[1]",
        "alias",
    ),
    Bug(
        "stale call",
        _compiled_call(lambda kept, outputs: list(kept)),
        lambda x: x.sin(),
        _one,
        "output",
        call="call 3 (other values)",
    ),
    Bug(
        "reused output",
        _compiled_call(_into_the_first),
        lambda x: x.cos(),
        _one,
        "output",
        call="call 1, read again after the last call",
    ),
    Bug(
        "wrong gradient",
        _wrong_derivative,
        torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh()),
        _one,
        "gradient of parameter 0.weight",
        train=True,
    ),
    Bug(
        "gradient that eager does not have",
        _all_differentiable,
        _partly_without_gradients,
        lambda: (torch.randn(8, requires_grad=True),),
        "output[1]",
        "requires_grad",
        "call 1 with gradients enabled",
    ),
    Bug(
        "off by one",
        _lowering(
            aten.slice.Tensor,
            lambda original: (
                lambda x, dim=0, start=0, end=8, step=1: original(
                    x, dim, start + 1, end + 1, step
                )
            ),
        ),
        lambda x: x[:, 2:5] * 2,
        _one,
        "output",
    ),
    Bug(
        "wrong broadcast",
        _lowering(
            aten.unsqueeze.default, lambda original: lambda x, dim: original(x, 1 - dim)
        ),
        lambda x, row: x + row.unsqueeze(1),
        lambda: (torch.randn(8, 8), torch.randn(8)),
        "output",
    ),
    Bug(
        "lost NaN",
        _lowering(
            aten.relu.default,
            lambda original: (
                lambda x: LOWERINGS[aten.where.self](
                    LOWERINGS[aten.gt.Scalar](x, 0), x, 0
                )
            ),
        ),
        lambda x: x.relu(),
        lambda: (torch.tensor([1.0, float("nan"), -1.0, 2.0]),),
        "output",
    ),
    # Whose memory a result has, and what is written to that of another.
    Bug(
        "copy for a view",
        _post_grad(_copied_results),
        _parts,
        _one,
        "output[1]",
        "alias",
    ),
    Bug(
        "view for a copy",
        _post_grad(_no_copies),
        lambda x: (x.sin(), x.clone()),
        _one,
        "output[1]",
        "alias",
    ),
    Bug(
        "view for a copy of a part",
        _post_grad(_no_copies),
        lambda x: x[2:5].clone(),
        _one,
        "output",
        "alias",
    ),
    Bug(
        "view for a saved copy",
        _post_grad(_no_copies),
        torch.clone,
        _one,
        "output",
        "alias",
        train=True,
    ),
    Bug(
        "one memory for two results",
        _post_grad(_one_memory_for_all),
        lambda x: (x + 1, (x + 3) - 2),
        _one,
        "output[1]",
        "alias",
    ),
    Bug(
        "view of another part",
        _alias_of_the_start,
        lambda x: (x + 1, x[2:5]),
        _one,
        "output[1]",
    ),
    Bug(
        "input's memory reused",
        _post_grad(_into_the_input),
        lambda x: x.sin() + 1,
        _one,
        "x after the call",
    ),
    Bug(
        "lost write to a part",
        _joint(_no_writes_to_parts),
        _doubled_rows,
        _one,
        "output",
    ),
    Bug(
        "lost write to a part of an input",
        _joint(_no_writes_to_parts),
        lambda x: x[2:5].mul_(2) + 1,
        _one,
        "output",
    ),
    # Casts, ranges, whole numbers, masks, places that are written to twice, layouts, complex numbers, autocast, views.
    Bug(
        "saturating cast",
        _post_grad(_saturating),
        lambda x: x.to(torch.int8).to(torch.int32) + 1,
        lambda: (torch.tensor([1, 300, -5], dtype=torch.int32),),
        "output",
    ),
    Bug(
        "widened before it overflows",
        _post_grad(_widened_first),
        lambda x: (x * x).to(torch.int64),
        lambda: (torch.tensor([3, 70000, -5], dtype=torch.int32),),
        "output",
    ),
    Bug(
        "largest number for infinity",
        _post_grad(
            _node(aten.exp.default, lambda graph, node: clamped(graph, node, 0.0, 3e38))
        ),
        lambda x: x.exp(),
        lambda: (torch.tensor([1.0, 100.0, -100.0]),),
        "output",
    ),
    Bug(
        "mask as a number",
        _post_grad(
            _node(
                aten.bitwise_not.default,
                lambda graph, node: graph.call_function(aten.clone.default, node.args),
            )
        ),
        lambda x: torch.where(~(x > 0), x, 0.0),
        _one,
        "output",
    ),
    Bug(
        "one of two sums at one place",
        _lowering(
            aten.index_put.default,
            lambda original: (
                lambda x, indices, values, accumulate=False: original(
                    x, indices, values
                )
            ),
        ),
        lambda x, indices, values: x.index_put((indices,), values, accumulate=True),
        _repeated_places,
        "output",
    ),
    Bug(
        "lost offset",
        _lowering(
            aten.as_strided.default,
            lambda original: (
                lambda x, size, stride, offset=0: original(x, size, stride, 0)
            ),
        ),
        lambda x: x.as_strided((3,), (2,), 1) + 1,
        lambda: (torch.arange(8.0),),
        "output",
    ),
    Bug(
        "lost conjugate",
        _post_grad(
            _node(
                aten._conj.default,
                lambda graph, node: graph.call_function(aten.clone.default, node.args),
            )
        ),
        lambda x: x.conj() * 2,
        lambda: (torch.randn(4, dtype=torch.complex64),),
        "output",
    ),
    Bug(
        "autocast undone",
        _post_grad(
            _node(
                aten.mm.default,
                lambda graph, node: graph.call_function(
                    prims.convert_element_type.default, (node, torch.float32)
                ),
            )
        ),
        _products_of_half_precision,
        _two,
        "output",
        "dtype",
    ),
    Bug(
        "writes in reverse",
        _post_grad(_reversed_writes),
        lambda x: x.mul_(2),
        _one,
        "output",
    ),
    Bug(
        "gradient of another part",
        lambda patch: patch.setitem(
            torch._inductor.decomposition.decompositions,
            aten.slice_backward.default,
            _slice_backward,
        ),
        lambda x: x[2:5].sin(),
        lambda: (torch.randn(8, requires_grad=True),),
        "gradient of x",
        train=True,
    ),
    Bug(
        "gradient of an expanded view",
        _lowering(
            aten.sum.dim_IntList,
            lambda original: (
                lambda x, *rest, **kwargs: LOWERINGS[aten.amax.default](
                    x, *rest, **kwargs
                )
            ),
        ),
        lambda x: x.expand(4, 8).sin(),
        lambda: (torch.randn(8, requires_grad=True),),
        "gradient of x",
        train=True,
    ),
    Bug(
        "index that is not checked",
        lambda patch: patch.setitem(
            torch._inductor.decomposition.decompositions,
            aten.embedding.default,
            _clamped_embedding,
        ),
        lambda w, i: torch.nn.functional.embedding(i, w),
        lambda: (torch.randn(4, 3), torch.tensor([1, 7])),
        "the call",
        "refusal",
        verdict="accepts",
    ),
    # Small numbers, indices in 32 bits, zeros beside roundings.
    Bug(
        "cancellation of small numbers",
        _lowering(
            aten.expm1.default,
            lambda original: (
                lambda x: LOWERINGS[aten.sub.Tensor](LOWERINGS[aten.exp.default](x), 1)
            ),
        ),
        lambda x: x.expm1(),
        lambda: (torch.randn(8, 8) * 1e-6,),
        "output",
    ),
    Bug(
        "index in 32 bits",
        _lowering(
            prims.iota.default,
            lambda original: (
                lambda length, **how: original(length, **{**how, "dtype": torch.int32})
            ),
        ),
        lambda x: torch.arange(8) * 700_000_000 + x,
        lambda: (torch.tensor([3, 0, 4, 1, 2, 2, 0, 1]),),
        "output",
    ),
    Bug(
        "lost sign beside roundings",
        _without_negative_zeros,
        lambda x: -(x.to(torch.bfloat16).float() * (x != 0)),
        lambda: (torch.tensor([0.1, 0.0, 1 / 3, -0.7]),),
        "output",
        "zero",
    ),
    # Ties, and gradients that forward does not show.
    Bug(
        "half rounded up",
        _lowering(
            aten.round.default,
            lambda original: (
                lambda x: LOWERINGS[aten.floor.default](
                    LOWERINGS[aten.add.Tensor](x, 0.5)
                )
            ),
        ),
        torch.round,
        lambda: (torch.tensor([0.5, 1.5, 2.5, -0.5, 0.7]),),
        "output",
    ),
    Bug(
        "last of equal values",
        _lowering(aten.argmax.default, _last_of_equals),
        lambda x: x.argmax(-1),
        lambda: (torch.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]),),
        "output",
    ),
    Bug(
        "maximum of what was there, too",
        _lowering(
            aten.scatter_reduce.two,
            lambda original: (
                lambda x, dim, index, values, reduce, **rest: original(
                    x, dim, index, values, reduce
                )
            ),
        ),
        lambda x, i, values: x.scatter_reduce(0, i, values, "amax", include_self=False),
        lambda: (torch.full((4,), 9.0), torch.tensor([0, 2, 0]), torch.randn(3)),
        "output",
    ),
    Bug(
        "one of two gradients",
        _joint(_one_of_two_gradients),
        _UsedTwice(),
        _one,
        "gradient of parameter weight",
        train=True,
    ),
    Bug(
        "lost detach",
        _no_detach,
        lambda x: x * x.sigmoid().detach(),
        lambda: (torch.randn(8, requires_grad=True),),
        "gradient of x",
        train=True,
    ),
)

ZEROS = "call 4 (zeros and the smallest numbers)"
NOT_FINITE = "call 5 (infinities and NaN)"
ENDS_OF_RANGE = "call 6 (the ends of each dtype's range)"

SPECIAL_BUGS = (
    # Only special values, sizes or strides show these.
    Bug(
        "maximum without NaN",
        _lowering(
            aten.amax.default,
            lambda original: (
                lambda x, *rest, **kwargs: original(
                    _where(aten.ne.Tensor, x, x, -math.inf, x), *rest, **kwargs
                )
            ),
        ),
        lambda x: x.amax(-1),
        _one,
        "output",
        call=NOT_FINITE,
    ),
    Bug(
        "no negative zeros",
        _without_negative_zeros,
        torch.neg,
        _one,
        "output",
        "zero",
        call=ZEROS,
    ),
    Bug(
        "subnormal numbers flushed",
        _lowering(aten.mul.Tensor, _flushed),
        lambda x: x * 0.5,
        _one,
        "output",
        "zero",
        call=ZEROS,
    ),
    Bug(
        "product with zero left out",
        _post_grad(
            _node(
                aten.mul.Tensor,
                lambda graph, node: graph.call_function(
                    aten.full.default, ([8, 8], 0.0), {"dtype": torch.float32}
                ),
            )
        ),
        lambda x: x.sin() * 0.0 + 1.0,
        _one,
        "output",
        call=NOT_FINITE,
    ),
    Bug(
        "sigmoid that overflows",
        _lowering(
            aten.sigmoid.default,
            lambda original: (
                lambda x: LOWERINGS[aten.div.Tensor](
                    LOWERINGS[aten.exp.default](x),
                    LOWERINGS[aten.add.Tensor](LOWERINGS[aten.exp.default](x), 1),
                )
            ),
        ),
        torch.sigmoid,
        _one,
        "output",
        call=ENDS_OF_RANGE,
    ),
    Bug(
        "absolute value that saturates",
        _lowering(
            aten.abs.default,
            lambda original: (
                lambda x: _where(aten.eq.Scalar, x, -128, 127, original(x))
            ),
        ),
        torch.abs,
        lambda: (torch.tensor([3, -5, 0, 7, 1, -2], dtype=torch.int8),),
        "output",
        call="call 4 (the ends of each dtype's range)",
    ),
    Bug(
        "any of nothing",
        _lowering(aten.any.dim, _true_of_nothing),
        lambda x: (x > 0).any(-1),
        _one,
        "output",
        call="a call with a last size of zero",
    ),
    Bug(
        "variance of one number",
        _lowering(aten.var.correction, _zero_for_nan),
        lambda x: x.var(0),
        _one,
        "output",
        call="a call with a size of one",
    ),
)
