"""A group of cases with one change has that change's parts of their costs, which order groups and choose an example."""

from __future__ import annotations

from typing import Literal

import pytest

from pytest_compile_golden.report import terminal_report
from pytest_compile_golden.report.case_groups import grouped, numbers_in, refuted
from pytest_compile_golden.report.model import (
    CaseReport,
    MetricReport,
    Outcome,
    Part,
    Report,
    ReportedChange,
    Side,
)


@pytest.mark.parametrize(
    ("guessed", "costs", "others", "owner"),
    [
        (True, 30, (0, 0), "unexplained"),
        (True, 30, (0, 10), "stored"),  # another case has it, too
        (True, 30, (), "stored"),  # no other case tells
        (False, 30, (0, 0), "stored"),  # its kernels show it
    ],
)
def test_a_cost_that_is_guessed_is_refuted_by_cases_with_the_change_alone(
    guessed: bool, costs: int, others: tuple[int, ...], owner: str
) -> None:
    def case(
        name: str, amount: int, guessed: bool, target: str = "cpu-avx2"
    ) -> CaseReport:
        change = ReportedChange(
            "scheduler_nodes", "results are stored", "stored", "fusion"
        )
        parts = (Part("stored", amount, guessed),) * bool(amount)
        metric = MetricReport(
            "bytes_accessed", 100, 100 + amount, "REGRESSION", parts=parts
        )
        return CaseReport(
            f"{name}[{target}]", target, "changed", changes=(change,), metrics=(metric,)
        )

    siblings = [
        case(f"other{number}", amount, False) for number, amount in enumerate(others)
    ]
    # For another target the change is another one.
    found = refuted(
        [case("a", costs, guessed), *siblings, case("a", 0, False, "cuda-sm90")]
    )
    assert [part.change for part in found[0].metrics[0].parts] == [owner]
    assert found[1:] == (*siblings, found[-1])


def test_what_changes_results_comes_first_then_errors_then_costs_by_size() -> None:
    def changed(
        name: str,
        topic: str,
        amount: int = 0,
        outcome: Outcome = "changed",
        wrong: Literal["", "old", "new"] = "",
        error: str | None = None,
    ) -> CaseReport:
        change = ReportedChange("triton_code", name, name, topic)
        metric = MetricReport(
            "bytes_accessed",
            100,
            100 + amount,
            "REGRESSION",
            parts=(Part(name, amount),),
        )
        return CaseReport(
            f"{name}[t]",
            "t",
            outcome,
            changes=(change,),
            metrics=(metric,) * bool(amount),
            wrong=wrong,
            error=error,
        )

    cases = [
        changed("little", "library", 10),
        changed("much", "arithmetic", 50),
        changed("seed", "random"),
        changed(
            "mended",
            "arithmetic",
            90,
            outcome="fixed",
            wrong="old",
            error="wrong before",
        ),
        CaseReport("fails[t]", "t", "error", error="ValueError"),
        changed("wrong", "arithmetic", outcome="error", wrong="new", error="wrong now"),
    ]
    order = [group.text for group in grouped(cases)]
    assert order == ["wrong", "mended", "seed", "ValueError", "much", "little"]


def test_a_part_that_goes_the_other_way_than_its_case_is_neither_better_nor_worse() -> (
    None
):
    parts = {"a": 3000.0, "b": -1000.0, "c": 5.0}
    changes = tuple(
        ReportedChange("scheduler_nodes", f"change {key}", key, "fusion")
        for key in parts
    )
    peak = MetricReport(
        "peak_memory",
        10_000,
        12_005,
        "REGRESSION",
        parts=tuple(Part(key, amount) for key, amount in parts.items()),
    )
    cases = tuple(
        CaseReport(name, "t", "changed", changes=changes[number:], metrics=(peak,))
        for number, name in enumerate(("x[t]", "y[t]", "z[t]"))
    )
    (metric,) = numbers_in(["a"], cases[0])
    assert (metric.new, metric.verdict, metric.whole) == (13_000, "REGRESSION", False)
    assert [numbers_in([key], cases[0])[0].verdict for key in "bc"] == [
        "changed",
        "small",
    ]
    report = Report("a", Side("old"), Side("new"), cases, grouped(cases))
    shown = [text for _, text in terminal_report.render(report)]
    # No number is printed that no case has, and what moves by a percent is told, whichever way the case goes.
    assert "  peak_memory +2.9 KiB of 9.8 KiB (+30 %)" in shown
    start = shown.index("changes that move no metric by 1 %:")
    assert any(line == "2 cases: change b" for line in shown[:start])
    assert "change c" in shown[start + 1]
    assert "12.7 KiB" not in "".join(shown) and "WIN" not in "".join(shown)


@pytest.mark.parametrize("owner", ["stored", "unexplained"])
def test_flops_are_told_beside_what_has_a_verdict(owner: str) -> None:
    change = ReportedChange("scheduler_nodes", "results are stored", "stored", "fusion")
    flops, peak = Part(owner, 50_000), Part("stored", -1_000)
    metrics = (
        MetricReport("flops", 100_000, 150_000, "changed", parts=(flops,)),
        MetricReport("peak_memory", 10_000, 9_000, "WIN", parts=(peak,)),
    )
    case = CaseReport("x[t]", "t", "changed", changes=(change,), metrics=metrics)
    told = {group.keys: group.consequence for group in grouped([case])}
    saved = "peak_memory 9.8 KiB -> 8.8 KiB (-10 %)"
    more = "flops 100.0 kFLOP -> 150.0 kFLOP (+50 %)"
    assert told == (
        {("stored",): f"{saved}, {more}"}
        if owner == "stored"
        else {("stored",): saved, ("unexplained",): more}
    )


def test_an_example_is_of_the_case_that_a_change_costs() -> None:
    """Although more cases have it in another way."""

    def case(name: str, operator: str, flops: int) -> CaseReport:
        left = f"partition leaves aten.{operator} more"
        change = ReportedChange(
            "forward_graph",
            left,
            "partition",
            "operators",
            example=f"{left}, for example",
        )
        part = (Part("partition", float(flops - 100)),)
        metric = MetricReport("flops", 100, flops, "changed", parts=part)
        return CaseReport(name, "t", "changed", changes=(change,), metrics=(metric,))

    cases = (
        case("a", "full", 100),
        case("b", "full", 100),
        case("c", "sub", 102),
    )
    (group,) = grouped(cases)
    assert group.text == "partition leaves aten.sub more, for example"
    assert group.members[0] == "c"
    (group,) = grouped(cases[:2])
    assert group.text == "partition leaves aten.full more"
