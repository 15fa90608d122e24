"""To syrupy, goldens are snapshots, counted with its own; neither side touches the other's files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import filelock
import platformdirs
import pytest

from tests.paper import INI, PaperProject

BOTH = """
import os
def test_ours(draw, golden):
    assert draw(ink=os.environ.get("INK", "a\\n")) == golden
def test_theirs(snapshot):
    assert os.environ.get("THEIRS", "x") == snapshot
def test_both(draw, golden, snapshot):
    assert draw(ink=os.environ.get("INK", "a\\n")) == golden
    assert "y" == snapshot
"""


def snapshots(paper: PaperProject) -> dict[str, str]:
    return {
        path.name: path.read_text()
        for path in paper.path.rglob("__snapshots__/*")
        if path.is_file()
    }


@pytest.fixture
def mixed(paper: PaperProject) -> PaperProject:
    paper.test(BOTH)
    result = paper.update()
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["7 snapshots generated."])
    return paper


def test_both_pass_and_are_counted_together(mixed: PaperProject) -> None:
    assert len(mixed.files()) == 4 and len(snapshots(mixed)) == 1
    result = mixed.run()
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["7 snapshots passed."])
    result.stdout.fnmatch_lines(["4 cases: 4 unchanged, 0 changed."])
    assert "unused" not in result.stdout.str()


def test_their_failure_is_theirs(mixed: PaperProject) -> None:
    result = mixed.run(THEIRS="z")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*assert [[]+ received[]] == [[]- snapshot[]]",
            "1 snapshot failed. 6 snapshots passed.",
            "4 cases: 4 unchanged, 0 changed.",
        ]
    )


def test_our_failure_is_ours(mixed: PaperProject) -> None:
    result = mixed.run(INK="c\n")
    result.assert_outcomes(passed=1, failed=4)
    # test_both did not get as far as its own snapshots.
    result.stdout.fnmatch_lines(
        [
            "4 snapshots failed. 1 snapshot passed. 2 snapshots unused.",
            "4 cases: 0 unchanged, 4 changed (1 distinct change).",
        ]
    )
    assert "received" not in result.stdout.str()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--compile-golden"],
        ["--compile-golden", "--compile-golden-target=paper-cpu"],
        ["--compile-golden", "-k", "theirs"],
        [],
        ["-n2", "--compile-golden"],
    ],
)
def test_update_of_any_part_deletes_nothing(
    mixed: PaperProject, arguments: list[str]
) -> None:
    ours, theirs = mixed.files(), snapshots(mixed)
    result = mixed.plain(*arguments, "--snapshot-update")
    assert result.ret == 0
    assert mixed.files() == ours
    assert snapshots(mixed) == theirs


def test_their_unused_snapshots_are_still_found_and_deleted(
    mixed: PaperProject,
) -> None:
    mixed.test(BOTH.replace("def test_theirs(snapshot)", "def test_renamed(snapshot)"))
    mixed.run().stdout.fnmatch_lines(["*1 snapshot unused*"])
    ours = mixed.files()
    mixed.update().stdout.fnmatch_lines(["*1 unused snapshot deleted*"])
    assert "test_theirs" not in "".join(snapshots(mixed).values())
    assert mixed.files() == ours


ALL = """
import os
INK = os.environ.get("INK", "a\\n")
def test_kept(draw, golden):
    assert draw(ink=INK, press="b\\n") == golden
def test_dropped(draw, golden):
    assert draw(ink="a\\n") == golden
def test_theirs(snapshot):
    assert "x" == snapshot
"""
NEW = """
def test_new(draw, golden):
    assert draw(ink="a\\n") == golden
"""


@pytest.fixture(params=["oldest", "installed"])
def syrupy(
    request: pytest.FixtureRequest, paper: PaperProject, monkeypatch: pytest.MonkeyPatch
) -> str:
    """The version of syrupy that the project runs with: the oldest that pyproject.toml allows, or the installed one."""
    if request.param == "installed":
        return ""
    requirement = re.search(
        r'"syrupy>=([0-9.]+)"',
        (Path(__file__).parents[1] / "pyproject.toml").read_text(),
    )
    assert requirement is not None
    version = f"{requirement[1]}.0"
    folder = (
        platformdirs.user_cache_path("pytest-compile-golden")
        / "tests"
        / f"syrupy-{version}"
    )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            pip = [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                f"--target={folder}.new",
            ]
            subprocess.run([*pip, f"syrupy=={version}"], check=True)
            Path(f"{folder}.new").rename(folder)
    # The first distribution of a name on the path is the one whose plugin pytest loads.
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
    )
    return version


def test_every_option_means_the_same_for_goldens_as_for_snapshots(
    paper: PaperProject, syrupy: str
) -> None:
    paper.pytester.makeini(INI + "testpaths = cases\n")
    paper.test(ALL)
    first = paper.update("--snapshot-details")
    first.stdout.fnmatch_lines([f"plugins: *syrupy-{syrupy}*"])
    first.stdout.fnmatch_lines(["7 snapshots generated."])
    first.stdout.fnmatch_lines(
        [
            "Generated test_dropped/paper-cpu/ink.py, *test_kept/paper-gpu/press.txt (goldens/*)"
        ]
    )
    passed = paper.run("-n2")
    passed.stdout.fnmatch_lines(
        ["7 snapshots passed.", "4 cases: 4 unchanged, 0 changed."]
    )
    assert passed.ret == 0

    cosmetic = paper.run("--compile-golden-update=cosmetic", INK="a  # differs\n")
    cosmetic.stdout.fnmatch_lines(["5 snapshots passed. 2 snapshots updated."])
    assert cosmetic.ret == 0
    paper.test(ALL + NEW)
    new = paper.run("--snapshot-update-new-only", INK="c\n")
    new.stdout.fnmatch_lines(
        [
            "2 snapshots failed. 5 snapshots passed. 2 snapshots generated.",
            "6 cases: 4 passed or accepted, 2 changed*",
        ]
    )

    paper.test(
        ALL.partition("def test_dropped")[0]
        + "def test_theirs"
        + ALL.partition("def test_theirs")[2]
    )
    unused = paper.run()
    unused.stdout.fnmatch_lines(["5 snapshots passed. 4 snapshots unused."])
    assert unused.ret == 1
    deleted = paper.update("--snapshot-details", INK="c\n")
    deleted.stdout.fnmatch_lines(
        ["3 snapshots passed. 2 snapshots updated. 4 unused snapshots deleted."]
    )
    deleted.stdout.fnmatch_lines(
        [
            "Deleted test_dropped/paper-cpu/ink.py, *",
            "Updated test_kept/paper-cpu/ink.py, *",
        ]
    )
    assert sorted({name.split("/")[2] for name in paper.files()}) == ["test_kept"]


def test_a_projects_own_snapshot_fixture_works_if_it_builds_on_syrupys(
    paper: PaperProject,
) -> None:
    case = 'def test_case(draw, golden, snapshot):\n    assert draw(ink="a\\n") == golden\n    assert [1] == snapshot\n'
    paper.test(
        "import pytest\nfrom syrupy.extensions.json import JSONSnapshotExtension\n@pytest.fixture\n"
        "def snapshot(snapshot):\n    return snapshot.use_extension(JSONSnapshotExtension)\n"
        + case
    )
    paper.test(
        "import pytest\n@pytest.fixture\ndef snapshot():\n    return 3\n" + case,
        "cases/test_other.py",
    )
    result = paper.update()
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines(
        [
            "  golden builds on syrupy's `snapshot` fixture, but here that returns an object of type int. *"
        ]
    )
    assert sorted(paper.files()) == [
        f"cases/test_paper/test_case/{name}/ink.py"
        for name in ("paper-cpu", "paper-gpu")
    ]
    assert len(list(paper.path.rglob("__snapshots__/test_paper/*.json"))) == 2
