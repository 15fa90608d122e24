"""A report in Markdown: short, and without markup from outside."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_compile_golden.report import markdown
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.model import (
    CaseReport,
    FirstDivergence,
    MetricReport,
    Report,
    Side,
    StageReport,
)


def hostile(text: str, number: int = 1) -> Report:
    stage = StageReport(
        "ink", "ink.py", "structural", old="a\n", new=f"{text}\n", edits=(text,)
    )
    cases = [
        CaseReport(
            f"{text}[{n}]",
            "gpu",
            "changed",
            (stage,),
            FirstDivergence(text, "ink", text),
            error=text,
        )
        for n in range(number)
    ]
    return Report(
        text,
        Side(text),
        Side(text, commit=text),
        tuple(cases),
        grouped(cases),
        notes=(text,),
    )


@pytest.mark.parametrize(
    "text",
    [
        "```\n</details><script>x</script>",
        "| a | `b` ``c`` @team [x](y) <b>",
        "a\x1b[31m\n# b",
    ],
)
def test_markdown_contains_no_markup_from_outside(text: str) -> None:
    from markdown_it import MarkdownIt

    rendered = markdown.render(hostile(text))
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(rendered)
    every = [token for each in tokens for token in (each, *(each.children or ()))]
    raw = [token.content for token in every if token.type.startswith("html")]
    assert all(
        part.strip().startswith(("<details><summary>", "</details>", "<br>"))
        for part in raw
    ), raw
    assert not any("<script>" in part or "<b>" in part for part in raw)
    assert not any(token.type == "link_open" for token in every)
    assert "\x1b" not in rendered


@pytest.mark.parametrize(
    ("torch", "commit", "at"),
    [
        ("2.15.0+cpu", None, "v2.15.0"),
        ("2.16.0.dev20270101", "a" * 40, "a" * 40),
        ("2.16.0.dev20270101", None, None),
        ("2.16.0a0", ") [x](javascript:y)", None),
    ],
)
def test_a_line_of_torch_links_to_the_source_it_was_built_from(
    torch: str, commit: str | None, at: str | None
) -> None:
    where = "torch/_inductor/scheduler.py:12"
    case = CaseReport(
        "test",
        "gpu",
        "changed",
        (),
        FirstDivergence("scheduler / fuse_nodes: 1 -> 2", "ink", where),
    )
    rendered = markdown.render(
        Report(
            "t", Side("a"), Side("b", torch, commit=commit), (case,), grouped([case])
        )
    )
    link = f"[`{where}`](https://github.com/pytorch/pytorch/blob/{at}/torch/_inductor/scheduler.py#L12)"
    assert (
        (link in rendered) == (at is not None)
        and f"`{where}`" in rendered
        and "](" not in rendered.replace(link, "")
    )


def test_markdown_is_short_and_counts_what_it_leaves_out() -> None:
    worse = (MetricReport("kernels", 1, 2, "REGRESSION"),)
    cases = [
        CaseReport(
            f"test_{n}",
            "gpu",
            "changed",
            (),
            FirstDivergence(f"pass {n}", "ink", then=()),
            metrics=worse,
            reproduce="x" * 6000,
        )
        for n in range(2000)
    ]
    report = Report("t", Side("a"), Side("b"), tuple(cases), grouped(cases))
    rendered = markdown.render(report)
    full, brief = rendered.count("### 1 case"), rendered.count("\n- 1 case")
    assert len(rendered) < markdown.LIMIT and 5 < full < 10 < brief
    assert (
        f"_{2000 - full - brief} more distinct changes: see the HTML report._"
        in rendered
    )
    quiet = markdown.render(
        replace(
            report,
            cases=(),
            groups=grouped(replace(case, metrics=()) for case in cases),
        )
    )
    assert "### 2000 distinct changes that move no metric by 1 %" in quiet
