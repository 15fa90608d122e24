"""Streams that a program enters inside its graph: what runs on which, and what waits for what."""

import pytest
import torch
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target="cuda-sm90")


def test_stream_made_in_the_graph(compile_stages: CompileStages, golden: Golden) -> None:
    """What runs on the side is not fused with the rest, and both wait; torch 2.12 moves the waits ahead of the work."""

    def f(x: Tensor) -> Tensor:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            a = (x * 2).sin() @ x  # one input: torch 2.13 keeps what a wait hands on in a set, in any order
        b = (x + 1).cos()
        torch.cuda.current_stream().wait_stream(side)
        return a + b

    captured = compile_stages(f, torch.randn(64, 64))
    assert captured.breaks == 0
    assert captured["dynamo_graph"].count("streams.wait_stream") == 2
    [schedule] = captured["scheduler_nodes"].schedules
    assert [group.stream for group in schedule.groups if group.computes("sin") or group.computes("mm")] == [1, 1]
    assert captured["wrapper_code"] == golden
    assert captured == golden


def test_event_between_streams(compile_stages: CompileStages, golden: Golden) -> None:
    """An event says when what runs on the side is done; up to torch 2.13 the sum does not wait for it."""
    side = torch.cuda.Stream()

    def f(x: Tensor) -> Tensor:
        done = torch.cuda.Event()
        with torch.cuda.stream(side):
            a = x.sin()
            done.record()
        b = x.cos()
        done.wait()
        return a + b

    captured = compile_stages(f, torch.randn(64, 64))
    assert captured.breaks == 0
    assert captured["dynamo_graph"].count("streams.record_event") == 1
    assert captured["dynamo_graph"].count("streams.wait_event") == 1
    assert captured["wrapper_code"] == golden
    assert captured == golden
