"""Which parts of a graph are recorded as CUDA graphs, and what prevents it, on virtual GPUs."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.errors import StageNotCaptured
from pytest_compile_golden.formats.graph_choices import CUDAGRAPHS
from pytest_compile_golden.messages.sentences import sentence


def written_to(x: Tensor) -> Tensor:
    x.add_(1)
    return x * 2


def through_the_cpu(x: Tensor) -> Tensor:
    return (x.relu().cpu() + 1).to(x.device) @ x


def recorded(fn: Any, target: str = "cuda-sm90", **options: Any) -> Capture:
    return capture(
        fn, torch.randn(64, 64), target=target, mode="reduce-overhead", **options
    )


@pytest.mark.parametrize("target", ["cuda-sm80", "cuda-sm90"])
def test_a_skip_has_a_reason_and_the_line_that_writes(target: str) -> None:
    captured = recorded(written_to, target)
    (skip,) = [
        choice for choice in captured["cudagraphs"].choices if choice.kind == "skipped"
    ]
    assert skip.what == "mutated inputs (1 instances)"
    assert skip.comment == "written_to: x.add_(1)"
    assert captured["cudagraphs"].recorded == ()
    assert (
        captured.metrics.cudagraph_partitions == 0
        and captured.metrics.cudagraph_skips == 1
    )


def test_partitions_and_what_is_between_them() -> None:
    split = recorded(through_the_cpu)["cudagraphs"]
    assert [choice.kind for choice in split.choices] == [
        "recorded",
        "launched",
        "recorded",
    ]
    assert split.recorded[-1] == "aten.mm.default"
    (between,) = [choice for choice in split.choices if choice.kind == "launched"]
    assert between.why.startswith("cpu ops, ")


def test_without_partitions_one_step_on_the_cpu_prevents_all() -> None:
    whole = recorded(through_the_cpu, config={"graph_partition": False})["cudagraphs"]
    assert whole.recorded == () and whole.skipped == ("cpu device (device_put)",)
    assert recorded(torch.sin, config={"graph_partition": False})[
        "cudagraphs"
    ].recorded == ("the whole graph",)


def test_graphs_of_few_kernels_can_be_left_out() -> None:
    few = recorded(torch.sin, config={"triton.cudagraph_min_partition_size": 3})[
        "cudagraphs"
    ]
    assert [(choice.kind, choice.why) for choice in few.choices] == [
        ("launched", "too few kernels")
    ]


def test_a_graph_that_is_no_longer_recorded_is_reported_as_a_change() -> None:
    before, after = (
        str(recorded(fn)["cudagraphs"]) for fn in (lambda x: x + 1, written_to)
    )
    assert CUDAGRAPHS.canonical(before) != CUDAGRAPHS.canonical(after)
    labels = [sentence(edit) for edit in CUDAGRAPHS.edits(before, after)]
    assert "CUDA graph gone: aten.add.Tensor" in labels
    assert "new reason for no CUDA graph: mutated inputs (1 instances)" in labels


def test_without_cuda_graphs_the_stage_says_so_and_has_no_numbers() -> None:
    captured = capture(torch.sin, torch.randn(64))
    assert str(captured["cudagraphs"]) == "CUDA graphs are not asked for\n"
    assert "cudagraph_skips" not in captured.metrics.values


def test_a_cpu_has_no_cuda_graphs() -> None:
    with pytest.raises(StageNotCaptured, match="only exists on cuda targets"):
        capture(torch.sin, torch.randn(64), target="cpu-avx2")["cudagraphs"]
