"""Patterns that the joint-graph and post-grad passes replace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, rand, randn

from benchmarks.published.expectation import Source

matcher = Source("test/inductor/test_pattern_matcher.py")
test = "TestPatternMatcher."
aten = torch.ops.aten


def matched(count: int, nodes: int) -> dict[str, Any]:
    return {
        "counters__pattern_matcher_count": count,
        "counters__pattern_matcher_nodes": nodes,
    }


def two_products(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor:
    return a @ b + c @ d


for shapes, nodes in (
    (((16, 16), (16, 16), (16, 16), (16, 16)), 3),
    (((1, 4), (4, 2), (1, 5), (5, 2)), 3),
    (((1, 4), (4, 2), (1, 2), (2, 1)), 2),
    (((1, 2), (2, 1), (1, 4), (4, 2)), 2),
):
    matcher(
        f"sum of matmuls {shapes}",
        test + "test_mm_plus_mm",
        lambda shapes=shapes: (two_products, *(randn(*shape) for shape in shapes)),
        config={"max_autotune_gemm": True},
        **matched(1, nodes),
    )


def added(a: Tensor, b: Tensor, c: Tensor) -> tuple[Tensor, ...]:
    return a + b @ c, b @ c + a


for name, bias, fused in (
    ("matrix", lambda: randn(16, 16), True),
    ("column", lambda: randn(16, 1), True),
    ("row", lambda: randn(1, 16), True),
    ("one", lambda: randn(1), True),
    ("batched", lambda: randn(1, 16, 16), False),
    ("number", lambda: 4, False),
):
    matcher(
        f"matmul and bias: {name}",
        test + "test_addmm",
        lambda bias=bias: (added, bias(), randn(16, 16), randn(16, 16)),
        **matched(*((2, 4) if fused else (0, 0))),
    )
matcher(
    "matmul and a size",
    test + "test_addmm_symbolic_scalar",
    lambda: (
        lambda a, b: (a.size(0) + a @ b, a @ b + a.size(0)),
        randn(16, 16),
        randn(16, 16),
    ),
    options={"dynamic": True},
    counters__pattern_matcher_count=0,
)


def cat_slice_cat(end: int) -> Callable[..., Any]:
    def fn(a: Tensor, b: Tensor) -> Tensor:
        joined = aten.cat.default([a, b], 1)
        part = aten.slice.Tensor(aten.slice.Tensor(joined, 0, 0, 2**63 - 1), 1, 0, end)
        return aten.cat.default([joined, part], 1)

    return fn


for wide, end in ((32, 19), (8, 19), (8, -1)):
    matcher(
        f"cat, slice to {end}, cat of {wide}",
        test + "test_cat_slice_cat_cuda",
        lambda wide=wide, end=end: (cat_slice_cat(end), randn(2, wide), randn(2, 16)),
        **matched(1, 3),
    )


def split_then_cat(
    sizes: list[int], order: Sequence[int], dim: int
) -> Callable[..., Any]:
    def fn(a: Tensor) -> Tensor:
        parts = aten.split_with_sizes.default(a, sizes, 1)
        return aten.cat.default([parts[at] for at in order], dim) ** 2

    return fn


for name, sizes, order, dim, expected in (
    ("split and cat", [8, 24], (0, 1), 1, (1, 4)),
    ("split and cat of another dimension", [8, 8, 8, 8], (0, 1, 2, 3), 0, (0, 0)),
    ("split and cat in another order", [12, 8, 12], (1, 0, 2), 1, (0, 0)),
):
    matcher(
        name,
        test + "test_splitwithsizes_cat",
        lambda sizes=sizes, order=order, dim=dim: (
            split_then_cat(sizes, order, dim),
            randn(2, 32),
        ),
        **matched(*expected),
    )


def some_parts(a: Tensor) -> Tensor:
    first, second, third = aten.split_with_sizes.default(a, [8, 8, 16], 1)
    return aten.cat.default([first, second], 1) ** 2 + third


matcher(
    "split and cat of some",
    test + "test_splitwithsizes_cat",
    lambda: (some_parts, randn(2, 32)),
    **matched(0, 0),
)


def cat_then_split(
    sizes: list[int], dim: int, also: bool = False
) -> Callable[..., Any]:
    def fn(a: Tensor, b: Tensor, c: Tensor) -> list[Tensor]:
        joined = aten.cat.default([a, b, c], 1)
        parts = [part**2 for part in aten.split_with_sizes.default(joined, sizes, dim)]
        return [*parts, joined**3] if also else parts

    return fn


for name, rows, sizes, dim, also, expected in (
    ("cat and split", 2, [2, 3, 5], 1, False, (1, 2)),
    ("cat and split, cat used", 2, [2, 3, 5], 1, True, (0, 0)),
    ("cat and split of another dimension", 10, [2, 3, 5], 0, False, (0, 0)),
    ("cat and split into fewer", 2, [5, 5], 1, False, (0, 0)),
    ("cat and split of other sizes", 2, [2, 5, 3], 1, False, (0, 0)),
):
    matcher(
        name,
        test + "test_cat_splitwithsizes",
        lambda rows=rows, sizes=sizes, dim=dim, also=also: (
            cat_then_split(sizes, dim, also),
            *(randn(rows, columns) for columns in (2, 3, 5)),
        ),
        **matched(*expected),
    )


def counted(
    shape: list[int], value: float, dtype: torch.dtype, dim: int
) -> Callable[[], Tensor]:
    return lambda: torch.cumsum(
        torch.full(shape, value, dtype=dtype, device="cuda"), dim
    )


for shape, value, dtype, dim in (
    ([55, 10], 1, torch.int64, 1),
    ([5, 4, 3], 2, torch.int64, 0),
    ([100], 0.1, torch.float32, 0),
    ([2, 4], True, torch.bool, 1),
):
    matcher(
        f"cumsum of {value} in {shape}",
        test + "test_pointless_cumsum",
        lambda shape=shape, value=value, dtype=dtype, dim=dim: (
            counted(shape, value, dtype, dim),
        ),
        config={"joint_graph_constant_folding": True},
        counters__pattern_matcher_count=1,
    )


matcher(
    "pointwise after addmm",
    test + "test_original_aten_preserved_split_addmm",
    lambda: (
        lambda x, y, z: torch.addmm(z, x, y).sin(),
        randn(16, 24),
        randn(24, 32),
        randn(16, 32),
    ),
    options={"mode": "max-autotune", "policy": "triton"},
    config={"max_autotune_gemm_backends": "TRITON"},
    counters__pattern_matcher_count=1,
)
matcher(
    "cat of matmuls",
    test + "test_cat_mm",
    lambda: (
        lambda a, b, c: torch.cat([a @ b, b @ c, a @ c], 1),
        *(randn(16, 16) for _ in range(3)),
    ),
    kernels=0,
)
matcher(
    "cat of addmms",
    test + "test_cat_addmm",
    lambda: (
        lambda a, b, c: torch.cat(
            [torch.addmm(a, b, c), torch.addmm(b, c, a), torch.addmm(c, a, b)], 1
        ),
        *(randn(16, 16) for _ in range(3)),
    ),
    kernels=0,
)
matcher(
    "times zero",
    test + "test_replace_mul_zero",
    lambda: (lambda x, y: x + y * 0, rand(256), rand(256)),
    until="2.13",
    kernels=0,
)

padding = Source("test/inductor/test_pad_mm.py")
padding(
    "padded matmul",
    "PadMMTest.test_original_aten_preserved_pad_mm",
    lambda: (
        lambda x, y: x @ y,
        randn(16, 255, dtype=torch.half),
        randn(255, 16, dtype=torch.half),
    ),
    options={"mode": "max-autotune", "policy": "triton"},
    config={
        "max_autotune_gemm_backends": "TRITON",
        "shape_padding": True,
        "force_shape_pad": True,
    },
    counters__pattern_matcher_count=1,
)
