"""Kernel and node counts from other test files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, randn
from torch._inductor import test_operators  # noqa: F401  # registers _inductor_test.realize

from benchmarks.published.expectation import Source

inductor = Source("test/inductor/test_torchinductor.py")
unbacked = Source(
    "test/inductor/test_unbacked_symints.py", **{"dynamo.capture_scalar_outputs": True}
)
test = "GPUTests."
realize = torch.ops._inductor_test.realize
COEFFICIENTS = (-3.0e-7, -1.9e-8, -1.0e-11, 1.5e-10)


def equation_of_state(between: Callable[[Any], Any]) -> tuple[Any, ...]:
    """A rational function of three inputs; `between` is applied to each part."""
    a, b, c, d = COEFFICIENTS

    def fn(salt: Tensor, temperature: Tensor, pressure: Tensor) -> Tensor:
        part = between(c * temperature)
        bottom = between(a + temperature * (b + part) + d * salt)
        return between(1.0 / bottom) + between(bottom * pressure)

    return fn, randn(204, 204, 26), randn(204, 204, 26), randn(26)


def put_and_expand(x: Tensor, index: Tensor) -> Tensor:
    x.index_put_((index,), torch.ones(index.size(0), device=x.device))
    return x.expand((2, x.shape[0]))


def put_beside(x: Tensor, index: Tensor) -> tuple[Tensor, ...]:
    return x, x.index_put((index,), torch.ones(index.size(0), device=x.device))


def summed_edges(nodes: Tensor, edges: Tensor) -> Tensor:
    difference = nodes[edges[0]] - nodes[edges[1]] + 1
    return torch.zeros_like(nodes).scatter_add_(
        0, edges[1].unsqueeze(-1).expand_as(difference), difference
    )


def sum_of_all(*inputs: Tensor) -> Tensor:
    total = inputs[0]
    for value in inputs:
        total = total + value
    return total


def repeated(x: Tensor, y: Tensor, repeats: Tensor) -> tuple[Tensor, ...]:
    count = repeats.item()
    many = y.expand(count, *y.shape) + x
    return many, (many + x).sum()


inductor(
    "a long pointwise expression",
    test + "test_vertical_fusion1",
    lambda: equation_of_state(lambda part: part),
    kernels=1,
)
inductor(
    "a long pointwise expression, each part realized",
    test + "test_scheduler_vertical_fusion1",
    lambda: equation_of_state(realize),
    kernels=1,
    ir_nodes=5,
)
inductor(
    "a realized product",
    test + "test_forced_buffer_realize",
    lambda: (lambda a: (realize(a * 2) * 2,), randn(10)),
    ir_nodes=2,
)
inductor(
    "index_put in place",
    test + "test_index_put_reinplace",
    lambda: (put_and_expand, randn(1024), torch.arange(10)),
    kernels=1,
)
inductor(
    "index_put of an input that lives on",
    test + "test_index_put_failed_reinplace",
    lambda: (put_beside, randn(1024), torch.arange(10)),
    kernels=2,
)
inductor(
    "gather and scatter_add over edges",
    test + "test_gather_scatter",
    lambda: (summed_edges, randn(16, 32), torch.randint(16, (2, 80))),
    kernels=2,
)
inductor(
    "max_fusion_size",
    test + "test_no_mega_fusion_during_lowering",
    lambda: (sum_of_all, *(randn(64) for _ in range(50))),
    config={"max_fusion_size": 1},
    kernels="> 1",
)
inductor(
    "large average pooling falls back",
    test + "test_adaptive_avg_pool2d2",
    lambda: (
        lambda x: torch.ops.aten._adaptive_avg_pool2d(x, (4, 4)),
        randn(2, 4, 21, 21),
    ),
    kernels=0,
)
unbacked(
    "pointwise and reduction of an unbacked size",
    "TestUnbackedSymints.test_vertical_pointwise_reduction_fusion",
    lambda: (repeated, randn(32, 16), randn(1, 16), torch.full((), 32)),
    options={"fullgraph": True},
    kernels=1,
)
