"""The HTML report in a real browser: the page of a case, its pictures, diffs and sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
from selenium.webdriver.common.keys import Keys

from pytest_compile_golden.facts.generated_code import Author, EmittedLine
from pytest_compile_golden.formats import authors
from pytest_compile_golden.formats.schedules.provenance import Kernel, Nodes
from pytest_compile_golden.report import reporters
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.model import (
    ConfigDefault,
    Report,
    Side,
    TorchFunction,
)
from tests import browser
from tests.html_reports import (
    FILLER,
    GRAPH,
    HOSTILE,
    RSQRT,
    SQRT,
    a_case,
    a_report,
    compared,
)


def test_case_page_has_the_pipeline_and_a_diff_with_unchanged_parts_folded(
    page: browser.Page, written: Path
) -> None:
    page.open(written, at="#case=2")
    first = page.one(".first").text
    assert "joint / remove_noop_ops: was 7 -> 5 nodes, is now 7 -> 6 nodes" in first
    assert (
        "torch/_inductor/fx_passes/post_grad.py:1225" in first
        and "triton_code" not in first.splitlines()[0]
    )
    source = "https://github.com/pytorch/pytorch/blob/v2.15.0/torch/_inductor/fx_passes/post_grad.py#L1225"
    assert page.one(".first a").get_attribute("href") == source
    strip = page.texts(".strip button")
    assert strip == [
        "post_grad_graph",
        "⚑ passes",
        "scheduler_nodes",
        "triton_code",
        "guards",
        "metrics",
    ]
    assert page.one(".strip [aria-selected=true]").text == "⚑ passes"

    page.button(".strip button", "post_grad_graph").click()
    assert page.texts(".cell.removed code") == SQRT.splitlines()
    assert page.texts(".cell.added code") == RSQRT.splitlines()
    # The current address leads back here.
    address = page.script("return location.hash")
    assert address == "#case=2&stage=post_grad_graph.py"
    page.open(written, at=address)
    assert page.one(".strip [aria-selected=true]").text == "post_grad_graph"
    lines = len(page.all(".diff .row"))
    assert lines < 12
    page.button(".fold", "unchanged lines").click()
    assert len(page.all(".diff .row")) > 60
    page.button(".strip button", "guards").click()
    assert (
        "This torch cannot show the stage" in page.one(".stage").text
        and "torch.gone </script>" in page.one(".stage").text
    )
    assert [element.text for element in page.all(".card .value")] == [
        "1.0 MiB → 3.0 MiB (+200 %)",
        "3 → 2",
    ]
    assert (
        page.one(".card.good svg").get_attribute("aria-label")
        == "2.12: 4, 2.13: 3, this run: 2"
    )


def test_passes_are_a_table_and_graphs_are_pictures(
    page: browser.Page, written: Path
) -> None:
    page.open(written, at="#case=2")
    rows = page.texts(".ledger tbody tr:not(.graph)")
    assert len(rows) == 2 and page.texts(".ledger .changed td")[2:] == [
        "7 -> 5 nodes\n-aten.clone.default",
        "7 -> 6 nodes\n-aten.clone.default",
    ]
    page.one(".stage input[type=checkbox]").click()
    assert len(page.all(".ledger tbody tr:not(.graph)")) == 3

    page.button(".strip button", "post_grad_graph").click()
    page.button(".tabs button", "picture").click()
    # Only the parts of a large graph near a change are shown; the rest on request.
    boxes = "return [...document.querySelectorAll('.pane')].map((pane) => pane.querySelectorAll('.box').length)"
    assert (
        page.texts("figcaption") == ["golden", "this run"]
        and max(page.script(boxes)) < 10
    )
    marked = "return [...document.querySelectorAll(':is(.removed, .added) .name')].map((text) => text.textContent)"
    assert page.script(marked) == [
        "aten.sqrt.default",
        "aten.reciprocal.default",
        "aten.rsqrt.default",
    ]
    page.one(".picture input[type=checkbox]").click()
    assert page.script(boxes) == [65, 64]
    width = "return document.querySelector('.pane svg').getBoundingClientRect().width"
    before = page.script(width)
    page.button(".picture button", "+").click()
    assert page.script(width) > before
    overlaps = """
      const drawn = [...document.querySelectorAll('.pane:first-child .box rect')];
      const boxes = drawn.map((box) => box.getBoundingClientRect());
      return boxes.some((one, at) => boxes.slice(at + 1).some((other) =>
        one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom));"""
    assert page.script(overlaps) is False

    page.button(".strip button", "scheduler_nodes").click()
    page.button(".tabs button", "picture").click()
    assert (
        page.script(
            "return document.querySelectorAll('.pane:first-child .edge').length"
        )
        == 1
    )
    reasons = page.texts("details tr")
    assert (
        len(reasons) == 2 and "no shared data" in reasons[0] and HOSTILE in reasons[1]
    )


def test_torchs_own_sources_are_shown_with_the_changes_blamed_on_them(
    page: browser.Page, tmp_path: Path
) -> None:
    case, commit = a_case(), "15" * 20
    blamed, upstream = (
        TorchFunction(
            "Pass.run",
            "torch/_inductor/a.py:7",
            (case.changes[0].key,),
            ("joint",),
            (" def run(self):", f"-{HOSTILE}", "+1"),
            commits=("0f1e2d3c4b One (#1)", f"1f1e2d3c4b {HOSTILE}"),
        ),
        TorchFunction("other", "torch/_inductor/b.py:8", ("another",)),
    )
    report = replace(
        a_report(),
        new=Side("run", "2.15.0", commit=commit),
        functions=(blamed, upstream),
        defaults=(ConfigDefault("inductor.distance", "-1", "64"),),
    )
    reporters.write(report, tmp_path / "r.html")
    page.open(tmp_path / "r.html")
    page.one(".sources summary").click()
    assert (
        page.one(".sources summary").text
        == "what torch's authors changed: 2 functions, 1 default"
    )
    assert page.texts(".sources .removed code") == [HOSTILE] and page.texts(
        ".sources .added code"
    ) == ["1"]
    assert (
        "Pass.run, called by joint" in page.one(".sources").text
        and "the cause comes before it" in page.one(".sources").text
    )
    assert (
        page.one(".sources a").get_attribute("href")
        == f"https://github.com/pytorch/pytorch/blob/{commit}/torch/_inductor/a.py#L7"
    )
    assert page.texts(".sources li") == [
        *(blamed.commits or ()),
        "inductor.distance: -1 -> 64",
    ]
    # A case shows only the sources of its own changes.
    page.open(tmp_path / "r.html", at="#case=2")
    assert (
        page.one(".sources summary").text == "what torch's authors changed: 1 function"
    )
    page.open(tmp_path / "r.html", at="#case=3")
    assert page.count(".sources") == 0


def test_selecting_a_line_highlights_related_lines_on_both_sides(
    page: browser.Page, tmp_path: Path
) -> None:
    graph = """def graph_0(arg0_1: f32[8], arg1_1: f32[8]):
    # f: y = x.exp() * w
    exp: f32[8] = aten.exp.default(arg0_1)
    mul: f32[8] = aten.mul.Tensor(exp, arg1_1)
    # f: return y.sin()
    sin: f32[8] = aten.sin.default({read})
    return (sin,)
"""
    groups = """graph_0:
  group 0: pointwise
    op0: pointwise
      buf0: f32[8] cuda:0
      computes aten.exp.default, aten.mul.Tensor
      reads arg0_1[c0], arg1_1[c0]
      writes buf0[c0]
  group 1: pointwise
    op1: pointwise
      buf1: f32[8] cuda:0
      computes aten.sin.default
      reads buf0[c0]
      writes buf1[c0]
"""
    kernel = """# graph_0: triton_poi_fused_exp_mul_0
@triton.jit
def triton_poi_fused_exp_mul_0(in_ptr0, in_ptr1, out_ptr0):
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = libdevice.{exp}(tmp0)
    tmp2 = tmp1 * tmp0
    tl.store(out_ptr0 + (x0), tmp2, xmask)


# graph_0: triton_poi_fused_sin_1
@triton.jit
def triton_poi_fused_sin_1(in_ptr0, out_ptr0):
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl_math.sin(tmp0)
    tl.store(out_ptr0 + (x0), tmp1, xmask)
"""
    facts = [
        Nodes(0, "op0", ("exp", "mul")),
        Kernel(0, 0, "triton_poi_fused_exp_mul_0"),
        Nodes(0, "op1", ("sin",)),
        Kernel(0, 1, "triton_poi_fused_sin_1"),
    ]
    exp = Author("TritonOverrides.exp", "torch/_inductor/codegen/triton.py:1500")
    sources = [kernel.format(exp=name) for name in ("exp", "exp2")]
    wrote = authors.wrote(sources[0], [EmittedLine("tmp1 = libdevice.exp(tmp0)", exp)])
    texts = [
        ("post_grad_graph", graph.format(read="mul"), graph.format(read="exp")),
        ("scheduler_nodes", groups, groups.replace("buf1[c0]", "buf1[2*c0]")),
        ("triton_code", *sources),
    ]
    known: dict[str, Sequence[msgspec.Struct]] = {
        "scheduler_nodes": facts,
        "triton_code": wrote,
    }
    both = [compared(name, *sides, facts=known.get(name, ())) for name, *sides in texts]
    case = case_report("cases/test_m.py::test_m[t]", "t", both)
    reporters.write(
        Report("linked", Side("goldens"), Side("run"), (case,), grouped([case])),
        tmp_path / "r.html",
    )
    page.open(tmp_path / "r.html", at="#case=0")
    page.one(".linked summary").click()
    files = ["post_grad_graph.py", "scheduler_nodes.txt", "triton_code.py"]
    assert page.texts(".linked-cell.old h3") == ["your source", *files]

    def highlighted(side: str, file: str) -> list[str]:
        inside = f".linked-pane[aria-label^='{file}'] .line.lit .code"
        return [text.strip() for text in page.texts(f".linked-cell.{side} {inside}")]

    page.one(
        ".linked-cell.old .linked-pane[aria-label^=post_grad] .line[tabindex]"
    ).click()
    for side, name in (("old", "exp"), ("new", "exp2")):
        assert highlighted(side, "your source") == ["f: y = x.exp() * w"]
        assert highlighted(side, "post_grad") == [
            "exp: f32[8] = aten.exp.default(arg0_1)"
        ]
        group = highlighted(side, "scheduler")
        assert group[:2] == ["group 0: pointwise", "op0: pointwise"] and len(group) == 6
        title, head, line = highlighted(side, "triton")
        assert title == "# graph_0: triton_poi_fused_exp_mul_0" and head.startswith(
            "def triton_poi_fused_exp_mul_0("
        )
        assert line == f"tmp1 = libdevice.{name}(tmp0)"
    # The selection, and what belongs to it, can be told without colours.
    assert {*page.texts(".linked-pane .mark")} == {"", "●", "▶"}
    announced = "golden: 1 line of your source, 6 lines of scheduler_nodes.txt, 3 lines of triton_code.py"
    assert announced in page.one(".said").text
    # By keyboard to the next node, and from a kernel's line to who wrote it.
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert highlighted("old", "your source") == ["f: return y.sin()"] and page.one(
        ".said code"
    ).text.startswith("sin:")
    assert highlighted("new", "post_grad") == ["sin: f32[8] = aten.sin.default(exp)"]
    line = page.button(
        ".linked-cell.new .linked-pane[aria-label^=triton] .line[tabindex]", "exp2"
    )
    line.click()
    assert (
        "Written by TritonOverrides.exp torch/_inductor/codegen/triton.py:1500"
        in page.one(".said").text
    )
    assert highlighted("new", "your source") == ["f: y = x.exp() * w"]


def test_marks_cover_whole_words_of_corresponding_lines(
    page: browser.Page, tmp_path: Path
) -> None:
    old = """def triton_poi_fused_0(x):
    tmp0 = tl.load(x)
    tmp1 = triton_helpers.maximum(tmp0, 0.5)
    tmp2 = tl.where(tmp1, 1e-05)
    tl.store(out, tmp2)  # torch/_inductor/lowering.py:10
"""
    new = """def triton_poi_fused_0(x):
    tmp0 = tl.load(x)
    r0_mask = r0_index < r0_numel
    tmp1 = tl.maximum(tmp0, 0.5, tl.PropagateNan.ALL)
    tmp2 = tl.where(tmp1, 1e-06)
    tl.store(out, tmp2, mask)  # torch/_inductor/lowering.py:99
"""
    case = case_report(
        "cases/test_m.py::test_m[t]", "t", [compared("triton_code", old, new)]
    )
    sides = Side("goldens@2.13.0", "2.13.0"), Side("2.15.0", "2.15.0+cpu")
    reporters.write(
        Report("marks", *sides, (case,), grouped([case])), tmp_path / "r.html"
    )
    page.open(tmp_path / "r.html", at="#case=0")
    page.button(".tabs button", "as written").click()
    assert page.texts(".diff .head .cell") == ["2.13.0", "2.15.0"]
    assert page.texts(".removed mark") == ["triton_helpers.maximum", "1e-05"]
    assert page.texts(".added mark") == [
        "tl.maximum",
        ", tl.PropagateNan.ALL",
        "1e-06",
        ", mask",
    ]
    assert page.script(
        "return [...document.querySelectorAll('.added code')].map((code) => code.textContent)"
    ) == [*new.splitlines()[2:]]
    # Nothing was timed, so no time is shown.
    assert page.one(".case > p").text == "t"


def test_the_picture_shown_first_has_the_change(
    page: browser.Page, tmp_path: Path
) -> None:
    same = "def graph_0_forward(arg0_1: f32[8]):\n    neg: f32[8] = aten.neg.default(arg0_1)\n    return (neg,)\n\n\n"
    more = "    more: f32[8] = aten.exp.default(mul_30)\n"
    old = same + GRAPH.format(filler=FILLER, sqrt=SQRT)
    case = case_report(
        "cases/test_m.py::test_m[t]",
        "t",
        [compared("post_grad_graph", old, old.replace(SQRT, more + SQRT))],
    )
    reporters.write(
        Report("pictures", Side("goldens"), Side("run"), (case,), grouped([case])),
        tmp_path / "r.html",
    )
    page.open(tmp_path / "r.html", at="#case=0")
    page.button(".tabs button", "picture").click()
    assert page.one("[aria-label=graph] [aria-selected=true]").text.startswith(
        "graph_0"
    )
    assert len(page.all("[aria-label=graph] .differs")) == 1
    assert (
        page.one("[aria-label=graph] .differs").get_attribute("aria-selected") == "true"
    )
    # Only one side has something of its own; the other shows what is in the same spot.
    boxes = "return [...document.querySelectorAll('.pane')].map((pane) => pane.querySelectorAll('.box').length)"
    before, after = page.script(boxes)
    assert (
        1 < before < 10
        and after == before + 1
        and len(page.all(".pane .box.added")) == 1
    )


def test_a_case_is_parsed_only_when_it_is_opened(
    page: browser.Page, tmp_path: Path
) -> None:
    one = a_case()
    targets = ("cpu-avx2", "cuda-sm90")
    names = [(n, target) for n in range(300) for target in targets]
    many = [
        replace(one, nodeid=f"cases/test_m.py::test_{n}[{target}]", target=target)
        for n, target in names
    ]
    reporters.write(
        Report("many", Side("a"), Side("b"), tuple(many), grouped(many)),
        tmp_path / "r.html",
    )
    source = (tmp_path / "r.html").read_text()
    parsed = (
        "const parse = JSON.parse; window.parsed = 0; "
        "JSON.parse = (text) => { window.parsed++; return parse(text); };"
    )
    page.chrome.execute_cdp_cmd("Page.enable", {})
    added = page.chrome.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": parsed}
    )
    page.open(tmp_path / "r.html")
    page.chrome.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    assert page.count(".cases .badge") == 400  # of two targets each
    page.button("#cases .fold", "100 more tests").click()
    assert page.count(".cases .badge") == 600 and not page.script(
        "return document.querySelector('#cases .fold').checkVisibility()"
    )
    # About 6 KB per case; they differ only in their names. The overview and its rows are parsed.
    assert page.script("return window.parsed") == 2 and len(source) < 600 * 1500
    page.press("j")
    page.heading("cases/test_m.py::test_0")
    page.press("j")
    page.heading("cases/test_m.py::test_0[cuda-sm90]")
    assert page.script("return window.parsed") == 3
