"""Overlays say in their header what they change, and those that no supported torch uses are squashed."""

from __future__ import annotations

from tests.paper import PaperProject

FOLDER = "cases/test_paper/test_page/paper-cpu/"
SOURCE = "def test_page(draw, golden):\n    assert draw(ink='{}\\n', tally='kernels = {}\\n') == golden\n"
SAYS = "# changes: line-replaced\n"


def written(paper: PaperProject) -> dict[str, str]:
    for torch, ink, kernels in (
        ("2.12.0", "black", 3),
        ("2.13.0", "blue", 2),
        ("2.14.0", "red", 2),
    ):
        paper.test(SOURCE.format(ink, kernels))
        paper.update(torch=torch)
    return own(paper)


def own(paper: PaperProject) -> dict[str, str]:
    return {
        name.removeprefix(FOLDER): text
        for name, text in paper.files().items()
        if name.startswith(FOLDER)
    }


def test_an_overlay_says_what_it_changes(paper: PaperProject) -> None:
    files = written(paper)
    assert "# changes:" not in files["ink.py"]
    assert SAYS in files["ink@torch-2.13.py"] and SAYS in files["ink@torch-2.14.py"]
    assert "# changes: metric-changed\n" in files["tally@torch-2.13.toml"]
    paper.run(torch="2.13.0").stdout.fnmatch_lines(["2 cases: 0 unchanged, 2 changed*"])
    paper.run(torch="2.14.0").stdout.fnmatch_lines(["2 cases: 2 unchanged, 0 changed."])


def test_a_header_follows_the_golden_below(paper: PaperProject) -> None:
    written(paper)
    paper.test(SOURCE.format("red\\nred", 2))
    paper.update(torch="2.13.0")
    assert "# changes: line-removed\n" in own(paper)["ink@torch-2.14.py"]


def test_overlays_are_listed_and_squashed(paper: PaperProject) -> None:
    before = written(paper)
    overlays = paper.command("overlays")
    assert "torch 2.13: 4 overlays" in overlays.outlines
    overlays.stdout.fnmatch_lines(
        ["     2  line-replaced * *", "     2  metric-changed * *"]
    )
    assert paper.command("overlays", "--squash=2.12").outlines == [
        "no overlay is older than torch 2.12."
    ]
    assert own(paper) == before
    assert paper.command("overlays", "--squash=2.13").ret == 0
    files = own(paper)
    assert sorted(files) == ["ink.py", "ink@torch-2.14.py", "tally.toml"]
    assert (
        "blue" in files["ink.py"]
        and "torch: 2.13.0" in files["ink.py"]
        and "# changes:" not in files["ink.py"]
    )
    assert (
        files["ink@torch-2.14.py"] == before["ink@torch-2.14.py"]
        and "kernels = 2" in files["tally.toml"]
    )
    paper.test(SOURCE.format("blue", 2))
    paper.run(torch="2.13.1").stdout.fnmatch_lines(["2 cases: 2 unchanged, 0 changed."])
