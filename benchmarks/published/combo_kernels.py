"""Independent nodes combined into one kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, rand, randn

from benchmarks.published.expectation import Source

combo = Source(
    "test/inductor/test_combo_kernels.py",
    combo_kernels=True,
    benchmark_combo_kernel=False,
    combo_kernel_max_distance=-1,
    combo_kernel_peak_memory_increase_gb=None,
    combo_kernel_peak_memory_pct_threshold=None,
)
test = "ComboKernelTests."


def mutations(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> tuple[Tensor, ...]:
    a.add_(1)
    b.sigmoid_()
    d.tanh_()
    return a, b, c + 5, d


def many_reductions(x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, ...]:
    rows, columns = x.sum(1), x.sum(0)
    return rows.sum(), columns, y.sum(), z.sum()


def scalar_and_sums(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> tuple[Tensor, ...]:
    total = a + b
    return total, c.sum(1), (d * total).sum()


def shapes() -> tuple[Tensor, ...]:
    return rand(10, 10), rand(20, 20), rand(10, 10), rand(30, 8)


def sums(dims: int | tuple[int, ...]) -> Callable[..., Any]:
    return lambda a, b: (a.sum(dims), b.sum(dims))


combo(
    "three activations",
    test + "test_activation_functions",
    lambda: (
        lambda a, b, c: (a.relu(), b.sigmoid(), c.tanh()),
        rand(10, 10),
        rand(20, 20),
        rand(10, 10),
    ),
    kernels=1,
)
combo(
    "reductions and pointwise",
    test + "test_reduce_functions",
    lambda: (lambda a, b, c, d: (a.sum(0), b.max(0), c.min(0), d.tanh()), *shapes()),
    kernels="<= 2",
)
combo(
    "mutations", test + "test_mutated_args", lambda: (mutations, *shapes()), kernels=1
)
combo(
    "rows and tiles",
    test + "test_2d_blocking_partitioning",
    lambda: (
        lambda a, b, c, d, e, f: (a + d, b + e, c + f),
        rand(30, 20),
        rand(40, 30),
        rand(36, 40),
        rand(30, 20),
        rand(30, 40).T,
        rand(40, 36).T,
    ),
    kernels=2,
)
combo(
    "mixed-order reductions beside others",
    test + "test_fuse_mix_order_reductions_combo_kernels",
    lambda: (many_reductions, rand(8192, 1024), rand(2048), rand(2048)),
    kernels=3,
)
combo(
    "a scalar that others use",
    test + "test_combo_kernel_scalar_store_broadcast",
    lambda: (
        scalar_and_sums,
        torch.ones(()),
        torch.ones(()),
        randn(2048, 2048),
        randn(2048, 1),
    ),
    since="2.15",
    kernels=1,
)
combo(
    "a large and a small one",
    test + "test_single_combo_kernels",
    lambda: (lambda a, b: (a + 1, b + 1), rand(8192, 8192), rand(100, 100)),
    kernels=2,
)
combo(
    "a large and a small one, benchmarked",
    test + "test_single_combo_kernels",
    lambda: (lambda a, b: (a + 1, b + 1), rand(8192, 8192), rand(100, 100)),
    config={"benchmark_combo_kernel": True},
    kernels=4,
)
combo(
    "pointwise of unlike sizes",
    test + "test_combo_kernel_per_config_subkernel_poi",
    lambda: (lambda a, b: (a * 2.0, b + 1.0), randn(512), randn(524288)),
    since="2.15",
    kernels=1,
)
combo(
    "persistent reductions",
    test + "test_combo_kernel_per_config_subkernel_per",
    lambda: (sums(-1), randn(1024, 64), randn(1024, 512)),
    kernels=1,
)
combo(
    "persistent and looped reduction",
    test + "test_combo_kernel_per_config_subkernel_red_per",
    lambda: (sums(-1), randn(512, 128), randn(256, 2048)),
    kernels=1,
)
combo(
    "looped reductions",
    test + "test_combo_kernel_per_config_subkernel_red",
    lambda: (sums((0, 2)), randn(32, 64, 128), randn(32, 64, 128)),
    kernels=1,
)
combo(
    "reductions over two dimensions",
    test + "test_combo_kernel_per_config_subkernel_r0_r1",
    lambda: (
        sums((1, 2)),
        randn(32, 16, 64).permute(1, 0, 2),
        randn(32, 16, 64).permute(1, 0, 2),
    ),
    since="2.15",
    config={"triton.prefer_nd_tiling": True, "triton.tile_reductions": True},
    kernels=2,
)
combo(
    "three-dimensional pointwise",
    test + "test_combo_kernel_per_config_subkernel_poi_3d",
    lambda: (
        lambda a, b: (a + 1.0, b * 2.0),
        randn(16, 16, 16)[:8, :8, :8],
        randn(16, 16, 16)[:8, :8, :8],
    ),
    since="2.15",
    config={"triton.prefer_nd_tiling": True, "triton.max_tiles": 3},
    kernels=2,
)
