"""Attention written by hand becomes scaled_dot_product_attention."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, randn

from benchmarks.published.expectation import Source

fused = Source("test/inductor/test_fused_attention.py")
test = "SDPAPatternRewriterGpuTests.test_sdpa_rewriter_{}_gpu"


def scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1)


def divided(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).div(math.sqrt(k.shape[-1])).softmax(-1) @ v


def multiplied(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).mul(1.0 / math.sqrt(k.shape[-1])).softmax(-1) @ v


def divided_dropped(q: Tensor, k: Tensor, v: Tensor, training: bool) -> Tensor:
    return F.dropout(scores(q, k).div(3.0).softmax(-1), p=0.4, training=training) @ v


def multiplied_dropped(q: Tensor, k: Tensor, v: Tensor, training: bool) -> Tensor:
    return F.dropout(scores(q, k).mul(0.4).softmax(-1), p=0.2, training=training) @ v


def causal_mask(q: Tensor, k: Tensor) -> Tensor:
    mask = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool, device=q.device).tril(0)
    return mask.masked_fill(torch.logical_not(mask), -float("inf"))


def masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (
        torch.softmax(scores(q, k) / math.sqrt(q.size(-1)) + causal_mask(q, k), dim=-1)
        @ v
    )


def masked_dropped(q: Tensor, k: Tensor, v: Tensor, training: bool) -> Tensor:
    weights = torch.softmax(
        scores(q, k) / math.sqrt(q.size(-1)) + causal_mask(q, k), dim=-1
    )
    return F.dropout(weights, 0.5, training) @ v


def half_heads(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = (tensor.permute(0, 2, 1, 3) for tensor in (q, k, v))
    weights = torch.softmax(
        (scores(q, k) / math.sqrt(q.size(-1))).to(torch.float32), dim=-1
    )
    return weights.to(torch.float16) @ v


def heads(
    dtype: torch.dtype = torch.float, shape: tuple[int, ...] = (4, 2, 16, 32)
) -> tuple[Tensor, ...]:
    return tuple(randn(shape, dtype=dtype) for _ in range(3))


for dtype in (torch.float, torch.half):
    for train in (False, True):
        fused(
            f"1: divided, {dtype}, train={train}",
            test.format(1),
            lambda dtype=dtype: (divided, *heads(dtype)),
            options={"train": train, "fullgraph": True},
            matmul_precision="high",
            counters__fuse_attention=">= 1",
        )
for number, function, arguments in (
    (2, multiplied, ()),
    (3, divided_dropped, (True,)),
    (4, multiplied_dropped, (True,)),
    (5, masked, ()),
    (6, masked_dropped, (True,)),
):
    for train in (False, True):
        flags = tuple(train for _ in arguments)
        fused(
            f"{number}: {function.__name__}, train={train}",
            test.format(number),
            lambda function=function, flags=flags: (function, *heads(), *flags),
            options={"train": train, "fullgraph": True},
            matmul_precision="high",
            counters__fuse_attention=">= 1",
        )
for train in (False, True):
    fused(
        f"8: half_heads, train={train}",
        test.format(8),
        lambda: (half_heads, *heads(torch.half, (2, 8, 4, 16))),
        options={"train": train, "fullgraph": True},
        matmul_precision="high",
        counters__fuse_attention=">= 1",
    )

flex = Source("test/inductor/test_flex_attention.py")


def cosine_after_flex() -> tuple[Any, ...]:
    from torch.nn.attention.flex_attention import flex_attention

    return (lambda q, k, v: flex_attention(q, k, v).cos()), *heads(
        shape=(1, 8, 1024, 64)
    )


flex(
    "pointwise fused into flex attention",
    "TestFlexAttention.test_epilogue_fused",
    cosine_after_flex,
    bytes_accessed=f"< {8 * 1024 * 64 * 4 * 5}",
)
