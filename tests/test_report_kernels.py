"""The kernel table: real compiles before and after, paired, explained, and shown in each format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
import torch
from selenium.webdriver.common.keys import Keys
from torch import Tensor

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.facts.schedules import Group, Operation, Schedule
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.goldens.compare_artifact import Compared, compare
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.goldens.kernel_pairs import side_kernels
from pytest_compile_golden.recordings.recording import (
    RecordedCase,
    Recording,
    read_elsewhere,
)
from pytest_compile_golden.report import (
    compare_recordings,
    json_report,
    markdown,
    reporters,
)
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.kernel_rows import kernel_rows
from pytest_compile_golden.report.model import CaseReport, KernelRow, Report, Side
from pytest_compile_golden.stages import get_stage
from tests import browser

CODE = {"cuda-sm90": "triton_code", "cpu-avx2": "cpp_code"}
APART = {"max_fusion_size": 1}


def program(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    y = x.exp() * 2
    return ((y / y.sum(-1, keepdim=True)) @ w).relu(), (w + 1).sum(0)


def captured(target: str, config: dict[str, int] | None = None) -> Capture:
    return capture(
        program,
        torch.randn(64, 128),
        torch.randn(128, 128),
        target=target,
        config=config,
    )


@pytest.fixture(scope="module")
def fused() -> Capture:
    return captured("cuda-sm90")


@pytest.fixture(scope="module")
def apart() -> Capture:
    return captured("cuda-sm90", APART)


def artifacts(old: Capture, new: Capture, stages: tuple[str, ...]) -> list[Compared]:
    found = []
    for name in stages:
        stage = get_stage(name)
        golden_path = GoldenPath(
            PurePosixPath("cases/test_a/test_b/cuda-sm90"), name, stage.extension
        )
        golden = StoredGolden(
            golden_path.versionless, Header(name, "2.13.0", None), old[name].text
        )
        before, after = (
            evidence.write(side[name].text, side[name].facts) for side in (old, new)
        )
        found.append(
            replace(
                compare(stage, golden_path, golden, new[name].text),
                known=(before, after),
            )
        )
    return found


def rows(
    old: Capture, new: Capture, target: str = "cuda-sm90", *more: str
) -> list[KernelRow]:
    return list(
        kernel_rows(artifacts(old, new, ("scheduler_nodes", CODE[target], *more)))
    )


def a_case(old: Capture, new: Capture) -> CaseReport:
    stages = ("scheduler_nodes", "triton_code", "cost", "metrics")
    return case_report(
        "cases/test_m.py::test_m[cuda-sm90]", "cuda-sm90", artifacts(old, new, stages)
    )


def test_a_kernel_that_split_off_says_from_which_and_why(
    fused: Capture, apart: Capture
) -> None:
    whole, division, *others = rows(fused, apart)
    assert whole.old and whole.new and division.old is None and division.new
    assert whole.changed and division.changed and not any(row.changed for row in others)
    assert "aten.div" in whole.old.computes and "aten.div" not in whole.new.computes
    apart_from = f"is apart from {division.new.name}: exceeds max fusion"
    assert whole.why == (apart_from,)
    back = f"is apart from {whole.new.name}: exceeds max fusion"
    assert division.why == (f"split off {whole.old.name}", back)
    # Kernels are numbered in order: those after the split have different names, but are otherwise as before.
    calls = [(row.old.name, row.new.name) for row in others if row.old and row.new]
    assert (
        len(calls) == 3
        and calls[0] == ("", "")
        and all(one != other for one, other in calls[1:])
    )

    whole, division, *others = rows(apart, fused)
    assert whole.old and whole.new and division.old and division.new is None
    assert division.why == (
        f"merged into {whole.new.name}",
        back.replace("is apart", "was apart"),
    )
    assert not any(row.changed for row in others)


def test_unchanged_kernels_are_reported_as_such(fused: Capture) -> None:
    same = rows(fused, fused, "cuda-sm90", "cost")
    assert len(same) == 4 and all(
        row.old == row.new and not row.changed and not row.why for row in same
    )


def test_costs_are_those_of_the_stage(fused: Capture, apart: Capture) -> None:
    for row in rows(fused, apart):
        assert all(each is None or each.bytes is None for each in (row.old, row.new))
    costed = [
        row.new
        for row in rows(fused, apart, "cuda-sm90", "cost")
        if row.new is not None
    ]
    metrics = apart.metrics
    assert sum(kernel.bytes or 0 for kernel in costed) == metrics.bytes_accessed
    assert sum(kernel.flops or 0 for kernel in costed) == metrics.flops
    assert sum(kernel.least_ns or 0 for kernel in costed) == metrics.least_time
    assert [kernel.launches for kernel in costed] == [1] * 5


def test_costs_are_shown_where_only_the_recording_has_them(
    fused: Capture, apart: Capture
) -> None:
    sides = []
    for side, stages in (
        (fused, ["scheduler_nodes", "triton_code"]),
        (apart, ["scheduler_nodes", "triton_code", "cost"]),
    ):
        texts = {
            name: (side[name].text, evidence.write(side[name].text, side[name].facts))
            for name in stages
        }
        made = tuple(
            StoredArtifact(name, name, get_stage(name).extension, *texts[name])
            for name in stages
        )
        keeps = None if "cost" in stages else tuple(stages)  # as goldens do
        case = RecordedCase(
            PurePosixPath("a/b/cuda-sm90"),
            "a.py::b",
            "cuda-sm90",
            "passed",
            None,
            1.0,
            made,
            keeps=keeps,
        )
        sides.append(Recording(read_elsewhere("2.13.0", [case], stages), (case,)))
    (found,) = compare_recordings.report(sides[0], sides[1], "old", "new").cases
    assert found.kernels and all(
        row.old is None or row.old.bytes is None for row in found.kernels
    )
    assert all(row.new is None or row.new.bytes for row in found.kernels)
    assert "cost" not in {stage.stage for stage in found.stages}


def test_a_kernel_is_one_row_however_often_it_runs() -> None:
    def chain(x: Tensor, w: Tensor) -> Tensor:
        for _ in range(3):
            x = (x @ w).relu()
        return (x @ w).exp()

    for target, stage in CODE.items():
        each = capture(chain, torch.randn(64, 64), torch.randn(64, 64), target=target)
        kernels = [
            row.new
            for row in kernel_rows(
                artifacts(each, each, ("scheduler_nodes", stage, "cost"))
            )
        ]
        relu, exp = [kernel for kernel in kernels if kernel is not None and kernel.name]
        once = 2 * 64 * 64 * 4
        assert (relu.computes[-1], relu.launches, relu.bytes) == (
            "aten.relu",
            3,
            3 * once,
        )
        assert ("aten.exp" in exp.computes, exp.launches, exp.bytes) == (True, 1, once)


def test_loops_of_one_cpp_kernel_are_one_row() -> None:
    both = captured("cpu-avx2")
    names = [
        row.new.name for row in rows(both, both, "cpu-avx2") if row.new is not None
    ]
    assert len([name for name in names if name]) == len(both["cpp_code"].names)
    (first, *_) = [
        row.new for row in rows(both, both, "cpu-avx2") if row.new is not None
    ]
    assert (
        "reduction" in first.kind and "pointwise" in first.kind and first.launches == 1
    )
    assert {"aten.exp", "aten.div"} <= set(first.computes)


def test_the_table_is_in_json_and_folded_in_markdown(
    fused: Capture, apart: Capture
) -> None:
    case = a_case(fused, apart)
    report = Report("kernels", Side("goldens"), Side("run"), (case,), grouped([case]))
    assert (
        json_report.parse(json_report.render(report), "it").cases[0].kernels
        == case.kernels
    )
    assert len(case.kernels) == 5
    text = markdown.render(report)
    folded = text[text.index("<details><summary>2 kernels changed</summary>") :]
    assert "| before | after | launches | costs | why |" in folded
    assert (
        "`64.0 KiB -> 32.2 KiB (-31.8 KiB)`" in folded
        and "exceeds max fusion`" in folded
    )


@pytest.fixture(scope="module")
def page() -> Iterator[browser.Page]:
    with browser.started() as started:
        yield started


@pytest.mark.parametrize("width", [700, 1280])
def test_the_page_shows_the_table_and_the_keyboard_is_enough(
    page: browser.Page, tmp_path: Path, fused: Capture, apart: Capture, width: int
) -> None:
    case = a_case(fused, apart)
    reporters.write(
        Report("k", Side("goldens"), Side("run"), (case,), grouped([case])),
        tmp_path / "r.html",
    )
    page.open(tmp_path / "r.html", width=width, at="#case=0")
    assert page.one(".kernels summary").text == "kernels: 2 changed, 3 unchanged"
    # What happened to each is given in words, and the sides by signs.
    assert page.texts(".kernels .became") == ["changed", "new"]
    (whole, _) = page.texts(".kernels tbody th[scope=row]")
    assert [line.split()[0] for line in whole.splitlines()] == [
        "changed",
        "\u2212",
        "+",
    ]
    assert (
        "64.0 KiB → 32.3 KiB" in page.one(".kernels [data-label='bytes accessed']").text
    )
    assert "exceeds max fusion" in page.one(".kernels [data-label=why]").text
    assert page.script("return document.documentElement.scrollWidth") <= width
    box = page.one(".kernels input")
    box.send_keys(Keys.SPACE)
    assert page.texts(".kernels .became") == ["changed", "new", *["unchanged"] * 3]
    assert page.script("return document.documentElement.scrollWidth") <= width
    page.one(".kernels summary").send_keys(Keys.ENTER)
    assert not page.one(".kernels table").is_displayed()
    assert page.errors() == []


def test_groups_that_do_the_same_work_are_one_kernel_in_whatever_order_their_reads_are_listed() -> (
    None
):
    """Their forms hold sets, whose order differs from one process to the next."""
    reads = [f"arg{number}_1[p0 + {number}]" for number in range(40)]
    groups = tuple(
        Group(
            "extern f",
            (
                Operation(
                    f"op{at}", "extern f", (f"buf{at}: f32[64]",), reads=tuple(order)
                ),
            ),
        )
        for at, order in enumerate((reads, reads[::-1]))
    )
    text = get_stage("scheduler_nodes").format.write([Schedule("graph_0", groups)])
    ((kernel,),) = side_kernels(
        (("scheduler_nodes.txt", "scheduler_nodes", text, ""),)
    ).values()
    assert kernel.launches == 2
