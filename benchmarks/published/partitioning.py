"""What the min-cut partitioner saves and recomputes: bytes of forward and backward together."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, rand

from benchmarks.published.bytes_accessed import row, square
from benchmarks.published.expectation import Source

perf = Source("test/inductor/test_perf.py")
TRAIN = {"train": True}
NO_PATTERNS = {"pattern_matcher": False}
test = "MinCutPartitioningTests."


def twice_cosine_of_sum(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor:
    return (a + b + c + d).cos().cos()


def tanh_of_matmul(x: Tensor) -> Tensor:
    return (x @ torch.ones_like(x)).tanh().tanh()


def two_matmuls(a: Tensor) -> Tensor:
    product = a @ a + 1
    return product @ (product + 2)


class SavesView(torch.autograd.Function):
    """Saves a view of a cosine that the backward uses in a matrix product."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        sine, matrix = x.sin(), x.cos().view(10, 10)
        ctx.save_for_backward(matrix, sine)
        return matrix.cos()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        matrix, sine = ctx.saved_tensors
        return (grad @ matrix).view(100) * sine


def residual_matmuls(x: Tensor) -> Tensor:
    for _ in range(2):
        squared = x * x
        x = x + (squared @ squared) * 2
    return x


perf(
    "all recomputed",
    test + "test_partitioning_full_remat",
    lambda: (lambda x: x.cos().cos().cos(), *row()),
    options=TRAIN,
    numel=50,
)
perf(
    "one sum saved",
    test + "test_partitioning_partial_remat",
    lambda: (twice_cosine_of_sum, *row(4)),
    options=TRAIN,
    numel=90,
)
perf(
    "a mask saved",
    test + "test_partitioning_dtype",
    lambda: (lambda x: x * (x < 0), rand(100)),
    options=TRAIN,
    numel=450,
)
perf(
    "no recomputation far from the backward",
    test + "test_partitioning_unremat_bw",
    lambda: (tanh_of_matmul, *square()),
    options=TRAIN,
    config={"functorch.max_dist_from_bw": 1000},
    numel=1300,
)
perf(
    "matmul of a shared product",
    test + "test_partitioning_unremat_bw2",
    lambda: (two_matmuls, *square()),
    options=TRAIN,
    config=NO_PATTERNS,
    numel=2600,
)
perf(
    "outer product never saved",
    test + "test_partitioning_keops",
    lambda: (lambda a, b: (a * b).cos().sum(1), rand(20, 1), rand(1, 20)),
    options=TRAIN,
    numel=220,
)
perf(
    "cat",
    test + "test_partitioning_cat",
    lambda: (lambda a, b: torch.cat((a.tanh(), b)), *row(2)),
    options=TRAIN,
    numel=70,
)
perf(
    "relu",
    test + "test_partitioning_relu",
    lambda: (lambda x: x.relu(), rand(16)),
    options=TRAIN,
    numel=72,
)
perf(
    "a saved view",
    test + "test_partitioning_with_view",
    lambda: (lambda x: SavesView.apply(x), rand(100)),
    options=TRAIN,
    numel=900,
)
perf(
    "a chain of residual matmuls",
    test + "test_partitioning_long_chain_add",
    lambda: (residual_matmuls, *square()),
    options=TRAIN,
    config=NO_PATTERNS,
    numel=3900,
)
