"""Views, concatenation and indexed reads and writes."""

import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden


def test_cat_split(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, y: Tensor) -> Tensor:
        a, b = torch.split(x, [64, 192], dim=1)
        return torch.cat([b, y, a], dim=1).relu() + 1

    captured = compile_stages(f, torch.randn(128, 256), torch.randn(128, 64))
    assert captured == golden


def test_chunk_rotate(compile_stages: CompileStages, golden: Golden) -> None:
    """A rotary embedding: halves swapped, one negated."""

    def f(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-b, a), dim=-1) * sin

    captured = compile_stages(f, torch.randn(2, 8, 128, 64), torch.randn(128, 64), torch.randn(128, 64))
    assert captured.metrics.kernels == 1
    assert captured == golden


def test_transpose_contiguous(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x.transpose(1, 2).contiguous() * 2, torch.randn(4, 128, 64))
    assert captured == golden


def test_pad(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: F.pad(x, (1, 2)).sin(), torch.randn(64, 61))
    assert captured == golden


def test_embedding_training(compile_stages: CompileStages, golden: Golden) -> None:
    embedding = torch.nn.Embedding(1000, 256)
    captured = compile_stages(embedding, torch.zeros(8, 64, dtype=torch.int64), train=True)
    assert captured == golden


def test_gather(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda x, index: torch.gather(x, 1, index) * 2, torch.randn(128, 256), torch.zeros(128, 8, dtype=torch.int64)
    )
    assert captured == golden


def test_scatter_add(compile_stages: CompileStages, golden: Golden) -> None:
    def f(base: Tensor, index: Tensor, values: Tensor) -> Tensor:
        return base.scatter_add(0, index, values * 2)

    index = torch.zeros(512, 64, dtype=torch.int64)
    captured = compile_stages(f, torch.zeros(128, 64), index, torch.randn(512, 64))
    assert captured == golden


def test_index_put(compile_stages: CompileStages, golden: Golden) -> None:
    def f(cache: Tensor, position: Tensor, values: Tensor) -> Tensor:
        return torch.ops.aten.index_put(cache, [position], values)

    captured = compile_stages(f, torch.zeros(1024, 64), torch.arange(16), torch.randn(16, 64))
    assert captured == golden
