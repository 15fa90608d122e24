"""CUDA graphs: what is recorded, what splits a graph, and what prevents recording."""

import pytest
import torch
from torch import Tensor, nn

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target=["cuda-sm80", "cuda-sm90"])


def test_parameters_are_static_inputs_in_training(compile_stages: CompileStages, golden: Golden) -> None:
    """Forward and backward are each recorded whole."""
    captured = compile_stages(nn.Linear(64, 64), torch.randn(8, 64), train=True, mode="reduce-overhead")
    assert captured["cudagraphs"].skipped == captured["cudagraphs"].launched == ()
    assert captured.metrics.cudagraph_partitions == 2
    assert captured["cudagraphs"] == golden


def test_a_step_on_the_cpu_splits_the_graph(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        on_cpu = x.relu().cpu() + 1
        return on_cpu.to(x.device) @ x

    captured = compile_stages(f, torch.randn(64, 64), mode="reduce-overhead")
    assert len(captured["cudagraphs"].recorded) == 2
    assert len(captured["cudagraphs"].launched) == 1
    assert captured["cudagraphs"] == golden


@pytest.mark.incident(
    "flashinfer-ai/flashinfer#403",
    versions="2.4",
    stage="cudagraphs",
    cause="mutated inputs",
    seen="A RoPE operator that mutates its inputs kept the model out of CUDA graphs.",
)
def test_an_input_that_is_written_to_is_skipped(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        x.add_(1)
        return x * 2

    captured = compile_stages(f, torch.randn(64, 64), mode="reduce-overhead")
    assert captured["cudagraphs"].skipped == ("mutated inputs (1 instances)",)
    assert captured.metrics.cudagraph_skips == 1
    assert captured["cudagraphs"] == golden
