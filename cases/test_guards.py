"""What must hold for compiled code to be used again, and what evaluating it takes."""

import torch
from torch import Tensor, nn

from pytest_compile_golden.typing import CompileStages, Golden


class Scaled(nn.Module):
    """Reads a submodule, a float, and an item of a list in a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.scale = 2.0
        self.options = {"factors": [1, 2]}

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.linear(x) * self.scale * self.options["factors"][0] + y


def test_state_of_a_module(compile_stages: CompileStages, golden: Golden) -> None:
    """All of it is checked in C++; the one that runs Python is torch's own."""
    captured = compile_stages(Scaled(), torch.randn(4, 8), torch.randn(4, 8))
    assert len(captured["guard_tree"].python) == 1
    assert captured["guard_tree"] == golden


def test_dynamic_shapes_add_one_guard_in_python(compile_stages: CompileStages, golden: Golden) -> None:
    """All conditions on sizes are one Python function."""
    captured = compile_stages(torch.add, torch.randn(4, 8), torch.randn(4, 8), dynamic=True)
    assert len(captured["guard_tree"].python) == 2
    assert captured["guard_tree"].python[-1].depth == 0
    assert captured["guard_tree"] == golden


def test_dynamic_shapes_guarded_in_cpp(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        torch.add,
        torch.randn(4, 8),
        torch.randn(4, 8),
        dynamic=True,
        config={"dynamo.enable_cpp_symbolic_shape_guards": True},
    )
    assert len(captured["guard_tree"].python) == 1
    assert captured["guard_tree"] == golden
