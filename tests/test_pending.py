"""The pending store: what a failing case leaves, what clears it, and accepting, rejecting or refusing it later."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

import pytest

from pytest_compile_golden.cli.choose_pending import Pending
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import case_files
from pytest_compile_golden.goldens.pending_store import PendingCase, PendingStore
from tests.paper import INI, PaperProject

KEEP = "--compile-golden-pending=pending"
CPU = "--compile-golden-target=paper-cpu"
CASE = """
import os
def test_one(draw, golden):
    tally = "kernels = %s\\n" % os.environ.get("N", 1)
    assert draw(ink=os.environ.get("INK", "a\\n"), press="b\\n", tally=tally) == golden
def test_two(draw, golden):
    texts = {"press": "b\\n"} if os.environ.get("PRESS", "1") == "1" else {}
    assert draw(ink=os.environ.get("INK", "a\\n"), **texts) == golden
"""
ONE = "cases/test_paper/test_one/paper-cpu"
TWO = "cases/test_paper/test_two/paper-cpu"


def pending(paper: PaperProject, folder: str = "pending") -> dict[str, str]:
    root = paper.path / folder
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*")
        if path.is_file()
    }


_template: dict[str, dict[str, bytes]] = {}


@pytest.fixture
def changed(paper: PaperProject) -> PaperProject:
    """A project with goldens, in which both cases have changed."""
    paper.test(CASE)
    if not _template:
        paper.update(CPU).assert_outcomes(passed=2, deselected=2)
        paper.run(CPU, KEEP, INK="c\n", N="2", PRESS="0").assert_outcomes(
            failed=2, deselected=2
        )
        for folder in ("goldens", "pending"):
            found = (
                path for path in (paper.path / folder).rglob("*") if path.is_file()
            )
            _template[folder] = {
                path.relative_to(paper.path).as_posix(): path.read_bytes()
                for path in found
            }
    for files in _template.values():
        for name, data in files.items():
            (paper.path / name).parent.mkdir(parents=True, exist_ok=True)
            (paper.path / name).write_bytes(data)
    return paper


def test_failing_case_leaves_changed_new_and_missing_artifacts(
    changed: PaperProject,
) -> None:
    left = pending(changed)
    assert sorted(left) == [
        f"{ONE}/case.json",
        f"{ONE}/ink.py",
        f"{ONE}/tally.toml",
        f"{TWO}/case.json",
        f"{TWO}/ink.py",
    ]
    assert left[f"{ONE}/ink.py"] == "c\n"
    case = json.loads(left[f"{TWO}/case.json"])
    assert {
        key: case[key]
        for key in (
            "case",
            "nodeid",
            "target",
            "torch",
            "triton",
            "normaliser",
            "goldens",
        )
    } == {
        "case": TWO,
        "nodeid": "cases/test_paper.py::test_two[paper-cpu]",
        "target": "paper-cpu",
        "torch": "2.13.0+cpu",
        "triton": "3.7.1",
        "normaliser": 1,
        "goldens": "goldens",
    }
    assert [
        (artifact["stage"], artifact["kind"], artifact["golden"])
        for artifact in case["artifacts"]
    ] == [
        ("ink", "structural", f"{TWO}/ink.py"),
        ("press", "absent", f"{TWO}/press.txt"),
    ]


def test_summary_says_how_many_distinct_changes_and_what_to_do(
    changed: PaperProject,
) -> None:
    # The same ink in both, and a press that is gone; their consequences are not counted again.
    result = changed.run(CPU, KEEP, INK="c\n", N="2", PRESS="0")
    summary = "2 cases: 0 unchanged, 2 changed (2 distinct changes), 1 regression (kernels +1)."
    result.stdout.fnmatch_lines([f"{summary} compile-golden review --pending pending"])


def test_by_default_the_store_is_in_pytests_cache_and_the_command_finds_it(
    paper: PaperProject,
) -> None:
    paper.pytester.makeini(INI.replace("-p no:cacheprovider", ""))
    paper.test(CASE)
    paper.run(CPU).assert_outcomes(failed=2, deselected=2)
    assert f"{ONE}/ink.py" in pending(paper, ".pytest_cache/d/compile-golden")
    result = paper.command("accept")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["accepted 5 artifacts (goldens: 5 new)."])
    paper.run(CPU).assert_outcomes(passed=2, deselected=2)


def test_passing_case_clears_only_its_own_artifacts(changed: PaperProject) -> None:
    changed.run(CPU, KEEP, "-k", "two").assert_outcomes(passed=1, deselected=3)
    assert sorted(pending(changed)) == [
        f"{ONE}/case.json",
        f"{ONE}/ink.py",
        f"{ONE}/tally.toml",
    ]
    # A stage that matches its golden again leaves nothing behind.
    changed.run(CPU, KEEP, "-n2", INK="c\n").assert_outcomes(failed=2)
    assert sorted(pending(changed)) == [
        f"{ONE}/case.json",
        f"{ONE}/ink.py",
        f"{TWO}/case.json",
        f"{TWO}/ink.py",
    ]
    changed.update(CPU, KEEP, INK="c\n")
    assert pending(changed) == {}


def test_accept_writes_what_an_update_would_have_written(changed: PaperProject) -> None:
    result = changed.command("accept", "--pending=pending", "--reason", "fewer passes")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            f"removed  goldens/{TWO}/press.txt",
            f"updated  goldens/{ONE}/ink.py",
            f"updated  goldens/{ONE}/tally.toml",
            "accepted 4 artifacts (goldens: *",
        ]
    )
    assert pending(changed) == {}
    assert (
        "kernels = 2  # was 1: fewer passes\n" in changed.files()[f"{ONE}/tally.toml"]
    )
    changed.run(CPU, INK="c\n", N="2", PRESS="0").assert_outcomes(
        passed=2, deselected=2
    )
    assert changed.command("accept", "--pending=pending").ret == 1


def test_accept_writes_overlays_for_the_recorded_torch_without_torch(
    paper: PaperProject,
) -> None:
    paper.test(CASE)
    paper.update(CPU)
    paper.run(CPU, KEEP, torch="2.15.0+cu130", INK="c\n")
    # As on another machine, without the tests, torch and the run's cache.
    shutil.rmtree(paper.path / "cases")
    (paper.path / "torch.py").write_text("raise ImportError('no torch here')")
    assert paper.command("accept", "--pending=pending", "--goldens=goldens").ret == 0
    inks = [name for name in paper.files() if "ink" in name]
    assert inks == [
        f"{ONE}/ink.py",
        f"{ONE}/ink@torch-2.15.py",
        f"{TWO}/ink.py",
        f"{TWO}/ink@torch-2.15.py",
    ]
    assert "torch: 2.15.0, triton: 3.7.1" in paper.files()[f"{ONE}/ink@torch-2.15.py"]


@pytest.mark.parametrize(
    ("verdict", "arguments", "left"),
    [
        ("accept", ["--case=*test_two*"], ["ink.py", "tally.toml"]),
        (
            "reject",
            ["--case=cases/test_paper.py::test_two[paper-cpu]"],
            ["ink.py", "tally.toml"],
        ),
        ("accept", ["--stage=ink"], ["tally.toml", ""]),
        ("reject", ["--kind=metric"], ["ink.py", "ink.py", ""]),
        ("reject", ["--group=1"], ["ink.py", "tally.toml"]),
        ("accept", ["--group=2"], ["ink.py", ""]),
        ("accept", ["--group=1", "--group=2"], []),
    ],
)
def test_filters(
    changed: PaperProject, verdict: str, arguments: list[str], left: list[str]
) -> None:
    before = changed.files()
    changed.command(verdict, "--pending=pending", *arguments)
    rest = [
        f"{artifact['stem']}.{artifact['extension']}" if artifact["text_sha256"] else ""
        for name, text in sorted(pending(changed).items())
        if name.endswith("case.json")
        for artifact in json.loads(text)["artifacts"]
    ]
    assert rest == left
    assert (changed.files() == before) == (verdict == "reject")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["accept", "--stage=inc"], "there is no stage 'inc'; did you mean 'ink'*"),
        (
            ["accept", "--stage=press", "--case=test_one"],
            "nothing pending matches --case test_one --stage press.",
        ),
        (
            ["reject", "--case=test_tow"],
            "no case with pending changes matches 'test_tow'; did you mean 'test_two'*",
        ),
        (
            ["show", "--kind=new"],
            "there is no pending artifact of kind 'new'. Available: structural, metric.",
        ),
        (
            ["show", "--stage=guards"],
            "there is no pending artifact of stage 'guards'. Available: ink, tally, press.",
        ),
        (
            ["accept", "--group=1", "--group=99"],
            "there is no change 99; `compile-golden show --pending pending` shows 2.",
        ),
    ],
)
def test_filters_that_match_nothing_are_errors(
    changed: PaperProject, arguments: list[str], message: str
) -> None:
    before = changed.files(), pending(changed)
    result = changed.command(*arguments, "--pending=pending")
    assert result.ret == 2
    result.stderr.fnmatch_lines([f"Error: {message}"])
    assert (changed.files(), pending(changed)) == before


@pytest.mark.parametrize(
    "arguments",
    [["accept"], ["accept", "--moved"], ["reject"], ["show"]],
    ids=["accept", "moved", "reject", "show"],
)
def test_a_filter_is_an_error_if_nothing_is_pending(
    paper: PaperProject, arguments: list[str]
) -> None:
    assert paper.command(*arguments).ret == (0 if arguments == ["show"] else 1)
    result = paper.command(*arguments, "--case=nosuch")
    assert result.ret == 2
    result.stderr.fnmatch_lines(["Error: nothing is pending."])


def test_diff_shows_each_group_once(changed: PaperProject) -> None:
    result = changed.command("show", "--pending=pending")
    assert changed.command("diff", "--pending=pending").outlines == result.outlines
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "change 1 of 2: absent, press",
            "  gone: the compile has no press",
            "  in 1 case:",
            "    cases/test_paper.py::test_two[[]paper-cpu[]]",
            "change 2 of 2: structural, ink",
            "  different line: - a  + c",
            "  in 2 cases:",
            "    cases/test_paper.py::test_two[[]paper-cpu[]]",
            "    cases/test_paper.py::test_one[[]paper-cpu[]]",
            "      kernels  1 -> 2  *",
            "    - a",
            "    + c",
        ]
    )
    changed.command("reject", "--pending=pending").stdout.fnmatch_lines(
        ["rejected 4; *"]
    )
    result = changed.command("show", "--pending=pending")
    assert result.ret == 0 and result.outlines == ["nothing is pending."]


def change_golden(paper: PaperProject) -> None:
    path = paper.goldens / ONE / "ink.py"
    path.write_text(path.read_text().replace("a\n", "z\n"))


def add_overlay(paper: PaperProject) -> None:
    path = paper.goldens / ONE / "ink.py"
    path.with_name("ink@torch-2.12.py").write_text(
        path.read_text().replace("a\n", "z\n")
    )


def delete_golden(paper: PaperProject) -> None:
    (paper.goldens / ONE / "ink.py").unlink()


def change_normaliser(paper: PaperProject) -> None:
    path = paper.path / "pending" / ONE / "case.json"
    path.write_text(path.read_text().replace('"normaliser": 1', '"normaliser": 7'))


def change_folder(paper: PaperProject) -> None:
    path = paper.path / "pending" / ONE / "case.json"
    path.write_text(
        path.read_text().replace('"goldens": "goldens"', '"goldens": "/etc"')
    )


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            change_golden,
            f"refused: {ONE}/ink.py was compared with a different *the goldens have changed since. Run the case again.",
        ),
        (
            add_overlay,
            f"refused: {ONE}/ink.py was compared with a different *ink@torch-2.12.py*",
        ),
        (
            delete_golden,
            f"refused: {ONE}/ink.py was compared with {ONE}/ink.py, which is gone: *",
        ),
        (
            change_normaliser,
            f"refused: {ONE}/ink.py was written by normaliser 7, but this is 1. Run the case again.",
        ),
        (
            change_folder,
            "refused: *test_one* was compared with goldens in /etc. Pass --goldens.",
        ),
    ],
)
def test_stale_artifacts_are_refused_by_name(
    changed: PaperProject, spoil: Callable[[PaperProject], None], message: str
) -> None:
    spoil(changed)
    golden = changed.goldens / ONE / "ink.py"
    before = golden.read_text() if golden.exists() else None
    result = changed.command("accept", "--pending=pending")
    assert result.ret == 1
    result.stdout.fnmatch_lines([message.replace("[", "[[]")])
    assert (golden.read_text() if golden.exists() else None) == before
    # The rest was accepted; what was refused waits to be rejected.
    assert (
        "z" not in changed.files()[f"{TWO}/ink.py"]
        and "c\n" in changed.files()[f"{TWO}/ink.py"]
    )
    assert f"{ONE}/case.json" in pending(changed)
    assert changed.command("reject", "--pending=pending").ret == 0
    assert pending(changed) == {}


def test_new_artifact_is_refused_if_a_golden_was_created_in_the_meantime(
    paper: PaperProject,
) -> None:
    paper.test(CASE)
    paper.run(CPU, KEEP)
    paper.update(CPU, INK="z\n")
    result = paper.command("accept", "--pending=pending", "--stage=ink")
    result.stdout.fnmatch_lines(
        [f"refused: {ONE}/ink.py was new to that run, but {ONE}/ink.py exists now.*"]
    )
    assert "z\n" in paper.files()[f"{ONE}/ink.py"]
    # The others turned out the same, and count as accepted.
    paper.command("accept", "--pending=pending").stdout.fnmatch_lines(
        ["3 already accepted."]
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f'"case": "{ONE}"', '"case": "../../outside"'),
        (f'"case": "{ONE}"', '"case": "/etc/cases"'),
        (f'"case": "{ONE}"', f'"case": "{TWO}"'),
        ('"stem": "ink"', '"stem": "../ink"'),
        ('"stem": "ink"', '"stem": "press"'),
        ('"stage": "ink"', '"stage": "conftest"'),
        ('"extension": "py"', '"extension": "py/x"'),
        ('"kind": "structural"', '"kind": 3'),
        ('"format": 1', '"format": 2'),
        ('"torch": "2.13.0+cpu"', '"torch": "new"'),
        ('"torch": "2.13.0+cpu"', '"torch": "2.13.0\\n"'),
        ('"triton": "3.7.1"', '"triton": "3.7.1\\nimport os"'),
        ('"triton": "3.7.1"', '"triton": "3.7.1, stage: press"'),
        ('"target": "paper-cpu"', '"target": "paper\\u2028cpu"'),
        ('"goldens": "goldens"', '"goldens": "gold\\u001b[2Kens"'),
        (f'"golden": "{ONE}/ink.py"', f'"golden": "{TWO}/ink.py"'),
        (f'"golden": "{ONE}/ink.py"', f'"golden": "{ONE}/ink@torch-\\n.py"'),
        ('"artifacts": [', '"artifacts": [3, '),
        ("{", ""),
    ],
)
def test_manifest_is_not_trusted(changed: PaperProject, old: str, new: str) -> None:
    path = changed.path / "pending" / ONE / "case.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    waiting = Pending(changed.path / "pending", None)
    assert {str(entry.case.folder) for entry in waiting.entries} == {TWO}
    assert len(waiting.errors) == 1 and f"pending/{ONE}" in str(waiting.errors[0])


@pytest.mark.parametrize(
    "folder",
    [
        "cases/.git/hooks/paper-cpu",
        ".github/workflows/test_one/paper-cpu",
        "cases/test_paper/test\x1b[31m_one/paper-cpu",
        "cases/test_paper/test_\u202eeno/paper-cpu",
        "cases/test paper/test_one/paper-cpu",
        "test_one/paper-cpu",
    ],
)
def test_folder_that_no_run_would_name_is_refused(
    changed: PaperProject, folder: str
) -> None:
    store = changed.path / "pending"
    (store / folder).parent.mkdir(parents=True, exist_ok=True)
    (store / ONE).rename(store / folder)
    manifest = store / folder / "case.json"
    facts = json.loads(manifest.read_text())
    facts["case"] = folder
    for artifact in facts["artifacts"]:
        artifact["golden"] = artifact["golden"].replace(ONE, folder)
    manifest.write_text(json.dumps(facts))
    waiting = Pending(store, None)
    assert {str(entry.case.folder) for entry in waiting.entries} == {TWO}
    (error,) = waiting.errors
    assert "is not the path of a case in a goldens folder" in str(error)


@pytest.mark.parametrize(
    ("stage", "extension"),
    [
        ("setup", "py"),
        ("pyproject", "toml"),
        ("__main__", "py"),
        ("noxfile", "py"),
        ("ink", "sh"),
        ("ink", "pth"),
    ],
)
def test_file_that_a_tool_would_pick_up_is_not_a_golden(
    stage: str, extension: str
) -> None:
    with pytest.raises(ValueError, match=r"is not a (stage|file type)"):
        case_files.check_artifact(stage, stage, extension)
    case_files.check_artifact("ink", "ink.decode.2", "py")


def _rewritten(paper: PaperProject, **artifact: str) -> None:
    """Change the first artifact that test_one left, with its text, as something that wrote the store could have."""
    manifest = paper.path / "pending" / ONE / "case.json"
    facts = json.loads(manifest.read_text())
    ink = facts["artifacts"][0]
    if "text" in artifact:
        (manifest.parent / "ink.py").write_text(artifact["text"])
        artifact = {
            "text_sha256": hashlib.sha256(artifact["text"].encode()).hexdigest()
        }
    ink.update(artifact)
    manifest.write_text(json.dumps(facts))


def _unwritable(paper: PaperProject) -> None:
    """A file of another tool's where evidence is to be written."""
    _rewritten(paper, evidence='["text","of another tool"]\n')
    (paper.goldens / ONE / "evidence.jsonl").write_text("not ours\n")


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (
            lambda paper: _rewritten(paper, text="<<<<<<< a\n=======\n>>>>>>> b\n"),
            "*merge conflict*",
        ),
        (_unwritable, "*evidence.jsonl is not a golden of pytest-compile-golden*"),
        (
            lambda paper: os.mkfifo(paper.goldens / ONE / "ink@torch-2.13.py"),
            "*a pipe or a device*",
        ),
        (
            lambda paper: (paper.goldens / ONE / "ink@torch-2.13.py").mkdir(),
            "*not a file but a folder*",
        ),
        (
            lambda paper: (paper.goldens / ONE / "ink@torch-2.13.py").touch(),
            "*ink@torch-2.13.py*",
        ),
    ],
)
def test_one_case_that_cannot_be_accepted_blocks_no_other(
    changed: PaperProject, harm: Callable[[PaperProject], None], why: str
) -> None:
    harm(changed)
    result = changed.command("accept", "--pending=pending")
    assert result.ret == 1 and "Traceback" not in result.stderr.str()
    refused = [line for line in result.outlines if line.startswith("refused: ")]
    assert len(refused) == 1 and "test_one" in refused[0] and fnmatch(refused[0], why)
    # What was written is listed, exists, and can be read.
    listed = [
        line.split(maxsplit=1)
        for line in result.outlines
        if re.match("(new|updated|removed)  ", line)
    ]
    assert ["updated", f"goldens/{TWO}/ink.py"] in listed
    assert all(
        (changed.path / path).is_file() == (action != "removed")
        for action, path in listed
    )
    assert {path.rpartition("/")[0] for path in pending(changed)} == {ONE}
    passed = changed.run(CPU, "-k", "test_two", INK="c\n", PRESS="0")
    passed.assert_outcomes(passed=1, deselected=3)


def test_an_input_that_no_golden_can_name_is_said_on_reading(
    changed: PaperProject,
) -> None:
    """A golden's header separates inputs with commas. A run writes none; a store may come from elsewhere."""
    manifest = changed.path / "pending" / ONE / "case.json"
    manifest.write_text(
        json.dumps(json.loads(manifest.read_text()) | {"known": ["a, b"]})
    )
    result = changed.command("accept", "--pending=pending")
    result.stdout.fnmatch_lines(
        [
            f"refused: *{ONE}/case.json is damaged ('a, b' cannot be written *reject it.",
            "*",
        ]
    )
    assert {path.rpartition("/")[0] for path in pending(changed)} == {ONE}
    with pytest.raises(GoldenError, match="could not be read back"):
        case = PendingCase(folder=PurePosixPath(ONE), nodeid="n", target="t", goldens="g", torch="2.13.0", triton=None,
                           normaliser=1, known=("a, b",), artifacts=())  # fmt: skip
        PendingStore(changed.path / "pending").keep(case)
    assert json.loads(manifest.read_text())["nodeid"] != "n"


def test_damaged_case_is_refused_and_can_be_rejected(changed: PaperProject) -> None:
    (changed.path / "pending" / ONE / "ink.py").write_bytes(b"c\xff\n")
    result = changed.command("accept", "--pending=pending")
    assert result.ret == 1 and "Traceback" not in result.stderr.str()
    result.stdout.fnmatch_lines(
        [f"refused: *{ONE}/case.json is damaged (*ink.py is not the one*"]
    )
    assert "c\n" not in changed.files()[f"{ONE}/ink.py"]
    assert changed.command("reject", "--pending=pending").ret == 0
    assert pending(changed) == {}


def test_links_in_a_pending_store_are_not_followed(
    changed: PaperProject, tmp_path: Path
) -> None:
    folder = changed.path / "pending" / ONE
    shutil.move(folder, tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    changed.command("reject", "--pending=pending")
    assert (tmp_path / "elsewhere" / "case.json").exists()
    result = changed.run(CPU, KEEP, INK="c\n")
    result.assert_outcomes(failed=2, deselected=2)
    result.stdout.fnmatch_lines(
        [
            "  not pending       *is a symlink; pending are never*--compile-golden-pending."
        ]
    )


@pytest.mark.parametrize("folder", ["goldens", "goldens/pending", "."])
def test_pending_and_goldens_do_not_mix(paper: PaperProject, folder: str) -> None:
    paper.test(CASE)
    result = paper.run(f"--compile-golden-pending={folder}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*must not contain each other*"])


def test_ini_sets_the_folder_for_runs_and_commands(paper: PaperProject) -> None:
    paper.pytester.makeini(
        INI + "compile_golden_pending = left\ncompile_golden_dir = kept\n"
    )
    paper.test(CASE)
    paper.run(CPU)
    assert f"{ONE}/ink.py" in pending(paper, "left")
    assert paper.command("accept").ret == 0
    assert (paper.path / "kept" / ONE / "ink.py").exists()


def test_cosmetic_differences_are_shown_but_do_not_keep_a_case_pending(
    paper: PaperProject,
) -> None:
    paper.test(
        'def test_one(draw, golden):\n    assert draw(ink="a\\n", press="b\\n") == golden\n'
    )
    paper.update(CPU)
    paper.test(
        'def test_one(draw, golden):\n    assert draw(ink="a  # x\\n", press="c\\n") == golden\n'
    )
    paper.run(CPU, KEEP).assert_outcomes(failed=1, deselected=1)
    paper.command("show", "--pending=pending", "--kind=cosmetic").stdout.fnmatch_lines(
        ["change 2 of 2: cosmetic, ink"]
    )
    paper.command("accept", "--pending=pending", "--stage=press")
    assert pending(paper) == {}
    assert "# x" not in paper.files()[f"{ONE}/ink.py"]


@pytest.mark.parametrize("group", [[], ["env"], ["report"]], ids=["", "env", "report"])
def test_each_command_has_a_one_line_summary(
    paper: PaperProject, group: list[str]
) -> None:
    listed = paper.command(*group, "--help").stdout.str().partition("Commands:\n")[2]
    assert listed and "..." not in listed


def test_commands_start_without_torch(paper: PaperProject) -> None:
    (paper.path / "torch.py").write_text("raise SystemExit('torch was imported')")
    offline = (
        ["accept"],
        ["reject"],
        ["show"],
        ["history", "x"],
        ["review"],
        ["env", "list"],
        ["--help"],
    )
    for command in (*offline, ["diff", "x", "y"], ["matrix", "x"], ["bisect", "x"]):
        assert "torch was imported" not in str(paper.command(*command).errlines)
