"""Random numbers in compiled code."""

import torch

from pytest_compile_golden.typing import CompileStages, Golden


def test_dropout_training(compile_stages: CompileStages, golden: Golden) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.Dropout(0.1))
    captured = compile_stages(model, torch.randn(128, 256), train=True)
    assert captured == golden


def test_rand_like(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x + torch.rand_like(x), torch.randn(64, 256))
    assert captured == golden
