"""Compiler changes that don't change what it does: they are seen, but are not failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch._inductor.compile_fx
import torch._inductor.fx_passes.post_grad
from torch._inductor.codegen.triton import TritonKernel

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.report.run_summary import Summary
from pytest_compile_golden.stages import get_stage
from tests.sides import reported

Plant = Callable[[pytest.MonkeyPatch], None]


def program(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    y.mul_(x)
    return torch.relu(x.sum(-1))


def compiled() -> Capture:
    return capture(
        program, torch.randn(64, 128), torch.randn(64, 128), target="cuda-sm90"
    )


@pytest.fixture(scope="module")
def before() -> Capture:
    return compiled()


def _metadata(**entries: Any) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        original = TritonKernel.inductor_meta_common
        patch.setattr(
            TritonKernel,
            "inductor_meta_common",
            staticmethod(lambda: {**original(), **entries}),
        )

    return plant


def _post_grad(change: Callable[[torch.fx.Graph], None]) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        original = torch._inductor.fx_passes.post_grad.post_grad_passes

        def passes(gm: torch.fx.GraphModule, *args: Any, **kwargs: Any) -> None:
            change(gm.graph)
            original(gm, *args, **kwargs)

        patch.setattr(torch._inductor.compile_fx, "post_grad_passes", passes)

    return plant


def _without_negative_dimensions(graph: torch.fx.Graph) -> None:
    for node in graph.find_nodes(
        op="call_function", target=torch.ops.aten.sum.dim_IntList
    ):
        rank = node.args[0].meta["val"].dim()
        node.args = (
            node.args[0],
            [each % rank for each in node.args[1]],
            *node.args[2:],
        )


def _one_more_match(graph: torch.fx.Graph) -> None:
    torch._dynamo.utils.counters["inductor"]["pattern_matcher_count"] += 1


@pytest.mark.parametrize(
    "plant",
    [
        _metadata(invented_by_a_test=True),
        _post_grad(_without_negative_dimensions),
        _post_grad(_one_more_match),
    ],
    ids=["metadata", "dimension", "counter"],
)
def test_noise_is_cosmetic(
    before: Capture, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        plant(patch)
        after = compiled()
    case = reported(before, after)
    # The stages below Triton, which would have to be compiled, follow from the kernels.
    stages = [
        stage
        for stage in before.stages
        if stage in after and not get_stage(stage).compiles
    ]
    assert any(
        before[stage].text != after[stage].text or after[stage].omitted
        for stage in stages
    )
    assert case.outcome in ("same", "cosmetic"), [
        (stage.stage, stage.kind, stage.edits) for stage in case.stages
    ]


def test_metadata_that_a_launcher_reads_counts(
    before: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        _metadata(coordinate_descent_tuning=True)(patch)
        after = compiled()
    assert reported(before, after).outcome == "changed"
    assert not after["triton_code"].omitted


def test_a_run_says_nothing_about_known_entries(
    before: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        _metadata(declared_constexpr_names=["XBLOCK"])(patch)
        after = compiled()
    assert "declared_constexpr_names" not in after["triton_code"]
    assert (
        not after["triton_code"].omitted and reported(before, after).outcome == "same"
    )


def test_a_run_reports_once_what_goldens_leave_out(
    before: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = (
        "invented_by_a_test of inductor_meta, which nothing in torch's launchers reads"
    )
    with monkeypatch.context() as patch:
        _metadata(invented_by_a_test=True)(patch)
        after = compiled()
    assert after["triton_code"].omitted == {note}
    assert "invented_by_a_test" not in after["triton_code"]
    summary = Summary()
    left_out = sorted(after["triton_code"].omitted)
    case: dict[str, Any] = {
        "torch": "2.13.0",
        "target": "cuda-sm90",
        "outcome": "same",
        "changes": None,
        "pending": "",
        "left_out": left_out,
        "remarks": [],
        "compared": True,
    }
    for name in ("one", "other"):
        summary.add(
            name,
            {
                **case,
                "written": {},
                "unavailable": {},
                "weights": {},
                "passes": {"more": [], "fewer": []},
            },
        )
    assert [text for _, text in summary.lines()][1:] == [f"goldens leave out {note}."]
