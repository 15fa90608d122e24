"""Small programs that several tests compile."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


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
    return torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 8))
