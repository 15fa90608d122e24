"""The programs that the benchmarks compile: small ones, like those in the suite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F


@dataclass(frozen=True)
class Program:
    """A function or module with inputs, recreated for each use."""

    name: str
    make: Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]
    train: bool = False


def _layer_norm_gelu() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    def f(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return F.gelu(F.layer_norm(x, (256,), weight, bias))

    return f, (torch.randn(64, 256), torch.randn(256), torch.randn(256))


def _softmax() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return lambda x: torch.softmax(x * 2, -1), (torch.randn(64, 256),)


def _mlp() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    model = torch.nn.Sequential(
        torch.nn.Linear(128, 256), torch.nn.GELU(), torch.nn.Linear(256, 128)
    )
    return model, (torch.randn(32, 128),)


def _cat_split() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        a, b = torch.split(x, [64, 192], dim=1)
        return torch.cat([b, y, a], dim=1).relu() + 1

    return f, (torch.randn(32, 256), torch.randn(32, 64))


def _transformer() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    layer = torch.nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
    return layer, (torch.randn(2, 32, 128),)


PROGRAMS = (
    Program("layer norm + gelu", _layer_norm_gelu),
    Program("softmax", _softmax),
    Program("cat and split", _cat_split),
    Program("mlp", _mlp),
    Program("mlp, training", _mlp, train=True),
    Program("transformer layer, training", _transformer, train=True),
)
