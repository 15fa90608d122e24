"""Backward passes traced together with the code around them: compiled autograd, and gradients of gradients."""

import pytest
import torch
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target=["cuda-sm90", "cpu-avx2"])


def squares(x: Tensor) -> Tensor:
    return (x.sin() ** 2).sum()


def learned() -> Tensor:
    return torch.randn(64, requires_grad=True)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_backward_inside(compile_stages: CompileStages, golden: Golden, compiled: bool) -> None:
    """Dynamo breaks at backward(). With compiled autograd, what autograd does there is a separate graph."""

    def step(x: Tensor) -> Tensor | None:
        squares(x).backward()
        return x.grad

    captured = compile_stages(step, learned(), train=True, config={"dynamo.compiled_autograd": compiled})
    assert "backward()" in captured["graph_breaks"].reasons[0]
    assert captured.metrics.graphs == (2 if compiled else 1)
    assert captured["dynamo_graph"] == golden


def test_gradient_of_a_gradient(compile_stages: CompileStages, golden: Golden) -> None:
    """With autograd's functions traced, the function, its gradient and that gradient's gradient are one graph."""

    def penalty(x: Tensor) -> Tensor:
        (gradient,) = torch.autograd.grad(squares(x), x, create_graph=True)
        return (gradient**2).sum()

    traced = compile_stages(penalty, learned(), train=True, config={"dynamo.trace_autograd_ops": True})
    assert traced.metrics.graph_breaks == 0 and traced.metrics.graphs == 1
    assert traced["joint_graph"] == golden
