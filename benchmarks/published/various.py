"""Kernel counts of other test files."""

from __future__ import annotations

import torch
from torch import randn

from benchmarks.published.expectation import Source

inductor = Source("test/inductor/test_torchinductor.py")

inductor(
    "relu of a matmul by template",
    "GPUTests.test_triton_mm2",
    lambda: (lambda x, y: (x @ y).relu(), randn(1024, 1024), randn(1024, 1024)),
    options={"mode": "max-autotune-no-cudagraphs", "policy": "triton"},
    config={"max_autotune_gemm_backends": "TRITON"},
    kernels=1,
)
inductor(
    "large average pooling falls back",
    "GPUTests.test_adaptive_avg_pool2d2",
    lambda: (lambda x: torch.ops.aten._adaptive_avg_pool2d(x, (4, 4)), randn(2, 4, 21, 21)),
    kernels=0,
)
