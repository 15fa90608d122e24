"""Whether torch's caches can store what is compiled, and what their keys consist of."""

import pytest
import torch
from torch import Tensor, fx, nn
from torch._inductor.custom_graph_pass import CustomGraphPass

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target=["cpu-avx2", "cuda-sm90"], stages="+cache_key")


def no_change(graph: fx.Graph) -> None:
    """A pass that torch cannot tell apart from others."""


class Named(CustomGraphPass):
    """A pass that identifies itself."""

    def __call__(self, graph: fx.Graph) -> None:
        """Change nothing."""

    def uuid(self) -> str:
        return "no change"


def f(x: Tensor) -> Tensor:
    return torch.relu(x @ x)


def test_both_directions_can_be_kept(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(nn.Linear(16, 16), torch.randn(8, 16), train=True)
    assert captured["cache_key"].cacheable
    assert len(captured["cache_key"].of_kind("cacheable")) == 3
    assert captured["cache_key"] == golden


def test_frozen_weights_are_not_kept(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(nn.Linear(16, 16), torch.randn(8, 16), config={"freezing": True})
    assert "AOTAutograd cache: Cannot cache a graph with freezing enabled" in captured["cache_key"].bypasses
    assert captured["cache_key"] == golden


def test_a_pass_without_a_name_is_not_kept(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(f, torch.randn(16, 16), config={"joint_custom_pre_pass": no_change})
    reason = "Unsupported joint custom pass"
    assert captured["cache_key"].bypasses == (f"AOTAutograd cache: {reason}", f"FX graph cache: {reason}")
    assert captured.metrics.cache_bypasses == 2
    assert captured["cache_key"] == golden


def test_a_pass_with_a_name_is_a_part_of_the_key(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(f, torch.randn(16, 16), config={"joint_custom_pre_pass": Named()})
    assert captured["cache_key"].cacheable
    assert "joint_custom_pre_pass" in captured["cache_key"].of_kind("fx")
    assert captured["cache_key"] == golden
