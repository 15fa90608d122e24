"""On a virtual GPU, and on a CPU target if it is large, a graph is not run if nothing reads its results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from pytest_compile_golden import capture
from pytest_compile_golden.targets import current_context
from pytest_compile_golden.targets.run_lowered_graph import PostGrad
from pytest_compile_golden.targets.unused_results import LastCall

SIZE = 1100


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[PostGrad]:
    """The graphs that were computed."""
    ran: list[PostGrad] = []
    run = PostGrad.run

    def counted(graph: PostGrad, *inputs: Any) -> Any:
        ran.append(graph)
        return run(graph, *inputs)

    monkeypatch.setattr(PostGrad, "run", counted)
    return ran


def product(x: Tensor, w: Tensor) -> Tensor:
    return torch.relu(x @ w) @ w


def branches(x: Tensor, w: Tensor) -> Tensor:
    y = x @ w
    return y + 1 if y.sum() > 0 else y * 2


class Written(nn.Module):
    """Writes to an input after its graph: in training, what autograd must see is not done in the graph."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(SIZE, SIZE))

    def forward(self, x: Tensor, buffer: Tensor) -> Tensor:
        buffer.mul_(x @ self.weight)
        return buffer + 1


def inputs(size: int = SIZE) -> tuple[Tensor, Tensor]:
    return torch.ones(size, size), torch.ones(size, size)


@pytest.mark.parametrize("train", [False, True])
def test_large_graphs_are_not_computed(runs: list[PostGrad], train: bool) -> None:
    captured = capture(product, *inputs(), target="cpu-avx2", train=train)
    assert captured.metrics.extern_kernels >= 2
    assert not runs


def test_no_graph_of_a_virtual_gpu_is_run(runs: list[PostGrad]) -> None:
    captured = capture(product, *inputs(8), target="cuda-sm90")
    assert captured.metrics.extern_kernels == 2
    assert not runs


def test_but_one_whose_sizes_depend_on_values(runs: list[PostGrad]) -> None:
    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    captured = capture(
        lambda x: x.nonzero() * 2, torch.randn(64), target="cuda-sm90", config=config
    )
    assert captured.metrics.graphs == len(runs) == 1


def test_they_are_if_the_program_goes_on(runs: list[PostGrad]) -> None:
    captured = capture(branches, *inputs(), target="cpu-avx2")
    assert captured.metrics.graphs == len(runs) == 2


def test_on_a_virtual_gpu_too(runs: list[PostGrad]) -> None:
    def broken(x: Tensor) -> Tensor:
        y = x.sin()
        torch._dynamo.graph_break()
        return y + 1

    captured = capture(broken, torch.randn(8), target="cuda-sm90")
    assert captured.metrics.graphs == len(runs) == 2


def test_what_dynamo_did_not_compile_may_read_them() -> None:
    def graph() -> bool:
        last_call = current_context.now(LastCall)
        return last_call is not None and last_call.reads_nothing()

    def calls_it() -> bool:
        return graph()

    def last(program: Callable[[], bool], broke: bool = False) -> bool:
        with current_context.within(LastCall(last.__code__, lambda: broke)):
            return program()

    assert last(graph)
    assert not last(calls_it)
    assert not last(graph, broke=True)


def test_and_if_the_programs_own_tensors_are_written_afterwards(
    runs: list[PostGrad],
) -> None:
    x, buffer = inputs()
    capture(Written(), x, buffer, target="cpu-avx2", train=True)
    assert len(runs) == 1
    assert torch.isfinite(buffer).all()


def test_batch_norm_keeps_its_statistics(runs: list[PostGrad]) -> None:
    norm = nn.BatchNorm2d(16)
    capture(norm, torch.randn(8, 16, 128, 128), target="cpu-avx2", train=True)
    assert not runs
    assert torch.equal(norm.running_mean, torch.zeros(16))


def test_small_graphs_are_computed(runs: list[PostGrad]) -> None:
    capture(product, *inputs(8), target="cpu-avx2")
    assert len(runs) == 1
