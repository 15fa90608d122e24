"""Small programs that several tests compile."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def layer_norm_gelu(x, weight, bias):
    return F.gelu(F.layer_norm(x, (64,), weight, bias))


def layer_norm_inputs():
    return torch.randn(32, 64), torch.randn(64), torch.randn(64)


def broken_graph(x):
    y = x.sin()
    torch._dynamo.graph_break()
    return y.cos() + 1


def scaled_by_length(x):
    return (x * 2).sum(0) + x.shape[0]


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 8))
