"""Row and column reductions in one kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, randn

from benchmarks.published.expectation import Program, Source

mixed = Source("test/inductor/test_mix_order_reduction.py")
test = "MixOrderReductionTest."
TRAIN = {"train": True}


def both(reduce: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: (reduce(x, -1), reduce(x, 0))


def parameter(*shape: int, dtype: torch.dtype = torch.float) -> Tensor:
    return randn(*shape, dtype=dtype).requires_grad_()


def rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    wide = x.float()
    scale = (wide.square().sum(-1) / x.shape[-1] + 1e-5).rsqrt()
    return (wide * scale[:, None] * weight).to(x.dtype)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    return F.layer_norm(x, x.shape[-1:], weight, bias)


def shared_weight(norm: Callable[..., Any]) -> Callable[..., Any]:
    def fn(xs: list[Tensor], weight: Tensor) -> list[Tensor]:
        return [norm(x, x.shape[-1:], weight) for x in xs]

    return fn


mixed(
    "reductions of one size",
    "SkipPatternTest.test_dimension_too_close",
    lambda: (lambda x: (x.sum(1), x.sum(0)), randn(768, 768)),
    config={"split_reductions": False},
    kernels=2,
)
for reduce in (torch.sum, torch.prod, torch.mean):
    for dtype in (torch.float, torch.bfloat16):
        for split in (False, True):
            mixed(
                f"{reduce.__name__} of rows and columns, {dtype}, split_reductions={split}",
                test + "test_mix_order_reduction",
                lambda reduce=reduce, dtype=dtype: (
                    both(reduce),
                    randn(32768, 768, dtype=dtype),
                ),
                config={"split_reductions": split},
                codegen_mix_order_reduction=1,
            )
mixed(
    "sums over two and one dimensions",
    test + "test_mix_order_reduction",
    lambda: (lambda x: (x.sum(-1), x.sum((0, 1))), randn(32, 1024, 768)),
    config={"split_reductions": True},
    codegen_mix_order_reduction=1,
)
mixed(
    "an input that is read across",
    test + "test_avoid_non_coalesced_access",
    lambda: (
        lambda x, y: ((x + y).sum(-1), x.sum((0, 1))),
        randn(128, 256, 768),
        randn(128, 768, 256).transpose(1, 2),
    ),
    codegen_mix_order_reduction=0,
)
mixed(
    "coordinate descent",
    test + "test_XBLOCK_coordest_tuning",
    lambda: (both(torch.sum), randn(32768, 256)),
    config={"coordinate_descent_tuning": True},
    codegen_mix_order_reduction=1,
)
mixed(
    "three layers of splits",
    test + "test_3layer_split_reduction",
    lambda: (both(torch.sum), randn(32768 * 256, 2)),
    config={"unroll_reductions_threshold": 1},
    codegen_mix_order_reduction=0,
)
mixed(
    "permuted input",
    test + "test_non_contiguous_input",
    lambda: (
        lambda x: (x.sum(-1), x.sum((0, 1))),
        randn(1024, 32, 768).permute(1, 0, 2),
    ),
    config={"split_reductions": False},
    codegen_mix_order_reduction=1,
)
mixed(
    "two inputs",
    test + "test_multi_workspace_allocation",
    lambda: (
        lambda x, y: (x.sum(0), x.sum(1), y.sum(0), y.sum(1)),
        randn(4096 * 64, 32),
        randn(4098 * 64, 34),
    ),
    config={"split_reductions": False},
    codegen_mix_order_reduction=2,
)
for shape in ((1_000_000, 256), (32768, 2048), (32768, 768), (33791, 768)):
    for dtype in (torch.bfloat16, torch.float):
        mixed(
            f"backward of RMS norm {shape}, {dtype} weight",
            test + "test_rms_norm_bwd",
            lambda shape=shape, dtype=dtype: (
                rms_norm,
                parameter(*shape, dtype=torch.bfloat16),
                parameter(shape[1], dtype=dtype),
            ),
            options=TRAIN,
            config={"split_reductions": False},
            codegen_mix_order_reduction=1,
        )
mixed(
    "backward of layer norm with bias",
    test + "test_layer_norm_bwd_with_bias",
    lambda: (layer_norm, parameter(32769, 768), parameter(768), parameter(768)),
    options=TRAIN,
    codegen_mix_order_reduction=1,
)
mixed(
    "backward of layer norm without bias",
    test + "test_layer_norm_bwd_no_bias",
    lambda: (layer_norm, parameter(32768, 768), parameter(768)),
    options=TRAIN,
    config={"split_reductions": False},
    codegen_mix_order_reduction=1,
)


def dynamic(norm: Callable[..., Any]) -> Program:
    def program() -> tuple[Any, ...]:
        x = parameter(251, 223, 128)
        torch._dynamo.mark_dynamic(x, (0, 1))
        return norm, x, parameter(128)

    return program


mixed(
    "backward of RMS norm, dynamic",
    test + "test_rms_norm_bwd_with_dynamic_shape",
    dynamic(lambda x, weight: F.rms_norm(x, x.shape[-1:], weight, 1e-5)),
    options=TRAIN,
    config={"split_reductions": False},
    codegen_mix_order_reduction=1,
)
mixed(
    "backward of layer norm, dynamic",
    test + "test_layer_norm_bwd_with_dynamic_shape",
    dynamic(layer_norm),
    options=TRAIN,
    codegen_mix_order_reduction=1,
)
for norm in (F.rms_norm, F.layer_norm):
    for dtype in (torch.bfloat16, torch.float):
        mixed(
            f"backward of three {norm.__name__} of one weight, {dtype}",
            test + f"test_{norm.__name__}_sharing_weights",
            lambda norm=norm, dtype=dtype: (
                shared_weight(norm),
                [parameter(32768, 768, dtype=dtype) for _ in range(3)],
                parameter(768, dtype=dtype),
            ),
            options=TRAIN,
            codegen_mix_order_reduction=3,
        )
mixed(
    "a consumer between the reductions",
    test + "test_dont_fuse_nodes_that_introduce_producer_consumer_rel",
    lambda: (lambda x: (x.sum(1), x.sum(0, keepdim=True) + x), randn(32768, 768)),
    config={"split_reductions": False},
    codegen_mix_order_reduction=1,
)
