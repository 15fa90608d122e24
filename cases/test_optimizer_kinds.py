"""Optimizer steps: which are compiled whole, what is written in place, and how many kernels there are."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from cases.test_optimizer import step_of
from pytest_compile_golden.errors import NothingCompiled
from pytest_compile_golden.typing import CompileStages, Golden

GPU = pytest.mark.compile_golden(target="cuda-sm90")

Parameters = list[torch.nn.Parameter]
KINDS: dict[str, Callable[[Parameters], Any]] = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "sgd_nesterov": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "adam": lambda p: torch.optim.Adam(p, capturable=True),
    "adamw": lambda p: torch.optim.AdamW(p, capturable=True),
    "adamw_amsgrad": lambda p: torch.optim.AdamW(p, capturable=True, amsgrad=True),
    "nadam": lambda p: torch.optim.NAdam(p, capturable=True),
    "radam": lambda p: torch.optim.RAdam(p, capturable=True),
    "adagrad": lambda p: torch.optim.Adagrad(p),
    "rmsprop": lambda p: torch.optim.RMSprop(p, capturable=True),
    "adamax": lambda p: torch.optim.Adamax(p, capturable=True),
    "asgd": lambda p: torch.optim.ASGD(p, capturable=True),
    "rprop": lambda p: torch.optim.Rprop(p, capturable=True),
}


@GPU
@pytest.mark.parametrize("kind", KINDS)
def test_step(kind: str, compile_stages: CompileStages, golden: Golden) -> None:
    """A step over several parameters is one graph, without a library call."""
    captured = compile_stages(step_of(KINDS[kind], count=2))
    assert captured.metrics.graphs == 1
    assert captured.metrics.extern_kernels == 0
    assert captured["scheduler_nodes"] == golden


@GPU
def test_rate_as_a_tensor(compile_stages: CompileStages, golden: Golden) -> None:
    """A learning rate that changes is a kernel input, not a constant that triggers recompiles."""
    captured = compile_stages(step_of(lambda p: torch.optim.Adam(p, lr=torch.tensor(0.1), capturable=True), count=2))
    assert captured.metrics.recompiles == 0
    assert captured["scheduler_nodes"] == golden


@GPU
def test_fused_step(compile_stages: CompileStages) -> None:
    """torch disables Dynamo in the functions that call eager's fused kernels: nothing is left to compile."""
    with pytest.raises(NothingCompiled):
        compile_stages(step_of(lambda p: torch.optim.Adam(p, fused=True, capturable=True), count=2))


@GPU
def test_muon(compile_stages: CompileStages, golden: Golden) -> None:
    """Five iterations of matmuls for each matrix."""
    captured = compile_stages(step_of(lambda p: torch.optim.Muon(p), count=1))
    assert captured.metrics.extern_kernels == 15
    assert captured["scheduler_nodes"] == golden


@GPU
def test_gradients_clipped(compile_stages: CompileStages, golden: Golden) -> None:
    """The norm over all gradients, and the scaling of the gradients, before the step."""
    parameters = [torch.nn.Parameter(torch.randn(64, 64)) for _ in range(2)]
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)

    def f() -> torch.Tensor:
        return torch.nn.utils.clip_grad_norm_(parameters, 1.0, foreach=True)

    captured = compile_stages(f)
    assert captured["post_grad_graph"].count("aten.copy_") == 2
    assert captured["scheduler_nodes"] == golden
