"""The work of compiling in numbers that depend neither on the machine's load nor on what the process did before."""

from __future__ import annotations

from typing import Any

import pytest
import sympy  # type: ignore[import-untyped]
import torch
import torch.nn.functional as F
from torch import Tensor
from torch._inductor import scheduler
from torch._inductor.virtualized import V

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.formats.costs import COMPILE_COST, CompileCostArtifact
from pytest_compile_golden.formats.metrics.metric_table import DIRECTIONS
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.observe.probe import Recorder, registered
from pytest_compile_golden.observe.torch_hooks import Hooks


def product(x: Tensor) -> Tensor:
    return F.gelu(x @ x).softmax(-1)


def captured(target: str = "cpu-avx2", **options: Any) -> Capture:
    return capture(
        product,
        torch.randn(16, 16),
        target=target,
        **{"watch": ["compile_cost"], **options},
    )


def cost(target: str = "cpu-avx2", **options: Any) -> CompileCostArtifact:
    return captured(target, **options)["compile_cost"]


class Asking:
    """A probe that makes torch do work for it."""

    stages = ()
    requires = ()

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        hooks.before(
            "torch._inductor.scheduler:Scheduler.codegen",
            lambda scheduler: V.graph.sizevars.simplify(sympy.Integer(1)),
        )


def same(first: CompileCostArtifact, second: CompileCostArtifact) -> bool:
    return COMPILE_COST.canonical(first.text) == COMPILE_COST.canonical(second.text)


@pytest.mark.parametrize("target", ["cpu-avx2", "cuda-sm90"])
def test_earlier_compiles_do_not_count(target: str) -> None:
    before = cost(target, dynamic=True)
    capture(
        lambda x: F.layer_norm(x.cos(), (16,)).sum(),
        torch.randn(16, 16),
        train=True,
        dynamic=True,
    )
    torch.compile(lambda x: x.sin() + 1, backend="aot_eager", dynamic=True)(
        torch.randn(9)
    )
    assert same(before, cost(target, dynamic=True))


def test_what_other_probes_ask_torch_for_does_not_count() -> None:
    alone = cost(dynamic=True)
    assert same(alone, cost(dynamic=True, watch=["cache_key", "compile_cost"]))
    with registered(Asking()):
        assert same(alone, cost(dynamic=True))


def test_more_work_is_reported_by_phase_and_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = captured()
    fuse = scheduler.Scheduler.can_fuse

    def slower(self: Any, *args: Any, **options: Any) -> Any:
        for _ in range(5):
            V.graph.sizevars.simplify(sympy.Integer(1))
        return fuse(self, *args, **options)

    monkeypatch.setattr(scheduler.Scheduler, "can_fuse", slower)
    after = captured()
    more = 5 * before["compile_cost"].count("fusions_tried")
    old, new = (
        each["compile_cost"].count("simplifications", "scheduler")
        for each in (before, after)
    )
    assert more > 0 and new == old + more
    texts = before["compile_cost"].text, after["compile_cost"].text
    (edit,) = COMPILE_COST.edits(*texts)
    assert (
        sentence(edit)
        == f"more work while compiling: simplifications in scheduler {old} -> {new} ({more / old:+.0%})"
    )
    assert (
        after.metrics.compile_expressions == before.metrics.compile_expressions + more
    )
    assert DIRECTIONS["compile_expressions"] == "lower"


def test_nothing_is_counted_unless_requested() -> None:
    plain = capture(product, torch.randn(16, 16), target="cpu-avx2")
    assert "compile_cost" not in plain and not any(
        name.startswith("compile_") for name in plain.metrics.values
    )


def test_times_of_unchanged_work_stay_as_in_the_golden() -> None:
    golden = "dynamo: instructions 10  # 111 ms\nguards: guards_built 9  # 69 ms\n"
    now = "dynamo: instructions 10  # 7 ms\nguards: guards_built 8  # 26 ms\n"
    assert (
        COMPILE_COST.with_notes(golden, now)
        == golden.splitlines()[0] + "\n" + now.splitlines()[1] + "\n"
    )
