"""Reductions and what fuses into them."""

import pytest
import torch
import torch.nn.functional as F

from pytest_compile_golden.typing import CompileStages, Golden


def test_softmax(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: torch.softmax(x, -1), torch.randn(128, 1024))
    assert captured.metrics.kernels == 1
    assert captured == golden


def test_sum_of_product(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x, y: (x * y).sum(-1), torch.randn(256, 2048), torch.randn(256, 2048))
    assert captured.metrics.kernels == 1
    assert captured == golden


def test_split_reduction(compile_stages: CompileStages, golden: Golden) -> None:
    """A sum over all elements is split in two to fill the device."""
    captured = compile_stages(lambda x: x.sum(), torch.randn(4096, 4096))
    assert captured == golden


def test_sum_and_max_of_one_input(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: (x.sum(-1), x.amax(-1), x.argmax(-1)), torch.randn(256, 512))
    assert captured == golden


def test_cumsum(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: torch.cumsum(x * 2, -1), torch.randn(64, 256))
    assert captured == golden


def test_cross_entropy_training(compile_stages: CompileStages, golden: Golden) -> None:
    logits = torch.randn(128, 1000, requires_grad=True)
    labels = torch.zeros(128, dtype=torch.int64)
    captured = compile_stages(F.cross_entropy, logits, labels, train=True)
    assert captured == golden


@pytest.mark.compile_golden(target=["cuda-sm90", "cuda-sm100"])
def test_sum_that_fills_no_card(compile_stages: CompileStages, golden: Golden, compile_target: str) -> None:
    """On 2.13, Blackwell sums up to 524288 elements in one kernel; 2.14 again splits sums of more than 32768."""
    captured = compile_stages(lambda x: x.sum(), torch.randn(1 << 18))
    whole = compile_target == "cuda-sm100" and torch.__version__.startswith("2.13.")
    assert captured.metrics.kernels == (1 if whole else 2)
    assert captured == golden
