"""Which nodes an operation computes, as inferred from the texts, checked against what torch knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch._inductor.scheduler import Scheduler

from pytest_compile_golden import capture
from pytest_compile_golden.formats.graph import GRAPH
from pytest_compile_golden.formats.origins import origins
from pytest_compile_golden.formats.schedule import GROUPS


def _normalised(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.gelu(F.layer_norm(x @ w, (64,))) @ w


def _used_twice(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = (x * 2).exp()
    return y.sum(1), (y * w).relu().t().contiguous(), (y * w + 1).softmax(-1)


def _alike(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return (x.sin() @ w).sin() @ (w.sin() @ x).sin()


@pytest.mark.parametrize("program", [_normalised, _used_twice, _alike])
def test_sure_origins_agree_with_torch(program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, set[str]] = {}
    codegen = Scheduler.codegen

    def watched(self: Scheduler) -> Any:
        for node in self.nodes:
            for each in node.get_nodes():
                known[each.get_name()] = {origin.name for origin in each.node.origins if origin.op == "call_function"}
        return codegen(self)

    monkeypatch.setattr(Scheduler, "codegen", watched)
    captured = capture(program, torch.randn(64, 64), torch.randn(64, 64), target="cpu-avx2")
    (function,) = GRAPH.read(captured["post_grad_graph"].text)
    (section,) = GROUPS.read(captured["scheduler_nodes"].text)
    found = origins(function, section)
    assert found.keys() == known.keys() and any(each.sure for each in found.values())
    for name, each in found.items():
        # torch also counts the nodes that made a buffer being read, and views.
        assert each.nodes <= known[name] if each.sure else each.nodes & known[name], name
