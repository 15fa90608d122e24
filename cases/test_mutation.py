"""Programs that mutate their inputs."""

import torch
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden


def test_in_place(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, y: Tensor) -> Tensor:
        x.add_(y)
        return x * 2

    captured = compile_stages(f, torch.randn(128, 128), torch.randn(128, 128))
    assert captured == golden


def test_write_through_view(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        x.view(-1)[:10].mul_(2)
        return x + 1

    captured = compile_stages(f, torch.randn(32, 32))
    assert captured == golden


def test_copy_order(compile_stages: CompileStages, golden: Golden) -> None:
    """The old value must be read before it is overwritten."""

    def f(x: Tensor, y: Tensor) -> Tensor:
        before = x.clone()
        x.copy_(y)
        return before + x

    captured = compile_stages(f, torch.randn(64, 64), torch.randn(64, 64))
    assert captured == golden


def test_cache_update(compile_stages: CompileStages, golden: Golden) -> None:
    """A KV cache written at given positions."""

    def f(cache: Tensor, position: Tensor, value: Tensor) -> Tensor:
        cache.index_copy_(1, position, value)
        return cache.sum(1)

    captured = compile_stages(f, torch.zeros(2, 128, 64), torch.arange(4), torch.randn(2, 4, 64))
    assert captured == golden
