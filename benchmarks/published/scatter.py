"""A scatter into a constant becomes pointwise."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, randint, randn

from benchmarks.published.expectation import Source

scatter = Source("test/inductor/test_scatter_optimization.py")
ROWS, COLUMNS = 1024, 2048
FULL = ROWS * COLUMNS * 4


def dense(index: Tensor) -> Tensor:
    return torch.zeros([ROWS, COLUMNS], device="cuda").scatter_(1, index, 0.618)


for name, test, shape, dim, count, bound in (
    (
        "last of three dimensions",
        "test_3d_tensor",
        [2, ROWS, COLUMNS],
        2,
        (2, ROWS),
        COLUMNS,
    ),
    ("first dimension", "test_non_last_dim", [ROWS, COLUMNS], 0, (COLUMNS,), ROWS),
    (
        "negative dimension",
        "test_neg_scatter_dim",
        [ROWS, COLUMNS],
        -1,
        (ROWS,),
        COLUMNS,
    ),
    (
        "constant that is not zero",
        "test_nonzero_const_tensor",
        [ROWS, COLUMNS],
        1,
        (ROWS,),
        COLUMNS,
    ),
):
    elements = shape[0] * shape[1] * (shape[2] if len(shape) > 2 else 1)
    indices = count[0] * (count[1] if len(count) > 1 else 1)

    def program(
        shape: list[int] = shape,
        dim: int = dim,
        count: tuple[int, ...] = count,
        bound: int = bound,
    ) -> tuple[Any, ...]:
        def fn(index: Tensor) -> Tensor:
            out = torch.full(shape, 3.14, device="cuda")
            return out.scatter_(dim, index.unsqueeze(dim), 2.718)

        return fn, randint(bound, count)

    scatter(
        name,
        f"TestScatterOpt.{test}",
        program,
        bytes_accessed=elements * 4 + indices * 8,
    )


def shorter(index: Tensor) -> Tensor:
    return torch.full([ROWS, COLUMNS], 3.14, device="cuda").scatter_(
        1, index.unsqueeze(1), 2.718
    )


scatter(
    "index shorter than the constant",
    "TestScatterOpt.test_shorter_index_tensor",
    lambda: (shorter, randint(COLUMNS, (ROWS // 2,))),
    counters__pattern_matcher_count=0,
)
scatter(
    "too dense",
    "TestScatterOpt.test_can_not_optimize_due_to_dense",
    lambda: (dense, randint(COLUMNS, (ROWS, COLUMNS // 2))),
    bytes_accessed=f">= {FULL + ROWS * COLUMNS // 2 * 12}",
)
scatter(
    "not a constant",
    "TestScatterOpt.test_can_not_optimize_due_to_non_const",
    lambda: (
        lambda index, y: y.scatter_(1, index, 0.618),
        randint(COLUMNS, (ROWS, 1)),
        randn(ROWS, COLUMNS),
    ),
    bytes_accessed=5 * FULL + ROWS * 16,
)


def cross_entropy() -> tuple[Any, ...]:
    linear = torch.nn.Linear(768, 502).bfloat16()

    def fn(x: Tensor, labels: Tensor) -> Tensor:
        return torch.nn.functional.cross_entropy(
            linear(x).view(-1, 502), labels.view(-1)
        )

    return fn, randn(32, 1024, 768, dtype=torch.bfloat16), randint(502, (32, 1024))


scatter(
    "backward of cross entropy",
    "TestScatterOpt.test_cross_entropy_loss",
    cross_entropy,
    options={"train": True},
    num_matches_for_scatter_upon_const_tensor=1,
)
