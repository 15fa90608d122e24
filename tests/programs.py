"""Small programs that several tests compile, and what they compile to."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden import Capture
from pytest_compile_golden.stages import get_stage


def layer_norm_gelu(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return F.gelu(F.layer_norm(x, (64,), weight, bias))


def layer_norm_inputs() -> tuple[Tensor, Tensor, Tensor]:
    return torch.randn(32, 64), torch.randn(64), torch.randn(64)


def broken_graph(x: Tensor) -> Tensor:
    y = x.sin()
    torch._dynamo.graph_break()
    return y.cos() + 1


def scaled_by_length(x: Tensor) -> Tensor:
    return (x * 2).sum(0) + x.shape[0]


def mlp() -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 8)
    )


def texts(captured: Capture) -> dict[str, str]:
    """Every stage of a capture, but for those that the tools on this machine make of its kernels, seconds for each."""
    return {
        stage: str(captured[stage])
        for stage in captured.stages
        if not get_stage(stage).compiles
    }
