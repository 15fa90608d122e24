"""Loops reordered and re-indexed so that nodes fuse."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, rand, randn
from torch._inductor import test_operators  # noqa: F401  # registers _inductor_test.realize

from benchmarks.published.expectation import Source

ordering = Source(
    "test/inductor/test_loop_ordering.py",
    benchmark_kernel=True,
    loop_ordering_after_fusion=True,
)
ordering.config["triton.unique_kernel_names"] = True
test = "LoopOrderingTest."
realize = torch.ops._inductor_test.realize


def strided_sum_matmul() -> tuple[Any, ...]:
    x = torch.empty_strided([20, 20, 30], [30, 900, 1])
    return (lambda x, y: (x.sum(-1) + 1) @ y), x, randn(20, 20)


def scaled_and_transposed(x: Tensor, y: Tensor) -> Tensor:
    return realize(x * 2) + realize(y * 3)


def realized_three_times(x: Tensor) -> Tensor:
    return realize(realize(realize(x + 1) - 2) * 3).sum([0, 1])


def heads_normalized(x: Tensor) -> Tensor:
    heads = x.reshape(-1, 128).float()
    normalized = heads * (heads.square().mean(-1, keepdim=True) + 1e-5).rsqrt()
    return normalized.reshape(x.shape).to(x.dtype)


def clamped_heads_normalized(x: Tensor, bias: Tensor) -> Tensor:
    return heads_normalized(realize(realize(x + bias).clamp(-1, 1)))


def part_of_qkv() -> Tensor:
    return randn(16, 10240, dtype=torch.bfloat16)[:, :8192]


def block_scaled(x: Tensor) -> Tensor:
    blocks = x.unflatten(-1, (x.shape[1] // 32, 32))
    return (blocks / blocks.abs().amax(-1).clamp(min=1e-6).unsqueeze(-1)).flatten(-2)


def normalized_then_block_scaled(x: Tensor, weight: Tensor) -> Tensor:
    wide = x.float()
    normalized = wide * (wide.square().mean(-1, keepdim=True) + 1e-5).rsqrt()
    return block_scaled((normalized.bfloat16() * weight).float())


def fp8_and_transpose(x: Tensor, scale: Tensor) -> tuple[Tensor, ...]:
    limit = torch.finfo(torch.float8_e4m3fn).max
    cast = (x * scale).clamp(-limit, limit).to(torch.float8_e4m3fn)
    return cast, cast.T.contiguous().T


def fp8_twice(x: Tensor, scale: Tensor) -> tuple[Tensor, ...]:
    limit = torch.finfo(torch.float8_e4m3fn).max
    plain = (x * scale).clamp(min=-limit, max=limit).to(torch.float8_e4m3fn)
    other = (x * scale).T.clamp(min=-limit, max=limit).to(torch.float8_e4m3fn)
    return plain, other.contiguous().T


def sums_and_tiles(x: Tensor) -> tuple[Tensor, ...]:
    tenth = x / 10.0
    return x.sum(-1).sum(), tenth, tenth.T.contiguous().T


def outer_of_inner(x: Tensor) -> tuple[Tensor, ...]:
    rows = x.sum(-1) + 1
    return rows, rows.sum(0)


def rotated(
    halves: tuple[Tensor, Tensor], cos: Tensor, sin: Tensor
) -> tuple[Tensor, Tensor]:
    first, second = halves
    return first * cos - second * sin, second * cos + first * sin


def query_norm(q: Tensor, weight: Tensor) -> Tensor:
    return q * (q.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * weight


def norm_and_rope(q: Tensor, weight: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    q = query_norm(q, weight)
    return torch.cat(rotated((q[..., :32], q[..., 32:]), cos, sin), -1)


def norm_and_interleaved_rope(
    q: Tensor, weight: Tensor, cos: Tensor, sin: Tensor
) -> Tensor:
    pairs = query_norm(q, weight).reshape(*q.shape[:-1], -1, 2)
    a, b = pairs[..., 0], pairs[..., 1]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


def rope_inputs() -> tuple[Tensor, ...]:
    return randn(4, 8, 128, 64), randn(64), randn(1, 1, 128, 32), randn(1, 1, 128, 32)


def swizzled(x: Tensor) -> Tensor:
    rows, columns = x.shape
    blocks = realize(x + 1).view(rows // 128, 128, columns // 4, 4).permute(0, 2, 1, 3)
    return blocks.reshape(-1, 4, 32, 4).transpose(1, 2).reshape(rows, columns) + 1


def attention_layout(x: Tensor) -> Tensor:
    return realize(x + 1).view(2, 16, 4, 8).transpose(1, 2).contiguous()


ordering(
    "reduction before a matmul",
    test + "test_for_reordering_reindex",
    strided_sum_matmul,
    kernels=1,
    bytes_accessed=(20 * 20 * 30 + 20 * 20 + 20 * 20 * 3) * 4,
)
ordering(
    "sum of two layouts",
    test + "test_apbt_realize",
    lambda: (scaled_and_transposed, randn(1024, 2048), randn(2048, 1024).T),
    kernels=1,
)
ordering(
    "sum and transpose",
    test + "test_sum_and_t",
    lambda: (lambda x: (x.sum(-1), x.T.contiguous()), randn(1024, 2048)),
    kernels=1,
)
ordering(
    "pointwise and outer reduction",
    test + "test_pw_outer_red",
    lambda: (lambda x: realize(x + 1).sum([0, 1]), randn(2, 4, 512)),
    kernels=1,
)
ordering(
    "three pointwise and outer reduction",
    test + "test_pw_outer_red_2",
    lambda: (realized_three_times, randn(2, 4, 512)),
    kernels=1,
)
ordering(
    "reductions of different order",
    test + "test_different_reduction_order",
    lambda: (lambda x: (x.sum(0), x.sum(1)), randn(1024, 2048)),
    config={"split_reductions": False},
    kernels=2,
    num_loop_reordering=0,
)
ordering(
    "only a broadcast is shared",
    test + "test_different_broadcast_shapes",
    lambda: (
        lambda x, y, c: (x + c, y + c),
        randn(4, 256, 1024),
        randn(2, 512, 1024),
        randn(1024),
    ),
    kernels=2,
)
ordering(
    "pointwise and a view",
    test + "test_view",
    lambda: (lambda x: (realize(x.view(10, 10)), x.sin()), randn(100)),
    kernels=1,
)
ordering(
    "norm of heads",
    test + "test_reshape_reindexing_for_reduction",
    lambda: (heads_normalized, part_of_qkv()),
    since="2.15",
    kernels=1,
)
ordering(
    "norm of transposed heads",
    test + "test_reshape_reindexing_transposed_input",
    lambda: (heads_normalized, randn(8192, 16, dtype=torch.bfloat16).T),
    since="2.15",
    config={"triton.coalesce_tiling_analysis": True},
    kernels=1,
)
ordering(
    "norm of heads without loop ordering",
    test + "test_reshape_reindexing_without_loop_ordering",
    lambda: (heads_normalized, part_of_qkv()),
    since="2.15",
    config={"loop_ordering_after_fusion": False},
    kernels=1,
)
ordering(
    "norm of clamped heads",
    test + "test_reshape_reindexing_fused_pointwise",
    lambda: (
        clamped_heads_normalized,
        part_of_qkv(),
        randn(8192, dtype=torch.bfloat16),
    ),
    since="2.15",
    kernels=1,
)
ordering(
    "block scales",
    test + "test_floordiv_broadcast_vertical_fusion",
    lambda: (block_scaled, randn(8, 8192)),
    since="2.15",
    kernels=1,
)
for nested in (False, True):
    ordering(
        f"norm and block scales, nested_reduction={nested}",
        test + "test_floordiv_broadcast_with_preceding_reduction",
        lambda: (
            normalized_then_block_scaled,
            randn(8, 8192, dtype=torch.bfloat16),
            randn(8192, dtype=torch.bfloat16),
        ),
        since="2.15",
        config={"triton.nested_reduction": nested},
        kernels=1 if nested else 2,
    )
ordering(
    "attention layout",
    test + "test_reindex_attention_layout_clone_for_index_inversion",
    lambda: (attention_layout, randn(2, 16, 32)),
    since="2.15",
    kernels=1,
)
ordering(
    "swizzled scales",
    test + "test_reindex_block_scale_swizzle_with_epilogue",
    lambda: (swizzled, randn(128, 128)),
    since="2.15",
    kernels=1,
)
ordering(
    "fp8 cast and its transpose",
    test + "test_fp8_cast_and_t",
    lambda: (fp8_and_transpose, randn(4096, 4096, dtype=torch.bfloat16), rand(1)),
    kernels=1,
)
ordering(
    "fp8 casts of both layouts",
    test + "test_fp8_pattern_2",
    lambda: (fp8_twice, randn(4096, 4096, dtype=torch.bfloat16), rand(1)),
    kernels=1,
    bytes_accessed=4 + 4096 * 4096 * (2 + 1 + 1),
)
ordering(
    "outer softmax",
    test + "test_outer_dimension_softmax",
    lambda: (lambda x: x.softmax(0), randn(32, 2**21)),
    kernels=1,
)
ordering(
    "outer sum and pointwise",
    test + "test_outer_dimension_sum_fuse_with_pw",
    lambda: (lambda x: x.sum(0, keepdim=True) + x, randn(32, 2**21)),
    kernels=1,
)
ordering(
    "sum and tiled pointwise",
    test + "test_fuse_reduction_with_tiled_pw",
    lambda: (sums_and_tiles, randn(200, 100)),
    config={"split_reductions": False},
    bytes_accessed=(200 * 100 * 3 + 200 * 2 + 1) * 4,
)
ordering(
    "nothing to reorder",
    test + "test_3dred_pw_2d_outer_red",
    lambda: (outer_of_inner, randn(64, 64, 64)),
    num_loop_reordering=0,
)
ordering(
    "query norm and rope",
    test + "test_qknorm_rope_fusion",
    lambda: (norm_and_rope, *rope_inputs()),
    since="2.15",
    kernels=1,
)
ordering(
    "query norm and interleaved rope",
    test + "test_qknorm_interleaved_rope_fusion",
    lambda: (norm_and_interleaved_rope, *rope_inputs()),
    since="2.15",
    kernels=1,
)
