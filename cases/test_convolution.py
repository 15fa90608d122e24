"""Convolutions with batch norm and activations."""

import pytest
import torch

from pytest_compile_golden.typing import CompileStages, Golden


def block() -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Conv2d(16, 32, 3, padding=1, bias=False), torch.nn.BatchNorm2d(32), torch.nn.ReLU()
    )


@pytest.mark.incident(
    "pytorch/pytorch#190206",
    versions="up to 2.13",
    stage="trail",
    cause="aot / aten._native_batch_norm_legit_no_training.default: -reciprocal -sqrt +rsqrt",
    seen="Norms in inference computed an exact square root and a division, where training uses one instruction.",
)
def test_batch_norm_eval(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(block().eval(), torch.randn(4, 16, 32, 32))
    assert captured == golden


def test_batch_norm_training(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(block(), torch.randn(4, 16, 32, 32), train=True)
    assert captured == golden


def test_pooling(compile_stages: CompileStages, golden: Golden) -> None:
    pool = torch.nn.MaxPool2d(2)
    captured = compile_stages(lambda x: pool(x).mean((2, 3)), torch.randn(4, 16, 32, 32))
    assert captured == golden
