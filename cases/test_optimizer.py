"""Optimizer steps: many small tensors in few kernels."""

from collections.abc import Callable

import torch
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden


def step_of(make: Callable[[list[torch.nn.Parameter]], torch.optim.Optimizer], count: int = 3) -> Callable[[], None]:
    parameters = [torch.nn.Parameter(torch.randn(64, 64)) for _ in range(count)]
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)
    optimizer = make(parameters)

    def step() -> None:
        optimizer.step()

    return step


def test_adam_foreach(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(step_of(lambda p: torch.optim.Adam(p, capturable=True, foreach=True)))
    assert captured == golden


def test_sgd_momentum(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(step_of(lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, foreach=True)))
    assert captured == golden


def test_foreach_scale(compile_stages: CompileStages, golden: Golden) -> None:
    def f(*tensors: Tensor) -> Tensor:
        return torch._foreach_mul(torch._foreach_add(tensors, 1), 2)

    captured = compile_stages(f, *(torch.randn(128) for _ in range(4)))
    assert captured == golden
