"""What is named as the cause of a change: of real compiles with something planted in the compiler."""

from __future__ import annotations

import pytest
import torch
import torch._inductor.fx_passes.joint_graph
import torch._inductor.scheduler

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.report import document, failure, markdown, overview
from pytest_compile_golden.report.grouping import grouped
from pytest_compile_golden.report.html import page
from pytest_compile_golden.report.model import Report, Side
from tests.sides import reported


def test_two_causes_are_both_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x.sin() * torch.ones_like(x), -1) + 1

    def compiled() -> Capture:
        return capture(program, torch.randn(64, 128), target="cuda-sm90")

    old = compiled()
    with monkeypatch.context() as patch:
        patch.setattr(torch._inductor.fx_passes.joint_graph, "constant_fold_uniform_value", lambda graph: None)
        harmless = reported(old, compiled()).divergence
        patch.setattr(torch._inductor.scheduler.Scheduler, "can_fuse", lambda *_, **__: False)
        case = reported(old, compiled())
    assert harmless is not None and harmless.also is None
    first = case.divergence
    assert first is not None and first.text.startswith("joint / constant_fold_uniform_value: ")
    assert first.also is not None and first.also.startswith("scheduler / fuse_nodes: 3 -> 1 nodes, now nothing")
    assert first.also_where is not None and first.also_where.startswith("torch/_inductor/scheduler.py:")

    lines = [text for _, text in failure.render(failure.Failure(case, "2.13.0"))]
    assert lines[2] == f"  and on its own    {first.also}   {first.also_where}"
    groups = grouped([case])
    report = Report("this", Side("old"), Side("new"), (case,), groups)
    assert document.parse(document.render(report), "here") == report
    assert f"  and on its own: {first.also}   {first.also_where}" in [text for _, text in overview.render(report)]
    assert f"and on its own `{first.also} {first.also_where}`" in markdown.render(report)
    assert page.render(report).count("scheduler / fuse_nodes: 3") == 2


def test_what_follows_from_the_graph_is_no_second_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def compiled(axis: int) -> Capture:
        return capture(lambda x: (x.sin() + 1).sum(axis), torch.randn(64, 128), target="cuda-sm90")

    first = reported(compiled(0), compiled(1)).divergence
    assert first is not None and first.also is None
