"""Dynamic shapes, graph breaks and recompiles."""

import pytest
import torch
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(stages="+dynamo_graph,+guards")


def scaled(x: Tensor) -> Tensor:
    return (x * 2).softmax(-1).sum(0) + x.shape[0]


def test_dynamic_batch(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(scaled, torch.randn(32, 64), dynamic=True)
    assert captured.metrics.recompiles == 0
    assert captured == golden


def test_recompile_on_new_size(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(scaled, calls=[(torch.randn(32, 64),), (torch.randn(48, 64),)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden
    assert captured == golden


def test_graph_break(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        y = x.sin() * 2
        torch._dynamo.graph_break()
        return y.cos() + 1

    captured = compile_stages(f, torch.randn(64, 64))
    assert captured.metrics.graph_breaks == 1
    assert captured["graph_breaks"] == golden
    assert captured == golden


def test_branch_on_python_value(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, scale: float) -> Tensor:
        return x * scale if scale > 1 else x + scale

    captured = compile_stages(f, torch.randn(64, 64), 2.0)
    assert captured == golden


def test_module_is_inlined(compile_stages: CompileStages, golden: Golden) -> None:
    """A module's parameters become graph inputs, and its state is guarded."""
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU()).eval()
    captured = compile_stages(model, torch.randn(8, 32))
    assert captured == golden


def test_float_that_changes(compile_stages: CompileStages, golden: Golden) -> None:
    """A Python float that changes in the second call becomes a tensor."""
    captured = compile_stages(lambda x, scale: x * scale + 1, calls=[(torch.randn(64), 2.5), (torch.randn(64), 3.5)])
    assert captured["recompiles"] == golden
    assert captured == golden


def test_list_and_dict_of_tensors(compile_stages: CompileStages, golden: Golden) -> None:
    """Only what the function reads becomes a graph input."""

    def f(tensors: list[Tensor], options: dict[str, Tensor]) -> dict[str, Tensor]:
        total = sum(tensors[:2])
        return {"total": total * options["scale"], "first": tensors[0].sin()}

    tensors = [torch.randn(64) for _ in range(3)]
    captured = compile_stages(f, tensors, {"scale": torch.ones(64), "unused": torch.ones(3)})
    assert captured == golden


def test_branch_on_a_tensor(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, flag: Tensor) -> Tensor:
        return torch.cond(flag, lambda x: x.sin(), lambda x: x.cos() + 1, (x,))

    captured = compile_stages(f, torch.randn(64), torch.tensor(True))
    assert captured == golden


def test_dynamic_views(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, weight: Tensor) -> Tensor:
        length, width = x.shape
        return torch.cat([x.view(length * width), weight.view(-1)]).view(-1, width).softmax(-1) @ weight.t()

    captured = compile_stages(f, torch.randn(24, 32), torch.randn(16, 32), dynamic=True)
    assert captured == golden
