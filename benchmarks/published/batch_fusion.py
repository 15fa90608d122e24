"""Small parallel operations that are batched before lowering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn, randn

from benchmarks.published.expectation import Source

batch = Source("test/inductor/test_group_batch_fusion.py")
test = "TestGroupBatchFusion."


def options(
    pre: Sequence[str] = (), post: Sequence[str] = ()
) -> dict[str, dict[str, dict[str, Any]]]:
    return {
        "pre_grad_fusion_options": {name: {} for name in pre},
        "post_grad_fusion_options": {name: {} for name in post},
    }


class TwoNorms(nn.Module):
    """Five slices normalized over their last dimension, joined, and normalized once more over the last two."""

    def __init__(self, weight: bool, bias: bool) -> None:
        super().__init__()

        def five(*shape: int) -> nn.ParameterList:
            return nn.ParameterList(nn.Parameter(randn(*shape)) for _ in range(5))

        self.first = five(10), five(10)
        self.first_weight, self.first_bias = self.first
        self.weight = five(5, 10) if weight else [None] * 5
        self.bias = five(5, 10) if bias else [None] * 5

    def forward(self, x: Tensor) -> Tensor:
        parts = torch.split(x, 10, dim=2)
        parts = [
            F.layer_norm(p, (10,), w, b)
            for p, w, b in zip(parts, self.first_weight, self.first_bias, strict=True)
        ]
        parts = torch.split(torch.cat(parts, 2), 10, dim=2)
        return torch.cat(
            [
                F.layer_norm(p, (5, 10), w, b)
                for p, w, b in zip(parts, self.weight, self.bias, strict=True)
            ],
            2,
        )


class SharedInput(nn.Module):
    """Ten linears on one input, twice."""

    def __init__(self, bias: bool) -> None:
        super().__init__()
        sizes = [10 - at % 5 for at in range(10)]
        self.weights = nn.ParameterList(
            nn.Parameter(randn(size, 10)) for size in sizes * 2
        )
        self.biases = [
            nn.Parameter(randn(size)) if bias else None for size in sizes * 2
        ]

    def layer(self, x: Tensor, first: int) -> Tensor:
        parameters = zip(
            self.weights[first : first + 10],
            self.biases[first : first + 10],
            strict=True,
        )
        return torch.cat(
            [F.linear(x, weight, bias) for weight, bias in parameters], dim=1
        )

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.cat(torch.split(self.layer(x + 1.2, 0), 10, dim=1))
        return self.layer(hidden, 10).sigmoid()


class SplitLinears(nn.Module):
    """A linear for each of five slices."""

    def __init__(self, bias: bool) -> None:
        super().__init__()
        self.weights = nn.ParameterList(nn.Parameter(randn(50, 100)) for _ in range(5))
        self.biases = [randn(50) if bias else None for _ in range(5)]

    def forward(self, x: Tensor) -> Tensor:
        parts = torch.split(x, 100, dim=1)
        return torch.cat(
            [
                F.linear(p, w, b)
                for p, w, b in zip(parts, self.weights, self.biases, strict=True)
            ],
            1,
        ).sin()


def pointwise(x: Tensor) -> Tensor:
    left, right = (torch.split(half, 50, dim=1) for half in torch.split(x, 500, dim=1))
    left, right = (
        [F.relu(torch.sigmoid(part)) for part in parts] for parts in (left, right)
    )
    total = [torch.add(a, b) for a, b in zip(left, right, strict=True)]
    squared = [torch.mul(a, a) for a in total]
    zero = [torch.sub(a, a) for a in squared]
    return torch.cat([torch.div(a, a) for a in zero], dim=1)


def aten_pointwise(x: Tensor) -> Tensor:
    aten = torch.ops.aten
    left, right = (aten.split(half, 50, dim=1) for half in aten.split(x, 500, dim=1))
    sides = []
    for parts in (left, right):
        tanh = [aten.tanh(part) for part in parts]
        sigmoid = [aten.sigmoid(part) for part in tanh]
        sides.append([aten.relu(part) for part in sigmoid])
    return torch.cat([aten.add(a, b) for a, b in zip(*sides, strict=True)], dim=1)


def dropouts(x: Tensor) -> tuple[Tensor, ...]:
    return tuple(
        F.dropout(part, p=0.05, training=True) for part in x.split([20] * 5, 1)
    )


for bias in (True, False):
    for weight in (True, False):
        batch(
            f"layer norms, weight={weight}, bias={bias}",
            test + "test_batch_layer_norm_fusion",
            lambda weight=weight, bias=bias: (TwoNorms(weight, bias), randn(2, 5, 50)),
            config=options(["batch_layernorm"]),
            options={"train": True},
            counters__batch_layernorm=2,
        )
    batch(
        f"linears of one input, bias={bias}",
        test + "test_batch_linear_lhs_fusion",
        lambda bias=bias: (SharedInput(bias), randn(20, 10)),
        config=options(["batch_linear_lhs"]),
        options={"train": True},
        counters__batch_linear_lhs=2,
    )
    batch(
        f"linears of slices, bias={bias}",
        test + "test_batch_linear_pre_grad_fusion",
        lambda bias=bias: (SplitLinears(bias), randn(50, 500)),
        config=options(["batch_linear"]),
        options={"train": True},
        counters__batch_linear=1,
    )
batch(
    "pointwise before and after autograd",
    test + "test_pointwise_op_fusion",
    lambda: (pointwise, randn(50, 1000).requires_grad_()),
    config=options(
        ["batch_relu", "batch_sigmoid"],
        ["batch_aten_add", "batch_aten_mul", "batch_aten_sub", "batch_aten_div"],
    ),
    options={"train": True},
    counters__batch_relu=1,
    counters__batch_sigmoid=1,
    counters__batch_aten_add=">= 1",
    counters__batch_aten_mul=">= 1",
)
batch(
    "pointwise after autograd",
    test + "test_pointwise_op_fusion_post_grad",
    lambda: (aten_pointwise, randn(50, 1000)),
    config=options(
        [],
        [
            "batch_aten_relu",
            "batch_aten_sigmoid",
            "batch_aten_tanh",
            "unbind_stack_aten_pass",
        ],
    ),
    counters__batch_aten_tanh=1,
    counters__batch_aten_relu=1,
    counters__batch_aten_sigmoid=1,
    counters__unbind_stack_aten_pass=2,
)
batch(
    "dropouts",
    test + "test_batch_dropout_pre_grad_fusion",
    lambda: (dropouts, randn(10, 100).requires_grad_()),
    config={"pre_grad_fusion_options": {"normalization_pass": {}, "batch_dropout": {}}},
    options={"train": True},
    counters__normalization_pass=1,
    counters__batch_dropout=1,
)
