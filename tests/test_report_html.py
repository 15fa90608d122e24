"""The HTML report in a real browser: overview, case pages, keys, widths, and texts that would like to be markup."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
from selenium.webdriver.common.keys import Keys

from pytest_compile_golden.formats import authors
from pytest_compile_golden.goldens.change_groups import mark
from pytest_compile_golden.goldens.compare import Compared, compare
from pytest_compile_golden.goldens.header import Header
from pytest_compile_golden.goldens.layout import GoldenPath
from pytest_compile_golden.goldens.store import Golden
from pytest_compile_golden.record.code import Author, Written
from pytest_compile_golden.report import reporters
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.cases import case_report
from pytest_compile_golden.report.lines import printable
from pytest_compile_golden.report.model import CaseReport, ConfigDefault, Divergence, Point, Report, Side, TorchFunction
from pytest_compile_golden.stages import get_stage
from tests import browser

TITLE = "document.title='owned'"
HOSTILE = f"""</script><script>{TITLE}</script><!--<img src=x onerror="{TITLE}">{{{{ 7*7 }}}}&lt;"""
ERROR = f"broke\n{HOSTILE}{'long' * 100}"
# A tree: each value is read by three others.
NAMES = ["arg0_1", *(f"mul_{n}" for n in range(60))]
FILLER = "".join(f"    {NAMES[n + 1]}: f32[8] = aten.mul.Tensor({NAMES[n // 3]}, {n})\n" for n in range(60))
GRAPH = "def graph_0(arg0_1: f32[8, s0], arg1_1: f32[8]):\n{filler}{sqrt}    return (out,)\n"
SQRT = "    sqrt: f32[8] = aten.sqrt.default(mul_59)\n    out: f32[8] = aten.reciprocal.default(sqrt)\n"
RSQRT = "    out: f32[8] = aten.rsqrt.default(mul_59)\n"
PASSES = """graph_0:
  pre_grad  idle_pass                                .
  joint     remove_noop_ops                          7 -> {after}  # torch/_inductor/fx_passes/post_grad.py:1225
      -aten.clone.default
  scheduler fuse_nodes                               2 -> 1
"""
SCHEDULE = """graph_0:
  group 0: pointwise
    op0: pointwise
      buf0: f32[8] cuda:0
      computes aten.mul.Tensor
      reads arg0_1[c0]
      writes buf0[c0]
  group 1: {kind}
    op1: {kind}
      buf1: f32[8] cuda:0
      computes aten.sum.default
      reads buf0[c0]
      writes buf1[c0]
  not fused:
    op0 with op1: {reason}
"""
METRICS = "bytes_accessed = {bytes}\nkernels = {kernels}\n"


def compared(stage_name: str, old: str, new: str) -> Compared:
    stage = get_stage(stage_name)
    place = GoldenPath(PurePosixPath("cases/test_a/test_b/cuda-sm90"), stage_name, stage.extension)
    golden = Golden(place.versionless, Header(stage_name, "2.13.0", None), old)
    return Compared(stage_name, place.versionless.name, old, new, compare(stage, place, golden, new))


def a_case(nodeid: str = "cases/test_norm.py::test_rsqrt[cuda-sm90]", kernel: str = "tmp0 = x") -> CaseReport:
    texts = [
        ("post_grad_graph", GRAPH.format(filler=FILLER, sqrt=SQRT), GRAPH.format(filler=FILLER, sqrt=RSQRT)),
        ("passes", PASSES.format(after=5), PASSES.format(after=6)),
        (
            "scheduler_nodes",
            SCHEDULE.format(kind="pointwise", reason="no shared data"),
            SCHEDULE.format(kind="reduction", reason=HOSTILE),
        ),
        ("triton_code", "def triton_poi_fused_0(x):\n    tmp0 = x\n", f"def triton_poi_fused_0(x):\n    {kernel}\n"),
        ("metrics", METRICS.format(bytes=1 << 20, kernels=3), METRICS.format(bytes=3 << 20, kernels=2)),
    ]
    history = {"kernels": [Point("2.12", 4), Point("2.13", 3)]}
    run = f'pytest --compile-golden "{nodeid}"'
    case = case_report(
        nodeid,
        "cuda-sm90",
        [compared(*each) for each in texts],
        unavailable={"guards": f"torch.gone {HOSTILE}"},
        history=history,
        reproduce=run,
        accept=f"{run} --snapshot-update",
        seconds=0.2,
    )
    assert case.outcome == "changed"
    return case


def a_report(*more: CaseReport) -> Report:
    cases = (
        CaseReport("cases/test_norm.py::test_same[cpu-avx2]", "cpu-avx2", "same"),
        CaseReport("cases/test_norm.py::test_rsqrt[cpu-avx2]", "cpu-avx2", "cosmetic"),
        a_case(),
        CaseReport("cases/test_loss.py::test_fails[cuda-sm90]", "cuda-sm90", "error", error=ERROR),
        *more,
    )
    return Report("torch 2.15.0 against the goldens", Side("goldens"), Side("run", "2.15.0"), cases, grouped(cases))


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Page]:
    with browser.started() as page:
        yield page


@pytest.fixture
def page(chromium: browser.Page) -> Iterator[browser.Page]:
    """Whatever a test does, the browser has nothing to complain of, and nothing was fetched."""
    chromium.errors()
    yield chromium
    assert chromium.errors() == []
    assert chromium.script("return performance.getEntriesByType('resource').length") == 0


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "r.html"
    reporters.write(a_report(), path)
    return path


def test_overview_shows_what_changed_first_and_filters(page: browser.Page, written: Path) -> None:
    page.open(written)
    assert page.one("h1").text == "torch 2.15.0 against the goldens"
    tests = [each.split("::")[1] for each in page.texts(".cases tbody th")]
    assert tests == ["test_fails", "test_rsqrt", "test_same"]
    assert page.texts(".cases thead th") == ["test", "cpu-avx2", "cuda-sm90", "first divergence"]
    assert page.texts(".cases tbody tr:nth-child(2) .badge") == ["cosmetic", "changed ▼1 ▲1"]

    page.one("#search").send_keys("RSQRT remove_noop")
    assert page.texts(".cases .badge") == ["changed ▼1 ▲1"] and page.one("#count").text == "1 of 4 cases"
    page.one("#search").send_keys(Keys.CONTROL, "a", Keys.DELETE)
    page.button(".outcomes button", "same").click()
    page.button(".outcomes button", "error").click()
    assert page.texts(".cases .badge") == ["error", "same"]
    page.button(".outcomes button", "same").click()
    page.button(".outcomes button", "error").click()
    page.button(".group", "remove_noop_ops").click()
    assert page.texts(".cases .badge") == ["changed ▼1 ▲1"]
    # What was chosen is still so when one comes back from a case.
    page.one(".cases .badge").click()
    page.heading("cases/test_norm.py::test_rsqrt[cuda-sm90]")
    page.press(Keys.ESCAPE)
    page.heading("torch 2.15.0")
    assert page.texts(".cases .badge") == ["changed ▼1 ▲1"]


def test_case_page_has_the_pipeline_and_a_diff_with_unchanged_parts_folded(page: browser.Page, written: Path) -> None:
    page.open(written, at="#case=2")
    first = page.one(".first").text
    assert "joint / remove_noop_ops: 7 -> 5 nodes, now 7 -> 6 nodes" in first
    assert "torch/_inductor/fx_passes/post_grad.py:1225" in first and "triton_code" not in first.splitlines()[0]
    source = "https://github.com/pytorch/pytorch/blob/v2.15.0/torch/_inductor/fx_passes/post_grad.py#L1225"
    assert page.one(".first a").get_attribute("href") == source
    strip = page.texts(".strip button")
    assert strip == ["post_grad_graph", "⚑ passes", "scheduler_nodes", "triton_code", "guards", "metrics"]
    assert page.one(".strip [aria-selected=true]").text == "⚑ passes"

    page.button(".strip button", "post_grad_graph").click()
    assert page.texts(".cell.removed code") == SQRT.splitlines()
    assert page.texts(".cell.added code") == RSQRT.splitlines()
    # What the address bar says now leads here again.
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
    assert [each.text for each in page.all(".card .value")] == ["1.0 MiB → 3.0 MiB", "3 → 2"]
    assert page.one(".card.good svg").get_attribute("aria-label") == "2.12: 4, 2.13: 3, this run: 2"


def test_passes_are_a_table_and_graphs_are_pictures(page: browser.Page, written: Path) -> None:
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
    # Of a large graph, what is near a change; the rest on request.
    boxes = "return [...document.querySelectorAll('.pane')].map((pane) => pane.querySelectorAll('.box').length)"
    assert page.texts("figcaption") == ["golden", "this run"] and max(page.script(boxes)) < 10
    marked = "return [...document.querySelectorAll(':is(.removed, .added) .name')].map((text) => text.textContent)"
    assert page.script(marked) == ["aten.sqrt.default", "aten.reciprocal.default", "aten.rsqrt.default"]
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
    assert page.script("return document.querySelectorAll('.pane:first-child .edge').length") == 1
    reasons = page.texts("details tr")
    assert len(reasons) == 2 and "no shared data" in reasons[0] and HOSTILE in reasons[1]


def test_torchs_own_sources_stand_with_the_changes_that_are_blamed_on_them(page: browser.Page, tmp_path: Path) -> None:
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
    assert page.one(".sources summary").text == "what torch's authors changed: 2 functions, 1 default"
    assert page.texts(".sources .removed code") == [HOSTILE] and page.texts(".sources .added code") == ["1"]
    assert (
        "Pass.run, which joint calls" in page.one(".sources").text
        and "the cause lies before it" in page.one(".sources").text
    )
    assert (
        page.one(".sources a").get_attribute("href")
        == f"https://github.com/pytorch/pytorch/blob/{commit}/torch/_inductor/a.py#L7"
    )
    assert page.texts(".sources li") == [*(blamed.commits or ()), "inductor.distance: -1 -> 64"]
    # A case shows those of its own changes.
    page.open(tmp_path / "r.html", at="#case=2")
    assert page.one(".sources summary").text == "what torch's authors changed: 1 function"
    page.open(tmp_path / "r.html", at="#case=3")
    assert page.count(".sources") == 0


def test_a_line_lights_its_kin_on_both_sides(page: browser.Page, tmp_path: Path) -> None:
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
    exp = Author("TritonOverrides.exp", "torch/_inductor/codegen/triton.py:1500")
    sources = [kernel.format(exp=name) for name in ("exp", "exp2")]
    wrote = authors.wrote(sources, [Written(f"tmp1 = libdevice.{name}(tmp0)", exp) for name in ("exp", "exp2")])
    trail = "\n".join(["dynamo_graph     6 nodes  3ce39a208c", *authors.write(wrote)]) + "\n"
    texts = [
        ("post_grad_graph", graph.format(read="mul"), graph.format(read="exp")),
        ("scheduler_nodes", groups, groups.replace("buf1[c0]", "buf1[2*c0]")),
        ("triton_code", *sources),
        ("trail", trail, trail.replace("3ce39a208c", "3ce39a208d")),
    ]
    case = case_report("cases/test_m.py::test_m[t]", "t", [compared(*each) for each in texts])
    reporters.write(Report("kin", Side("goldens"), Side("run"), (case,), grouped([case])), tmp_path / "r.html")
    page.open(tmp_path / "r.html", at="#case=0")
    page.one(".kin summary").click()
    files = ["post_grad_graph.py", "scheduler_nodes.txt", "triton_code.py"]
    assert page.texts(".kin-cell.old h3") == ["your source", *files]

    def lit(side: str, file: str) -> list[str]:
        inside = f".kin-pane[aria-label^='{file}'] .line.lit .code"
        return [each.strip() for each in page.texts(f".kin-cell.{side} {inside}")]

    page.one(".kin-cell.old .kin-pane[aria-label^=post_grad] .line[tabindex]").click()
    for side, name in (("old", "exp"), ("new", "exp2")):
        assert lit(side, "your source") == ["f: y = x.exp() * w"]
        assert lit(side, "post_grad") == ["exp: f32[8] = aten.exp.default(arg0_1)"]
        group = lit(side, "scheduler")
        assert group[:2] == ["group 0: pointwise", "op0: pointwise"] and len(group) == 6
        title, head, line = lit(side, "triton")
        assert title == "# graph_0: triton_poi_fused_exp_mul_0" and head.startswith("def triton_poi_fused_exp_mul_0(")
        assert line == f"tmp1 = libdevice.{name}(tmp0)"
    # What is chosen, and what belongs to it, is told without colours.
    assert {*page.texts(".kin-pane .mark")} == {"", "●", "▶"}
    told = "golden: 1 line of your source, 6 lines of scheduler_nodes.txt, 3 lines of triton_code.py"
    assert told in page.one(".said").text
    # With the keys: to the next node, and from a kernel's line to who wrote it.
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert lit("old", "your source") == ["f: return y.sin()"] and page.one(".said code").text.startswith("sin:")
    assert lit("new", "post_grad") == ["sin: f32[8] = aten.sin.default(exp)"]
    line = page.button(".kin-cell.new .kin-pane[aria-label^=triton] .line[tabindex]", "exp2")
    line.click()
    assert "Written by TritonOverrides.exp torch/_inductor/codegen/triton.py:1500" in page.one(".said").text
    assert lit("new", "your source") == ["f: y = x.exp() * w"]


def test_changes_that_were_reviewed_stay_ticked_and_are_one_command(page: browser.Page, tmp_path: Path) -> None:
    cases = [
        CaseReport(f"cases/test_m.py::test_{n}[t]", "t", "changed", (), Divergence(f"way {n}", "ink")) for n in range(3)
    ]
    failed = CaseReport("cases/test_m.py::test_bad[t]", "t", "error", error="broke")
    report = Report(f"ticks in {tmp_path}", Side("goldens"), Side("run"), (*cases, failed), grouped([*cases, failed]))
    reporters.write(report, tmp_path / "r.html")
    page.open(tmp_path / "r.html")
    # What failed has nothing to accept.
    assert page.count(".group") == 4 and page.count(".decided input") == 3 and not page.one(".reviewed").text
    for box in page.all(".decided input")[:2]:
        box.send_keys(Keys.SPACE)
    command = f"compile-golden accept --change {mark('way 0')} --change {mark('way 1')}"
    assert (
        page.one(".reviewed code").text == command and "2 of 3 distinct changes reviewed" in page.one(".reviewed").text
    )
    page.open(tmp_path / "r.html")
    assert page.one(".reviewed code").text == command and page.count(".decided input:checked") == 2
    page.all(".decided input")[0].click()
    assert page.one(".reviewed code").text == f"compile-golden accept --change {mark('way 1')}"
    # Between two torchs nothing can be accepted: a tick says that it was looked at.
    reporters.write(replace(report, title="two", old=Side("2.13.0", "2.13.0")), tmp_path / "two.html")
    page.open(tmp_path / "two.html")
    page.all(".decided input")[0].click()
    assert page.one(".reviewed").text == "1 of 3 distinct changes reviewed"


def test_keys_alone_are_enough(page: browser.Page, written: Path) -> None:
    page.open(written)
    page.press("/", "same")
    assert page.texts(".cases .badge") == ["same"]
    page.press(Keys.ENTER)
    page.heading("cases/test_norm.py::test_same")
    page.press(Keys.ESCAPE)
    page.heading("torch 2.15.0")
    assert page.texts(".cases .badge") == ["same"] and page.one("#count").text == "1 of 4 cases"
    # Esc empties the box, and what the box asked for goes with it.
    page.press("/", Keys.ESCAPE)
    assert page.one("#search").get_attribute("value") == "" and len(page.all(".cases .badge")) == 4
    page.press("j")
    page.heading("cases/test_loss.py::test_fails")
    page.press("j")
    page.heading("cases/test_norm.py::test_rsqrt[cpu-avx2]")
    page.press("j")
    page.heading("cases/test_norm.py::test_rsqrt[cuda-sm90]")
    page.one(".strip [aria-selected=true]").send_keys(Keys.ARROW_RIGHT)
    assert page.one(".strip [aria-selected=true]").text == "scheduler_nodes"
    page.press("k")
    page.heading("cases/test_norm.py::test_rsqrt[cpu-avx2]")
    page.press("/")
    page.heading("torch 2.15.0")
    assert page.script("return document.activeElement.id") == "search"
    page.press(Keys.ESCAPE)
    colour = "return getComputedStyle(document.body).backgroundColor"
    light = page.script(colour)
    page.press("t")
    assert page.script(colour) != light
    page.press("t")
    assert page.script(colour) == light


def test_a_search_finds_what_a_case_has_to_say(page: browser.Page, written: Path) -> None:
    page.open(written)
    for text in ("regression", "bytes_accessed", "aten.rsqrt", "gone guards", "WIN scheduler_nodes"):
        page.press("/", text)
        assert page.texts(".cases .badge") == ["changed ▼1 ▲1"], text
        page.press(Keys.ESCAPE)
    page.press("/", "broke")
    assert page.texts(".cases .badge") == ["error"]
    page.press(Keys.ENTER)
    page.heading("cases/test_loss.py::test_fails")


def test_a_way_that_was_chosen_is_seen_and_let_go(page: browser.Page, tmp_path: Path) -> None:
    cases = [
        CaseReport(
            f"cases/test_m.py::test_{n}_{m}[t]", "t", "changed", (), Divergence(f"way {n} {'long ' * 60}", "ink")
        )
        for n in range(40)
        for m in range(3)
    ]
    reporters.write(Report("many", Side("a"), Side("b"), tuple(cases), grouped(cases)), tmp_path / "r.html")
    page.open(tmp_path / "r.html")
    bar = "document.querySelector('.filters').getBoundingClientRect()"
    seen = f"const at = {bar}; return at.top >= 0 && at.bottom <= innerHeight"
    assert page.count("#way[hidden]") == page.count("#clear[hidden]") == 1
    page.button(".fold", "23 more distinct changes").click()
    assert page.script("return document.documentElement.scrollWidth <= innerWidth")
    page.button(".group", "way 27").click()
    assert page.script(seen) and page.one("#count").text == "3 of 120 cases" and "way 27" in page.one("#way").text
    assert [each.split("::")[1] for each in page.texts(".cases tbody th")] == ["test_27_0", "test_27_1", "test_27_2"]
    page.one(".cases .badge").click()
    page.heading("cases/test_m.py::test_27_0")
    page.press(Keys.ESCAPE)
    page.heading("many")
    # The list of ways is as it was, and the way is still named where the cases are.
    assert page.script(seen) and len(page.all(".group")) == 40 and len(page.all(".group[aria-pressed=true]")) == 1
    page.one("#way").click()
    assert len(page.all(".cases .badge")) == 120 and not page.count(".group[aria-pressed=true]")
    page.script("scrollTo(0, 0)")
    page.button(".group", "way 3").click()
    page.button(".outcomes button", "changed").click()
    page.press(Keys.ESCAPE)
    assert len(page.all(".cases .badge")) == 120 and not page.count("[aria-pressed=true]")
    page.script("scrollTo(0, 0)")
    page.button(".group", "way 39").click()
    page.one("#clear").click()
    assert page.one("#count").text == "120 cases"


def test_marks_are_on_whole_words_of_lines_that_belong_together(page: browser.Page, tmp_path: Path) -> None:
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
    case = case_report("cases/test_m.py::test_m[t]", "t", [compared("triton_code", old, new)])
    sides = Side("goldens@2.13.0", "2.13.0"), Side("2.15.0", "2.15.0+cpu")
    reporters.write(Report("marks", *sides, (case,), grouped([case])), tmp_path / "r.html")
    page.open(tmp_path / "r.html", at="#case=0")
    page.button(".tabs button", "as written").click()
    assert page.texts(".diff .head .cell") == ["2.13.0", "2.15.0"]
    assert page.texts(".removed mark") == ["triton_helpers.maximum", "1e-05"]
    assert page.texts(".added mark") == ["tl.maximum", ", tl.PropagateNan.ALL", "1e-06", ", mask"]
    assert page.script("return [...document.querySelectorAll('.added code')].map((code) => code.textContent)") == [
        *new.splitlines()[2:]
    ]
    # Nothing was timed, so no time is told.
    assert page.one(".case > p").text == "t"


def test_the_picture_that_is_shown_first_has_the_change(page: browser.Page, tmp_path: Path) -> None:
    same = "def graph_0_forward(arg0_1: f32[8]):\n    neg: f32[8] = aten.neg.default(arg0_1)\n    return (neg,)\n\n\n"
    more = "    more: f32[8] = aten.exp.default(mul_30)\n"
    old = same + GRAPH.format(filler=FILLER, sqrt=SQRT)
    case = case_report(
        "cases/test_m.py::test_m[t]", "t", [compared("post_grad_graph", old, old.replace(SQRT, more + SQRT))]
    )
    reporters.write(Report("pictures", Side("goldens"), Side("run"), (case,), grouped([case])), tmp_path / "r.html")
    page.open(tmp_path / "r.html", at="#case=0")
    page.button(".tabs button", "picture").click()
    assert page.one("[aria-label=graph] [aria-selected=true]").text.startswith("graph_0")
    assert len(page.all("[aria-label=graph] .differs")) == 1
    assert page.one("[aria-label=graph] .differs").get_attribute("aria-selected") == "true"
    # Only one side has something of its own; the other shows what stands there.
    boxes = "return [...document.querySelectorAll('.pane')].map((pane) => pane.querySelectorAll('.box').length)"
    before, after = page.script(boxes)
    assert 1 < before < 10 and after == before + 1 and len(page.all(".pane .box.added")) == 1


def test_paper_is_light_and_cards_and_columns_keep_their_width(page: browser.Page, written: Path) -> None:
    page.open(written, at="#case=2")
    page.press("t")
    colour = "return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    on_screen = page.script(colour)
    page.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    printed = page.script(colour)
    assert page.script("return getComputedStyle(document.querySelector('header')).display") == "none"
    page.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    page.press("t")
    assert page.script(colour) == printed != on_screen
    for width in (1280, 700, 400):
        page.open(written, width=width, at="#case=2")
        widths = [round(each.size["width"]) for each in page.all(".card")]
        assert len(widths) == 2 and len(set(widths)) == 1 and (width == 400 or widths[0] < width / 2)
    page.open(written, at="#case=2")
    heights = [each.size["height"] for each in page.all(".ledger td:nth-child(2) > .code")]
    assert heights and max(heights) < 24


def test_commands_are_copied(page: browser.Page, written: Path) -> None:
    page.open(written, at="#case=2")
    page.chrome.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"]})
    page.all(".copy")[1].click()
    assert page.button(".copy", "copied")
    read = "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))"
    assert page.chrome.execute_async_script(read) == a_case().accept


def test_nothing_in_a_report_is_markup(page: browser.Page, tmp_path: Path) -> None:
    hostile = a_case(f"cases/test_h.py::{HOSTILE}[cuda-sm90]", kernel=f"tmp0 = '{HOSTILE}'")
    report = replace(a_report(hostile), title=HOSTILE, notes=(HOSTILE,))
    reporters.write(report, tmp_path / "r.html")
    page.open(tmp_path / "r.html")
    assert page.one("h1").text == HOSTILE and page.one(".facts").text.endswith(HOSTILE)
    page.open(tmp_path / "r.html", at="#case=4")
    page.button(".strip button", "triton_code").click()
    assert page.one(".cell.added code").text == f"    tmp0 = '{HOSTILE}'"
    page.open(tmp_path / "r.html", at="#case=3")
    assert page.one("pre.error").text == ERROR
    assert page.script("return document.title") == "cases/test_loss.py::test_fails[cuda-sm90]"
    assert page.all("img") == [] and len(page.all("script:not([type])")) == 1
    # Even a script that got in would not run.
    page.script(
        "const made = document.createElement('script'); made.textContent = 'window.ran = 1'; document.body.append(made)"
    )
    assert page.script("return window.ran") is None
    assert any("Content Security Policy" in error for error in page.errors())


@pytest.mark.parametrize("width", [400, 1280])
def test_no_page_is_wider_than_its_window(page: browser.Page, written: Path, width: int) -> None:
    wide = "return document.documentElement.scrollWidth"
    page.open(written, width=width)
    assert page.script(wide) <= width
    page.open(written, width=width, at="#case=3")
    assert page.script(wide) <= width
    page.open(written, width=width, at="#case=2")
    for button in page.all(".strip button"):
        button.click()
        assert page.script(wide) <= width
    # Narrow, the sides of a diff stand one under the other.
    page.button(".strip button", "triton_code").click()
    page.button(".strip button", "post_grad_graph").click()
    assert bool(page.all(".diff.split")) == (width == 1280)


def test_a_case_is_read_when_it_is_looked_at(page: browser.Page, tmp_path: Path) -> None:
    one = a_case()
    targets = ("cpu-avx2", "cuda-sm90")
    names = [(n, target) for n in range(300) for target in targets]
    many = [replace(one, nodeid=f"cases/test_m.py::test_{n}[{target}]", target=target) for n, target in names]
    reporters.write(Report("many", Side("a"), Side("b"), tuple(many), grouped(many)), tmp_path / "r.html")
    source = (tmp_path / "r.html").read_text()
    parsed = (
        "const parse = JSON.parse; window.parsed = 0; JSON.parse = (text) => { window.parsed++; return parse(text); };"
    )
    page.chrome.execute_cdp_cmd("Page.enable", {})
    added = page.chrome.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": parsed})
    page.open(tmp_path / "r.html")
    page.chrome.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    assert len(page.script("return [...document.querySelectorAll('.cases .badge')].map(() => 1)")) == 600
    # Some 6 KB a case, which differ in the name alone.
    assert page.script("return window.parsed") == 1 and len(source) < 600 * 1500
    page.press("j")
    page.heading("cases/test_m.py::test_0")
    page.press("j")
    page.heading("cases/test_m.py::test_0[cuda-sm90]")
    assert page.script("return window.parsed") == 2


def test_the_page_and_python_agree_on_lines_and_odd_characters_are_written_out(
    page: browser.Page, tmp_path: Path
) -> None:
    # What Python's splitlines cuts at, what turns the direction of a line, and what steers a terminal.
    odd = "tmp0 = 'a\x0cb\u2028c\rd\x85e\u202e\x1b[31m'"
    filler = "".join(f"    tmp{n} = {n}\n" for n in range(1, 9))
    texts = [f"def triton_poi_fused_0(x):\n    {odd}\n{filler}    out = {last}\n" for last in ("tmp0", "tmp1")]
    nodeid = f"cases/test_h.py::test_{odd}[cuda-sm90]"
    case = case_report(
        nodeid, "cuda-sm90", [compared("triton_code", *texts)], reproduce=f"pytest {odd}", accept="pytest \u202e"
    )
    report = Report(odd, Side("goldens"), Side("run"), (case,), grouped([case]), notes=(odd,))
    reporters.write(report, tmp_path / "r.html")
    page.open(tmp_path / "r.html")
    assert page.one("h1").text == printable(odd) and r"\u202e\x1b[31m" in printable(odd)
    assert page.one(".facts").text == printable(odd)
    page.open(tmp_path / "r.html", at="#case=0")
    assert page.texts(".cell.removed") == ["11\n    out = tmp0"]
    assert page.texts(".cell.added") == ["11\n    out = tmp1"]
    page.button(".fold", "unchanged lines").click()
    assert page.texts(".cell.old code")[1] == f"    {printable(odd)}"
    assert page.texts(".command code")[0] == f"pytest {printable(odd)}"
    shown = "return [document.title, document.body.innerText].join()"
    assert not set("\x0c\u2028\r\x85\u202e\x1b") & set(page.script(shown))
    # The command is still the one that runs.
    page.chrome.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"]})
    page.all(".copy")[1].click()
    assert page.button(".copy", "copied")
    read = "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))"
    assert page.chrome.execute_async_script(read) == "pytest \u202e"
