"""A site made from recordings: what its pages show, adding a recording, and folders that are not sites."""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from pytest_compile_golden.cli import main
from pytest_compile_golden.features.site.site_pages import chart
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.report import cases_in_full
from tests import browser
from tests.nights import TARGET, night, write

ATOM = "{http://www.w3.org/2005/Atom}"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("nights")
    for number in (1, 2, 3):
        write(night(number), root / f"night-{number}")
    return root


def site(nights: Path, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> Result:
    monkeypatch.chdir(nights)
    return CliRunner().invoke(main, ["site", *map(str, arguments)])


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("most", [500, 1])
def test_pages_feed_and_badge_say_what_changed_and_adding_a_recording_gives_the_same_site(
    nights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    # Of more cases, the texts are read again when they are asked for.
    monkeypatch.setattr(recording, "_MANY", most)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    title = ("--title", "A & B")
    made = site(
        nights, monkeypatch, "night-1", "night-2", "night-3", "--into", whole, *title
    )
    assert made.output.splitlines() == [
        "night-1: 4 cases",
        "night-2: 4 cases: 2 unchanged, 2 changed (1 distinct change), 2 regressions (kernels +2)",
        "night-3: 4 cases: 3 unchanged, 1 changed (1 distinct change)",
        str(whole / "index.html"),
    ]
    assert (
        site(
            nights, monkeypatch, "night-1", "night-2", "--into", parts, *title
        ).exit_code
        == 0
    )
    again = site(nights, monkeypatch, "night-2", "night-3", "--into", parts)
    assert again.output.splitlines()[0] == "night-2: already on the site"
    assert files(parts) == files(whole)

    badge = json.loads((whole / "badge.json").read_text())
    assert (badge["message"], badge["color"]) == ("1 case changed", "orange")
    assert (
        ElementTree.parse(whole / "badge.svg").getroot().get("aria-label")
        == "torch.compile: 1 case changed"
    )
    feed = ElementTree.parse(whole / "feed.xml").getroot()
    entries = list(feed.iter(f"{ATOM}entry"))
    assert feed.findtext(f"{ATOM}title") == "A & B"
    assert [
        (entry.findtext(f"{ATOM}title") or "").partition(":")[0] for entry in entries
    ] == ["night-3", "night-2"]
    links = [
        link.get("href") for entry in entries for link in entry.iter(f"{ATOM}link")
    ]
    assert links == ["reports/2.html", "reports/1.html"]
    assert len(list((whole / "cases").iterdir())) == 3


def test_a_reader_can_go_from_the_overview_to_a_change_and_to_a_case(
    nights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (
        site(
            nights,
            monkeypatch,
            "night-1",
            "night-2",
            "night-3",
            "--into",
            tmp_path / "site",
        ).exit_code
        == 0
    )
    index = tmp_path / "site/index.html"
    with browser.started() as page:
        page.open(index)
        assert page.texts("section h2") == [
            "night-3 after night-2",
            "night-2 after night-1",
            "night-1",
        ]
        assert "2 regressions (kernels +2)" in page.texts("section .headline")[1]
        # The sum over all cases: 2 + 2 + 1 + 5, and 2 more.
        assert page.texts("figcaption") == ["kernels"]
        values = "return [...document.querySelectorAll('figure .dots title')].map((each) => each.textContent)"
        assert page.script(values) == ["10", "12", "12"]
        # As wide as its place, so that its labels can be read, and whole numbers without a decimal.
        assert (
            page.script(
                "return document.querySelector('figure svg').getBoundingClientRect().width"
            )
            > 700
        )
        assert all(text.isdigit() for text in page.texts(".axis.y text"))
        assert (
            page.script(
                "return getComputedStyle(document.querySelector('.change a')).textDecorationLine"
            )
            == "none"
        )
        page.all("section:nth-of-type(2) .change a")[0].click()
        page.heading(f"cases/test_n.py::test_slower[{TARGET}-0]")
        page.open(index)
        page.button("li a", f"test_slower[{TARGET}-1]").click()
        page.heading(f"cases/test_n.py::test_slower[{TARGET}-1]")
        assert page.texts("section .down") == ["kernels 2 -> 3 REGRESSION"]
        assert page.script(values) == ["2", "3", "3"]
        page.open(index)
        page.button("li a", "test_odd").click()
        assert page.one("p.dim").text == "Its metrics are the same in every recording."
        assert page.errors() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["night-1", "--into", "night-2"], "exists but is not a site"),
        (["2.15.0", "--into", "site"], "2.15.0 is not recorded"),
        (["nothing", "--into", "site"], "nothing is neither a recorded folder"),
        (["--into", "site"], "Missing argument"),
    ],
)
def test_what_is_not_a_recording_or_a_site_is_refused(
    nights: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    result = site(nights, monkeypatch, *arguments)
    assert result.exit_code != 0 and message in " ".join(result.output.split())
    assert not (nights / "site").exists()


def test_a_case_that_no_report_tells_in_full_has_no_page_and_is_counted(
    nights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases_in_full, "MOST", 1)
    into = tmp_path / "site"
    assert (
        site(nights, monkeypatch, "night-1", "night-2", "--into", into).exit_code == 0
    )
    assert len([*(into / "cases").iterdir()]) == 1
    index = (into / "index.html").read_text()
    assert "1 other case changed in the same ways: the reports list them." in index
    # Its first divergence is still in the report, which the change links to.
    assert 'href="reports/1.html#case=' in index


def test_a_damaged_site_says_to_rebuild_it(
    nights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    into = tmp_path / "site"
    assert site(nights, monkeypatch, "night-1", "--into", into).exit_code == 0
    (into / "newest.tar.xz").write_bytes(b"PK")
    assert (
        "Build the site again"
        in site(nights, monkeypatch, "night-2", "--into", into).output
    )
    for damaged in (b"PK", lzma.compress(b"{}"), lzma.compress(b"{}")[:-9]):
        (into / "site.json.xz").write_bytes(damaged)
        assert (
            "Build the site again"
            in site(nights, monkeypatch, "night-2", "--into", into).output
        )


def test_a_site_of_an_earlier_version_is_one_and_is_to_be_rebuilt(
    nights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    into = tmp_path / "site"
    assert site(nights, monkeypatch, "night-1", "--into", into).exit_code == 0
    kept = into / "site.json.xz"
    (into / "site.json").write_bytes(lzma.decompress(kept.read_bytes()))
    kept.unlink()
    result = site(nights, monkeypatch, "night-2", "--into", into)
    said = " ".join(result.output.split())
    assert result.exit_code != 0
    assert "is a site that an earlier version made" in said
    assert "Build the site again, in an empty folder" in said


def test_without_its_library_nothing_is_begun(
    nights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    into = tmp_path / "site"
    monkeypatch.setitem(sys.modules, "pygal", None)
    result = site(nights, monkeypatch, "night-1", "night-2", "--into", into)
    assert (
        result.exit_code == 1
        and "pip install 'pytest-compile-golden[site]'" in result.output
    )
    assert not into.exists()
    monkeypatch.undo()
    assert (
        site(nights, monkeypatch, "night-1", "night-2", "--into", into).exit_code == 0
    )


def test_a_small_change_is_no_cliff_and_axis_labels_differ() -> None:
    drawn = ElementTree.fromstring(chart("kernels", ["one", "two"], [781, 785]))
    heights = [float(dot.get("cy", "")) for dot in drawn.iter(f"{SVG}circle")]
    plot = next(
        float(part.get("height", ""))
        for part in drawn.iter(f"{SVG}rect")
        if part.get("height")
    )
    assert 0 < max(heights) - min(heights) < plot / 8
    labels = [
        text.text
        for text in drawn.iter(f"{SVG}text")
        if "major" not in (text.get("class") or "")
    ]
    assert len(labels) == len(set(labels)) and {"one", "two"} <= set(labels)


def test_pages_share_one_style_sheet(
    nights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    into = tmp_path / "site"
    site(nights, monkeypatch, "night-1", "night-2", "--into", into)
    pages = [into / "index.html", *(into / "cases").glob("*.html")]
    assert len(pages) > 1 and all("<style" not in page.read_text() for page in pages)
    assert ".over-time .axis" in (into / "style.css").read_text()
    assert "What torch.compile does with" in pages[0].read_text()


def test_the_title_names_the_project_not_its_folder(
    nights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "engine"\n[tool.pytest.ini_options]\n'
    )
    monkeypatch.chdir(tmp_path)
    made = CliRunner().invoke(main, ["site", str(nights / "night-1"), "--into", "site"])
    assert made.exit_code == 0, made.output
    assert (
        "<h1>What torch.compile does with engine</h1>"
        in (tmp_path / "site/index.html").read_text()
    )
