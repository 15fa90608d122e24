"""The HTML report in a real browser: overview, keys, widths, and texts that try to be markup."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from pytest_compile_golden.goldens.change_groups import digest
from pytest_compile_golden.report import reporters
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.model import (
    CaseReport,
    FirstDivergence,
    MetricReport,
    Report,
    ReportedChange,
    Side,
    Verdict,
)
from pytest_compile_golden.report.styled_lines import printable
from tests import browser
from tests.html_reports import ERROR, HOSTILE, a_case, a_report, compared


def test_overview_shows_what_changed_first_and_filters(
    page: browser.Page, written: Path
) -> None:
    page.open(written)
    assert page.one("h1").text == "torch 2.15.0 against the goldens"
    tests = [text.split("::")[1] for text in page.texts(".cases tbody th")]
    assert tests == ["test_fails", "test_rsqrt", "test_same"]
    assert page.texts(".cases thead th") == [
        "test",
        "cpu-avx2",
        "cuda-sm90",
        "first divergence",
    ]
    assert page.texts(".cases tbody tr:nth-child(2) .badge") == [
        "cosmetic",
        "changed ◆",
    ]

    page.one("#search").send_keys("RSQRT remove_noop")
    assert (
        page.texts(".cases .badge") == ["changed ◆"]
        and page.one("#count").text == "1 of 4 cases"
    )
    page.one("#search").send_keys(Keys.CONTROL, "a", Keys.DELETE)
    page.button(".outcomes button", "same").click()
    page.button(".outcomes button", "error").click()
    assert page.texts(".cases .badge") == ["error", "same"]
    page.button(".outcomes button", "same").click()
    page.button(".outcomes button", "error").click()
    page.button(".group", "remove_noop_ops").click()
    assert page.texts(".cases .badge") == ["changed ◆"]
    # The selection is kept when coming back from a case.
    page.one(".cases .badge").click()
    page.heading("cases/test_norm.py::test_rsqrt[cuda-sm90]")
    page.press(Keys.ESCAPE)
    page.heading("torch 2.15.0")
    assert page.texts(".cases .badge") == ["changed ◆"]


def test_reviewed_changes_stay_ticked_and_make_one_command(
    page: browser.Page, tmp_path: Path
) -> None:
    cases = [
        CaseReport(
            f"cases/test_m.py::test_{n}[t]",
            "t",
            "changed",
            (),
            FirstDivergence(f"way {n}", "ink"),
        )
        for n in range(3)
    ]
    failed = CaseReport("cases/test_m.py::test_bad[t]", "t", "error", error="broke")
    report = Report(
        f"ticks in {tmp_path}",
        Side("goldens"),
        Side("run"),
        (*cases, failed),
        grouped([*cases, failed]),
    )
    reporters.write(report, tmp_path / "r.html")
    page.open(tmp_path / "r.html")
    # A failed case has nothing to accept.
    assert (
        page.count(".group") == 4
        and page.count(".decided input") == 3
        and not page.one(".reviewed").text
    )
    for box in page.all(".decided input")[:2]:
        box.send_keys(Keys.SPACE)
    command = (
        f"compile-golden accept --change {digest('way 0')} --change {digest('way 1')}"
    )
    assert (
        page.one(".reviewed code").text == command
        and "2 of 3 distinct changes reviewed" in page.one(".reviewed").text
    )
    page.open(tmp_path / "r.html")
    assert (
        page.one(".reviewed code").text == command
        and page.count(".decided input:checked") == 2
    )
    page.all(".decided input")[0].click()
    assert (
        page.one(".reviewed code").text
        == f"compile-golden accept --change {digest('way 1')}"
    )
    # Between two torch versions nothing can be accepted: a tick says that a change was looked at.
    reporters.write(
        replace(report, title="two", old=Side("2.13.0", "2.13.0")),
        tmp_path / "two.html",
    )
    page.open(tmp_path / "two.html")
    page.all(".decided input")[0].click()
    assert page.one(".reviewed").text == "1 of 3 distinct changes reviewed"


def test_the_keyboard_alone_is_enough(page: browser.Page, written: Path) -> None:
    page.open(written)
    page.press("/", "same")
    assert page.texts(".cases .badge") == ["same"]
    page.press(Keys.ENTER)
    page.heading("cases/test_norm.py::test_same")
    page.press(Keys.ESCAPE)
    page.heading("torch 2.15.0")
    assert (
        page.texts(".cases .badge") == ["same"]
        and page.one("#count").text == "1 of 4 cases"
    )
    # Esc empties the box, which also removes its filter.
    page.press("/", Keys.ESCAPE)
    assert (
        page.one("#search").get_attribute("value") == ""
        and len(page.all(".cases .badge")) == 4
    )
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


def test_regressions_come_first_and_can_be_chosen(
    page: browser.Page, tmp_path: Path
) -> None:
    def case(
        name: str, metric: str, old: int, new: int, verdict: Verdict
    ) -> CaseReport:
        numbers = (
            MetricReport(metric, old, new, verdict),
            MetricReport("least_time", 900, 1000 * new // old, "same"),
        )
        return CaseReport(
            f"cases/test_{'long' * 20}.py::{name}[t]", "t", "changed", metrics=numbers
        )

    size = 17 * 2**20
    cases = [
        case("test_a", "python_guards", 2, 1, "changed"),
        case("test_b", "kernels", 2, 1, "WIN"),
        case("test_c", "bytes_accessed", size, size + 4096, "REGRESSION"),
    ]
    reporters.write(
        Report("r", Side("a"), Side("b"), tuple(cases)), tmp_path / "r.html"
    )
    page.open(tmp_path / "r.html", width=1200)

    def names() -> list[str]:
        return [text.split("::")[1] for text in page.texts(".cases tbody th")]

    assert names() == ["test_c", "test_b", "test_a"]
    assert (
        page.script(
            "return document.querySelector('td.firsts').getBoundingClientRect().width"
        )
        > 300
    )
    page.button(".outcomes button", "regressions 1").click()
    assert names() == ["test_c"]
    page.button(".outcomes button", "wins 1").click()
    assert names() == ["test_c", "test_b"]
    page.one(".cases .badge").click()
    page.heading("cases/")
    assert page.one(".card .value").text == "17.000 MiB → 17.004 MiB (+0.023 %)"

    page.open(tmp_path / "r.html")
    assert (
        "3 cases that need another one, of 3: golden across, this run up."
        in page.one(".scatter p").text
    )
    drawn = page.script(
        "return [...document.querySelectorAll('.scatter circle')].map(at => [at.getAttribute('class'), at.textContent])"
    )
    assert [kind for kind, _ in drawn] == ["better", "better", "worse"] and drawn[0][
        1
    ].endswith("900 ns → 500 ns")


def test_search_covers_what_a_case_says(page: browser.Page, written: Path) -> None:
    page.open(written)
    for text in (
        "regression",
        "bytes_accessed",
        "aten.rsqrt",
        "gone guards",
        "WIN scheduler_nodes",
    ):
        page.press("/", text)
        assert page.texts(".cases .badge") == ["changed ◆"], text
        page.press(Keys.ESCAPE)
    page.press("/", "broke")
    assert page.texts(".cases .badge") == ["error"]
    page.press(Keys.ENTER)
    page.heading("cases/test_loss.py::test_fails")


def test_a_selected_group_is_visible_and_can_be_cleared(
    page: browser.Page, tmp_path: Path
) -> None:
    cases = [
        CaseReport(
            f"cases/test_m.py::test_{n}_{m}[t]",
            "t",
            "changed",
            (),
            FirstDivergence(f"way {n} {'long ' * 60}", "ink"),
        )
        for n in range(40)
        for m in range(3)
    ]
    reporters.write(
        Report("many", Side("a"), Side("b"), tuple(cases), grouped(cases)),
        tmp_path / "r.html",
    )
    page.open(tmp_path / "r.html")
    bar = "document.querySelector('.filters').getBoundingClientRect()"
    seen = f"const at = {bar}; return at.top >= 0 && at.bottom <= innerHeight"
    assert page.count("#way[hidden]") == page.count("#clear[hidden]") == 1
    page.button(".fold", "23 more distinct changes").click()
    assert page.script("return document.documentElement.scrollWidth <= innerWidth")
    page.button(".group", "way 27").click()
    assert (
        page.script(seen)
        and page.one("#count").text == "3 of 120 cases"
        and "way 27" in page.one("#way").text
    )
    assert [text.split("::")[1] for text in page.texts(".cases tbody th")] == [
        "test_27_0",
        "test_27_1",
        "test_27_2",
    ]
    page.one(".cases .badge").click()
    page.heading("cases/test_m.py::test_27_0")
    page.press(Keys.ESCAPE)
    page.heading("many")
    # The list of groups is as it was, and the selected one is still named next to the cases.
    assert (
        page.script(seen)
        and len(page.all(".group")) == 40
        and len(page.all(".group[aria-pressed=true]")) == 1
    )
    page.one("#way").click()
    assert len(page.all(".cases .badge")) == 120 and not page.count(
        ".group[aria-pressed=true]"
    )
    page.script("scrollTo(0, 0)")
    page.button(".group", "way 3").click()
    page.button(".outcomes button", "changed").click()
    page.press(Keys.ESCAPE)
    assert len(page.all(".cases .badge")) == 120 and not page.count(
        "[aria-pressed=true]"
    )
    page.script("scrollTo(0, 0)")
    page.button(".group", "way 39").click()
    page.one("#clear").click()
    assert page.one("#count").text == "120 cases"


def test_changes_are_left_out_by_what_they_are_about(
    page: browser.Page, tmp_path: Path
) -> None:
    cases = [
        CaseReport(
            f"m.py::{text}[t]",
            "t",
            "changed",
            changes=(ReportedChange("guards", text, text, topic),),
        )
        for text, topic in (
            ("two kernels", "fusion"),
            ("a guard", "guards"),
            ("another guard", "guards"),
        )
    ]
    reporters.write(
        Report("topics", Side("a"), Side("b"), tuple(cases), grouped(cases)),
        tmp_path / "r.html",
    )
    page.open(tmp_path / "r.html")
    assert (
        page.texts(".topics button") == ["fusion", "guards"]
        and len(page.all(".group")) == 3
    )
    page.button(".topics button", "guards").click()
    assert page.texts(".group .what strong") == ["two kernels"]
    page.button(".topics button", "guards").click()
    assert len(page.all(".group")) == 3


def test_print_is_light_and_cards_and_columns_keep_their_width(
    page: browser.Page, written: Path
) -> None:
    page.open(written, at="#case=2")
    page.press("t")
    colour = "return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    on_screen = page.script(colour)
    page.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    printed = page.script(colour)
    assert (
        page.script("return getComputedStyle(document.querySelector('header')).display")
        == "none"
    )
    page.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    page.press("t")
    assert page.script(colour) == printed != on_screen
    for width in (1280, 700, 400):
        page.open(written, width=width, at="#case=2")
        widths = [round(element.size["width"]) for element in page.all(".card")]
        assert (
            len(widths) == 2
            and len(set(widths)) == 1
            and (width == 400 or widths[0] < width / 2)
        )
    page.open(written, at="#case=2")
    assert [card.text.splitlines()[1] for card in page.all(".card")] == [
        "1.0 MiB → 3.0 MiB (+200 %)",
        "3 → 2",
    ]
    heights = [
        element.size["height"]
        for element in page.all(".ledger td:nth-child(2) > .code")
    ]
    assert heights and max(heights) < 24


def test_commands_are_copied(page: browser.Page, written: Path) -> None:
    page.open(written, at="#case=2")
    page.chrome.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite"]}
    )
    page.all(".copy")[1].click()
    assert page.button(".copy", "copied")
    read = "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))"
    assert page.chrome.execute_async_script(read) == a_case().accept


def test_nothing_in_a_report_is_markup(page: browser.Page, tmp_path: Path) -> None:
    hostile = a_case(
        f"cases/test_h.py::{HOSTILE}[cuda-sm90]", kernel=f"tmp0 = '{HOSTILE}'"
    )
    report = replace(a_report(hostile), title=HOSTILE, notes=(HOSTILE,))
    reporters.write(report, tmp_path / "r.html")
    page.open(tmp_path / "r.html")
    assert page.one("h1").text == HOSTILE and page.one(".facts").text.endswith(HOSTILE)
    page.open(tmp_path / "r.html", at="#case=4")
    page.button(".strip button", "triton_code").click()
    assert page.one(".cell.added code").text == f"    tmp0 = '{HOSTILE}'"
    page.open(tmp_path / "r.html", at="#case=3")
    assert page.one("pre.error").text == ERROR
    assert (
        page.script("return document.title")
        == "cases/test_loss.py::test_fails[cuda-sm90]"
    )
    assert page.all("img") == [] and len(page.all("script:not([type])")) == 1
    # Even a script that got in would not run.
    page.script(
        "const made = document.createElement('script'); made.textContent = 'window.ran = 1'; document.body.append(made)"
    )
    assert page.script("return window.ran") is None
    assert any("Content Security Policy" in error for error in page.errors())


@pytest.mark.parametrize("width", [400, 1280])
def test_no_page_is_wider_than_its_window(
    page: browser.Page, written: Path, width: int
) -> None:
    wide = "return document.documentElement.scrollWidth"
    page.open(written, width=width)
    assert page.script(wide) <= width
    # In a narrow one, a test's name and what diverges first have all of it beside a scroll bar.
    room = page.script("return document.documentElement.clientWidth")
    for column in (".cases tbody th", ".cases td.firsts"):
        part = (
            page.script(
                f"return document.querySelector('{column}').getBoundingClientRect().width"
            )
            / room
        )
        assert part > 0.9 if width == 400 else part < 0.5
    page.open(written, width=width, at="#case=3")
    assert page.script(wide) <= width
    page.open(written, width=width, at="#case=2")
    for button in page.all(".strip button"):
        button.click()
        assert page.script(wide) <= width
    # In a narrow window, the sides of a diff are stacked.
    page.button(".strip button", "triton_code").click()
    page.button(".strip button", "post_grad_graph").click()
    assert bool(page.all(".diff.split")) == (width == 1280)


def test_the_page_and_python_agree_on_lines_and_odd_characters_are_written_out(
    page: browser.Page, tmp_path: Path
) -> None:
    # Characters that Python's splitlines splits at, that reverse the text direction, and that control a terminal.
    odd = "tmp0 = 'a\x0cb\u2028c\rd\x85e\u202e\x1b[31m'"
    filler = "".join(f"    tmp{n} = {n}\n" for n in range(1, 9))
    texts = [
        f"def triton_poi_fused_0(x):\n    {odd}\n{filler}    out = {last}\n"
        for last in ("tmp0", "tmp1")
    ]
    nodeid = f"cases/test_h.py::test_{odd}[cuda-sm90]"
    case = case_report(
        nodeid,
        "cuda-sm90",
        [compared("triton_code", *texts)],
        reproduce=f"pytest {odd}",
        accept="pytest \u202e",
    )
    report = Report(
        odd, Side("goldens"), Side("run"), (case,), grouped([case]), notes=(odd,)
    )
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
    # The copied command is still the one that runs.
    page.chrome.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite"]}
    )
    page.all(".copy")[1].click()
    assert page.button(".copy", "copied")
    read = "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))"
    assert page.chrome.execute_async_script(read) == "pytest \u202e"
