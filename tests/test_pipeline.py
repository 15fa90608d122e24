"""The pipeline's single table: everything that has an order follows it, third-party stages included."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.report import markdown
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.failure_text import Failure, first_shown, render
from pytest_compile_golden.report.html import page
from pytest_compile_golden.report.model import CaseReport, Report, Side
from pytest_compile_golden.stages import (
    Phase,
    Stage,
    get_stage,
    rank,
    register_stage,
    stage_made_by,
    stage_of,
    stages,
    unregister_stage,
)
from tests.forked import Forks
from tests.trails import trail

TRAIL = """\
decompositions:
  aten.gelu.default -> {}
aot_graph        11 nodes  e00d32443{}
scheduler_nodes  2 operations  efc37ffd93
"""


def changed(stage: str, old: str = "a\n", new: str = "b\n") -> Compared:
    path = PurePosixPath("case", f"{stage}.{stage_of(stage, 'txt').extension}")
    return Compared(stage, "structural", old, new, "2.13.0", path)


def case(*compared: Compared) -> CaseReport:
    return case_report("case", "cuda-sm90", compared)


def looked_at(found: CaseReport) -> set[str]:
    """The stage that each report of a case shows first."""
    shown = first_shown(found)
    assert shown is not None
    report = Report("this", Side("old"), Side("new"), (found,), grouped([found]))
    lines = [text for _, text in render(Failure(found, "2.13.0"))]
    files = [stage.file for stage in found.stages]
    (terminal,) = (name for name in files if f"  {name}" in lines)
    # Markdown has no details of changes that no metric shows.
    details = [name for name in files if f"`{name}`" in markdown.render(report)]
    html = page._case(found, report)
    return {shown.file, terminal, *details, html["stages"][html["shown"]]["file"]}


def test_every_report_shows_the_first_divergence_first() -> None:
    found = case(*map(changed, ("wrapper_code", "guards", "triton_code", "metrics")))
    assert (
        found.divergence is not None
        and found.divergence.text == "triton_code: different lines: - a  + b"
    )
    assert looked_at(found) == {"triton_code.py"}
    assert [stage.stage for stage in found.stages] == [
        "triton_code",
        "wrapper_code",
        "guards",
        "metrics",
    ]


def test_for_a_step_that_only_the_trail_records_the_first_stage_after_it_is_shown() -> (
    None
):
    steps = changed(
        "trail",
        *(
            trail(TRAIL.format(*each))
            for each in (("erf.default", 0), ("tanh.default", 1))
        ),
    )
    found = case(steps, changed("scheduler_nodes"), changed("triton_code"))
    assert found.divergence is not None and found.divergence.text.startswith(
        "aot / aten.gelu is decomposed "
    )
    assert looked_at(found) == {"scheduler_nodes.txt"}
    # If its own stage is among the goldens, that one is shown.
    assert looked_at(case(steps, changed("scheduler_nodes"), changed("aot_graph"))) == {
        "aot_graph.py"
    }


def test_a_custom_stage_is_in_order_everywhere() -> None:
    register_stage(Stage("wax", "my own", after="post_grad_graph"))
    try:
        order = [stage.name for stage in stages()]
        assert order.index("wax") == order.index("post_grad_graph") + 1
        for others, first in (
            (("post_grad_graph", "wax"), "post_grad_graph"),
            (("scheduler_nodes", "wax"), "wax"),
        ):
            found = case(*map(changed, others))
            assert found.divergence is not None and found.divergence.stage == first
            assert looked_at(found) == {f"{first}.{get_stage(first).extension}"}
            made = cause([*map(changed, others)])
            assert made is not None and made.phase == first
        with pytest.raises(CompileGoldenError, match="already registered"):
            register_stage(Stage("wax", "another"))
        with pytest.raises(
            CompileGoldenError, match="comes after 'nothing', which does not exist"
        ):
            register_stage(Stage("tallow", "my own", after="nothing"))
    finally:
        unregister_stage("wax")
    assert rank("wax") > rank("metrics")


def test_a_phase_makes_the_stage_after_it() -> None:
    assert [
        stage_made_by(name)
        for name in (
            "pre_grad",
            "joint",
            "freezing",
            "lowering",
            "pre_fusion",
            "scheduler",
        )
    ] == [
        "pre_grad_graph",
        "joint_graph",
        "post_grad_graph",
        "lowered_ir",
        "lowered_ir",
        "scheduler_nodes",
    ]
    assert (
        stage_made_by("aot") == "aot"
        and stage_made_by("guards") == "guards"
        and stage_made_by("nothing") == "nothing"
    )
    assert isinstance(stage_of("unknown", "txt"), Stage) and not isinstance(
        get_stage("trail"), Phase
    )


ENTRY_POINTS = """\
[pytest_compile_golden.stages]
wax = mine:wax
[pytest_compile_golden.probes]
mine = mine:Probe
[pytest_compile_golden.reporters]
mine = mine:Reporter
[pytest_compile_golden.targets]
mine = mine:target
"""
MINE = """\
from pytest_compile_golden.stages import Stage
from pytest_compile_golden.targets import VirtualCpu
from pytest_compile_golden.targets.devices import AVX2

wax = Stage("wax", "what a probe of one's own saw", after="wrapper_code")


class Probe:
    stages = ("wax",)

    def install(self, hooks, recorder):
        def runs(*args, **kwargs):
            recorder.add("wax", f"{recorder.key.label} is lowered")

        hooks.before("torch._inductor.graph:GraphLowering.run", runs)


class Reporter:
    suffix = ".txt"

    def render(self, report):
        return report.title + "\\n"


def target():
    return VirtualCpu("cpu-mine", AVX2)
"""
SCRIPT = """\
from pathlib import Path
from pytest_compile_golden import capture
from pytest_compile_golden.report import reporters
from pytest_compile_golden.report.model import Report, Side
from pytest_compile_golden.stages import stage_names, stages
import sys

assert "wax" in stage_names() and "mine" not in sys.modules
names = [stage.name for stage in stages()]
assert names.index("wax") == names.index("wrapper_code") + 1
reporters.write(Report("a title", Side("old"), Side("new"), ()), Path("report.txt"))
assert Path("report.txt").read_text() == "a title\\n"
import torch
captured = capture(lambda x: x.sin(), torch.randn(4), target="cpu-mine")
assert str(captured["wax"]) == "graph_0 is lowered\\n", captured["wax"]
"""


def test_every_extension_point_is_open_to_installed_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_bare_torch: Forks
) -> None:
    metadata = tmp_path / "mine-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n"
    )
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "mine.py").write_text(MINE)
    package = Path(__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{package}")
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    assert forks_with_bare_torch.run_script(tmp_path, script).ret == 0
