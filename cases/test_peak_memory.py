"""The memory that graphs hold while they run, and what is saved for backward and why."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target=["cuda-sm90", "cpu-avx2"])

SIZE = 64 * 64 * 4


def block(x: Tensor, weight: Tensor) -> Tensor:
    return (F.gelu(x @ weight) @ weight).cos().sum()


def square() -> Tensor:
    return torch.randn(64, 64)


def test_results_take_the_place_of_operands(compile_stages: CompileStages, golden: Golden) -> None:
    """A chain of matmuls and activations needs two buffers, however long it is."""

    def f(x: Tensor, weight: Tensor) -> Tensor:
        for _ in range(4):
            x = torch.relu(x @ weight)
        return x

    captured = compile_stages(f, square(), square())
    assert captured["memory"].peak == captured.metrics.peak_memory == 2 * SIZE
    assert captured["memory"].reuses == 4
    assert captured["memory"] == golden


def test_products_are_saved_and_activations_computed_again(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(block, square(), square(), train=True)
    held = captured["memory"]
    assert [each.operator for each in held.saved if "cannot recompute" in each.why] == ["aten.mm.default"] * 2
    assert {each.why for each in held.recomputed} == {"minimum cut"}
    assert sum(each.nbytes for each in held.saved) == captured.metrics.saved_bytes
    assert held == golden


def test_checkpointed_block_saves_nothing(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda x, weight: checkpoint(block, x, weight, use_reentrant=False), square(), square(), train=True
    )
    assert captured["memory"].saved == ()
    assert "must recompute: marked by checkpoint policy" in {each.why for each in captured["memory"].recomputed}
    assert captured["memory"] == golden


@pytest.mark.compile_golden(config={"functorch.activation_memory_budget": 0.4})
def test_less_is_saved_on_a_budget(compile_stages: CompileStages, golden: Golden) -> None:
    """A matmul is recomputed if the memory budget is tight."""
    captured = compile_stages(block, square(), square(), train=True)
    assert "aten.mm.default" in {each.operator for each in captured["memory"].recomputed}
    assert captured["memory"] == golden
