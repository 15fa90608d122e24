"""What must hold for compiled code to be reused, and what it takes to check that."""

import pytest
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
    """The module's state is all checked in C++; the only guard that runs Python is torch's own."""
    captured = compile_stages(Scaled(), torch.randn(4, 8), torch.randn(4, 8))
    assert len(captured["guard_tree"].python) == 1
    assert captured["guard_tree"] == golden


def test_dynamic_shapes_add_one_guard_in_python(compile_stages: CompileStages, golden: Golden) -> None:
    """All conditions on sizes are checked by a single Python function."""
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


@pytest.mark.compile_golden(target="cpu-avx2")
def test_key_that_is_looked_for(compile_stages: CompileStages, golden: Golden) -> None:
    """The presence of the key is a separate guard, in addition to those on its value."""

    def f(x: Tensor, options: dict[str, Tensor]) -> Tensor:
        return x * options["scale"] if "scale" in options else x

    captured = compile_stages(f, torch.randn(8), {"scale": torch.ones(8)})
    assert "___dict_contains('scale', L['options'])" in str(captured["guards"])
    assert captured["guards"] == golden


@pytest.mark.compile_golden(target="cpu-avx2")
def test_attribute_that_is_looked_for(compile_stages: CompileStages, golden: Golden) -> None:
    """The absence of the attribute is a guard: a module that gains it recompiles."""

    class Gated(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x * self.gate if hasattr(self, "gate") else x.relu()

    captured = compile_stages(Gated(), torch.randn(8))
    assert "not hasattr(L['self'], 'gate')" in str(captured["guards"])
    assert captured["guards"] == golden


@pytest.mark.compile_golden(target="cpu-avx2")
def test_argument_that_is_none(compile_stages: CompileStages, golden: Golden) -> None:
    """`mask is None` is a guard."""

    def f(x: Tensor, mask: Tensor | None) -> Tensor:
        return x.softmax(-1) if mask is None else (x + mask).softmax(-1)

    captured = compile_stages(f, torch.randn(4, 8), None)
    assert "L['mask'] is None" in str(captured["guards"])
    assert captured["guards"] == golden
