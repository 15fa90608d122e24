"""Targets with a base: which goldens apply to them, what accepting writes, and what else respects that."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats import Format
from pytest_compile_golden.goldens.golden_paths import NO_BASES, Bases, GoldenPath
from pytest_compile_golden.goldens.golden_paths import parse_bases as parse
from pytest_compile_golden.goldens.golden_store import ABSENT, Store, StoredGolden
from pytest_compile_golden.stages import Stage
from tests.paper import CONFTEST, INI, PaperProject

STAGE = Stage("ink", "ink", Format(), "py")
OLD = GoldenPath(PurePosixPath("m/test_x/old"), "ink", "py")
NEW = replace(OLD, folder=PurePosixPath("m/test_x/new"))
BASES = Bases({"new": "old"})
VERSIONS = ("2.12.1", "2.13.0", "2.14.1", "2.15.0")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "goldens", BASES)


def accept(store: Store, golden_path: GoldenPath, body: str, torch: str) -> list[str]:
    done = store.accept(golden_path, STAGE, body, torch, None)
    return [
        f"{written.action} {written.path.parent.name}/{written.path.name}"
        for written in done
    ]


def goldens(store: Store, golden_path: GoldenPath) -> list[StoredGolden | None]:
    """What a run on each of VERSIONS finds."""
    return [store.find(golden_path, STAGE, torch) for torch in VERSIONS]


def found(store: Store, golden_path: GoldenPath) -> list[str | None]:
    return [
        None if golden is None else golden.body
        for golden in goldens(store, golden_path)
    ]


def on_disk(store: Store) -> list[str]:
    return sorted(
        path.relative_to(store.root / "m/test_x").as_posix()
        for path in store.root.rglob("*.py")
    )


def test_what_matches_the_base_is_not_written_and_follows_it(store: Store) -> None:
    accept(store, OLD, "a\n", "2.12.1")
    assert accept(store, NEW, "a\n", "2.12.1") == []
    assert accept(store, NEW, "a\n", "2.15.0") == []
    accept(store, OLD, "b\n", "2.14.1")
    assert found(store, NEW) == ["a\n", "a\n", "b\n", "b\n"]
    assert on_disk(store) == ["old/ink.py", "old/ink@torch-2.14.py"]


def test_a_difference_since_a_version_leaves_older_ones_to_the_base(
    store: Store,
) -> None:
    accept(store, OLD, "a\n", "2.12.1")
    assert accept(store, NEW, "n\n", "2.13.0") == ["new new/ink@torch-2.13.py"]
    assert found(store, NEW) == ["a\n", "n\n", "n\n", "n\n"]
    assert found(store, OLD) == ["a\n"] * 4
    used = store.find(NEW, STAGE, "2.14.1")
    assert used is not None
    assert [*store.earlier(NEW, STAGE, used)] == [("2.12.1", "a\n")]


def test_a_golden_of_the_base_that_a_newer_torch_wrote_held_before_the_targets_own(
    store: Store,
) -> None:
    accept(store, OLD, "a\n", "2.14.1")
    accept(store, NEW, "n\n", "2.13.0")
    used = store.find(NEW, STAGE, "2.13.0")
    assert used is not None
    assert [*store.earlier(NEW, STAGE, used)] == [("versions before 2.13", "a\n")]


def test_what_was_accepted_for_the_target_holds_whatever_happens_to_its_base(
    store: Store,
) -> None:
    """Otherwise a run on 2.15 would pass if the target lost what makes it different, which nobody accepted."""
    accept(store, OLD, "a\n", "2.12.1")
    accept(store, NEW, "n\n", "2.13.0")
    accept(store, OLD, "b\n", "2.15.0")
    assert found(store, NEW) == ["a\n", "n\n", "n\n", "n\n"]
    # If it then turns out to match the base, that has to be recorded: it overlays its own golden of 2.13.
    assert accept(store, NEW, "b\n", "2.15.0") == ["new new/ink@torch-2.15.py"]
    assert found(store, NEW) == ["a\n", "n\n", "n\n", "b\n"]


def test_accepting_on_an_old_version_keeps_what_the_base_says_about_newer_ones(
    store: Store,
) -> None:
    accept(store, OLD, "a\n", "2.12.1")
    accept(store, OLD, "b\n", "2.14.1")
    assert accept(store, NEW, "n\n", "2.12.1") == [
        "new new/ink@torch-2.14.py",
        "new new/ink@torch-2.12.py",
    ]
    assert found(store, NEW) == ["n\n", "n\n", "b\n", "b\n"]
    # The base changes there again: the copy is the target's own, and needs a run on the target.
    accept(store, OLD, "c\n", "2.14.1")
    assert found(store, NEW) == ["n\n", "n\n", "b\n", "b\n"]
    assert accept(store, NEW, "c\n", "2.14.1") == ["updated new/ink@torch-2.14.py"]
    # Back to what the base does: the target has nothing of its own left.
    assert accept(store, NEW, "a\n", "2.12.1") == [
        "updated new/ink@torch-2.12.py",
        "removed new/ink@torch-2.12.py",
        "removed new/ink@torch-2.14.py",
    ]
    assert found(store, NEW) == found(store, OLD) == ["a\n", "a\n", "c\n", "c\n"]


def test_a_base_recorded_by_a_newer_torch_is_kept_for_that_version(
    store: Store,
) -> None:
    accept(store, OLD, "a\n", "2.14.1")
    assert accept(store, NEW, "n\n", "2.12.1") == [
        "new new/ink@torch-2.14.py",
        "new new/ink@torch-2.12.py",
    ]
    assert found(store, NEW) == ["n\n", "n\n", "a\n", "a\n"]


def test_versions_older_than_the_one_that_recorded_the_base_keep_it(
    store: Store,
) -> None:
    """If 2.12 matches 2.13, nothing is written: a golden of 2.13 may be that of 2.12, too."""
    accept(store, OLD, "a\n", "2.13.0")
    assert accept(store, NEW, "n\n", "2.13.0") == ["new new/ink@torch-2.13.py"]
    assert found(store, NEW) == ["a\n", "n\n", "n\n", "n\n"]


@pytest.mark.parametrize("order", [(OLD, NEW), (NEW, OLD)])
def test_an_update_of_both_leaves_the_same_files_in_either_order(
    store: Store, order: tuple[GoldenPath, ...]
) -> None:
    """xdist runs cases in any order."""
    for golden_path in order:
        accept(store, golden_path, "a\n", "2.12.1")
    for golden_path in order:
        accept(store, golden_path, "b\n", "2.15.0")
    assert on_disk(store) == ["old/ink.py", "old/ink@torch-2.15.py"]


def test_a_stage_that_only_one_of_the_two_has(store: Store) -> None:
    accept(store, OLD, "a\n", "2.12.1")
    assert accept(store, NEW, ABSENT, "2.13.0") == ["new new/ink@torch-2.13.py"]
    assert found(store, NEW) == ["a\n", ABSENT, ABSENT, ABSENT]
    other, same = (replace(golden_path, stem="press") for golden_path in (NEW, OLD))
    stage = Stage("press", "press", Format(), "py")
    store.accept(other, stage, "p\n", "2.13.0", None)
    assert store.find(same, stage, "2.15.0") is None


def test_bases_of_bases(tmp_path: Path) -> None:
    store = Store(tmp_path, Bases({"new": "old", "newest": "new"}))
    newest = replace(NEW, folder=PurePosixPath("m/test_x/newest"))
    accept(store, OLD, "a\n", "2.12.1")
    accept(store, newest, "b\n", "2.13.0")
    assert accept(store, NEW, "b\n", "2.13.0") == [
        "new new/ink@torch-2.13.py",
        "removed newest/ink@torch-2.13.py",
    ]
    assert found(store, newest) == ["a\n", "b\n", "b\n", "b\n"]
    assert accept(store, newest, "c\n", "2.15.0") == ["new newest/ink@torch-2.15.py"]
    assert found(store, newest) == ["a\n", "b\n", "b\n", "c\n"]


def test_a_damaged_golden_of_the_base_is_not_written_for_another_target(
    store: Store,
) -> None:
    accept(store, OLD, "a\n", "2.12.1")
    path = store.root / OLD.versionless
    path.write_bytes(path.read_bytes() + b"\xff")
    before = path.read_bytes()
    with pytest.raises(GoldenError, match=r"old/ink\.py is damaged"):
        accept(store, NEW, "n\n", "2.12.1")
    assert path.read_bytes() == before and on_disk(store) == ["old/ink.py"]


ACCEPTED = st.tuples(
    st.sampled_from([OLD, NEW]),
    st.sampled_from(["a\n", "b\n", "c\n"]),
    st.sampled_from(VERSIONS),
)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(ACCEPTED, max_size=8))
def test_every_version_keeps_what_it_had(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[GoldenPath, str, str]]
) -> None:
    """Except for the one that is accepted, and newer ones that had nothing newer."""
    store = Store(tmp_path_factory.mktemp("bases"), BASES)
    for golden_path, body, torch in steps:
        old, new = found(store, OLD), found(store, NEW)
        followed = [
            None if golden is None else golden.path.parent == OLD.folder
            for golden in goldens(store, NEW)
        ]
        accept(store, golden_path, body, torch)
        assert found(store, golden_path)[VERSIONS.index(torch)] == body
        if golden_path == NEW:
            assert found(store, OLD) == old
            below = slice(VERSIONS.index(torch))
            assert not any(followed[below]) or found(store, NEW)[below] == new[below]
        else:
            for number, follows in enumerate(followed):
                expected = (
                    found(store, OLD)[number]
                    if follows in (True, None)
                    else new[number]
                )
                assert found(store, NEW)[number] == expected


def test_declarations_are_checked() -> None:
    assert parse(["new: old", " newest :new "]) == Bases(
        {"new": "old", "newest": "new"}
    )
    for lines, message in (
        (["new"], "not of the form `target: base`"),
        (["new: old", "new: older"], "gives new two bases, old and older"),
        (["a: b", "b: c", "c: a"], "a -> b -> c -> a is circular"),
        (["a: a"], "a -> a is circular"),
    ):
        with pytest.raises(GoldenError, match=message):
            parse(lines)
    folder = PurePosixPath("m/test_x/new")
    assert BASES.below(folder) == (OLD.folder,) and BASES.above(OLD.folder) == (folder,)
    assert NO_BASES.below(folder) == NO_BASES.above(folder) == ()


CASE = """
import os
def test_it(draw, golden, compile_target):
    new, torch = compile_target == "paper-new", os.environ["PAPER_TORCH"]
    ink = "".join(f"{os.environ.get('WORD', 'line')} {n}\\n" for n in range(20))
    ink += "later\\n" * (torch >= "2.15") + "new\\n" * (new and torch >= "2.14")
    press = "b" + "  # looks" * (new and "LOOKS" in os.environ) + "\\n"
    kernels = 2 if new and "MORE" in os.environ else 1
    assert draw(ink=ink, press=press, tally=f"kernels = {kernels}\\n") == golden
"""
FOLDER = "cases/test_paper/test_it"


@pytest.fixture
def two(paper: PaperProject) -> PaperProject:
    """A project with a target that has another as its base."""
    ini = INI.replace("paper-gpu, paper-cpu", "paper-gpu, paper-new")
    paper.pytester.makeini(
        ini + "compile_golden_target_base =\n    paper-new: paper-gpu\n"
    )
    paper.pytester.makeconftest(
        CONFTEST + '\nregister_target(Paper("paper-new", "cuda"))\n'
    )
    paper.test(CASE)
    return paper


@pytest.fixture
def recorded(two: PaperProject) -> PaperProject:
    """With goldens: from 2.14 on the targets differ, from 2.15 on both have changed."""
    for torch in ("2.13.0", "2.14.0", "2.15.0"):
        two.update(torch=torch).assert_outcomes(passed=2)
    return two


OWN = {f"{FOLDER}/paper-new/ink@torch-{release}.py" for release in ("2.14", "2.15")}
OF_BASE = {
    f"{FOLDER}/paper-gpu/{name}"
    for name in ("ink.py", "ink@torch-2.15.py", "press.txt", "tally.toml")
}


def test_only_what_differs_is_recorded_and_every_version_passes(
    recorded: PaperProject,
) -> None:
    files = recorded.files()
    assert {*files} == OWN | OF_BASE
    for torch in ("2.13.0", "2.14.0", "2.15.0", "2.16.0.dev20261101"):
        # A text that only looks different from another target's is not a difference, and nothing to update.
        result = recorded.run(torch=torch, LOOKS="1")
        result.assert_outcomes(passed=2)
        result.stdout.fnmatch_lines(["2 cases: 2 unchanged, 0 changed.*"])
    assert recorded.files() == files
    changed = recorded.run(MORE="1")
    changed.assert_outcomes(passed=1, failed=1)
    changed.stdout.fnmatch_lines(["*kernels*1 -> 2*REGRESSION*"])


@pytest.mark.parametrize(
    ("target", "kept"), [("paper-new", OWN | OF_BASE), ("paper-gpu", OF_BASE)]
)
def test_goldens_are_unused_where_no_case_uses_them(
    recorded: PaperProject, target: str, kept: set[str]
) -> None:
    recorded.test(
        f"import pytest\npytestmark = pytest.mark.compile_golden(target={target!r})\n{CASE}"
    )
    recorded.update(torch="2.15.0").assert_outcomes(passed=1)
    assert {*recorded.files()} == kept


def test_pending_changes_of_both_are_accepted_together(recorded: PaperProject) -> None:
    recorded.run(
        "--compile-golden-pending=pending", torch="2.13.0", WORD="row"
    ).assert_outcomes(failed=2)
    pending = json.loads(
        (recorded.path / "pending" / FOLDER / "paper-new/case.json").read_text()
    )
    assert [artifact["golden"] for artifact in pending["artifacts"]] == [
        f"{FOLDER}/paper-gpu/ink.py"
    ]
    done = recorded.command("accept", "--pending=pending")
    assert done.ret == 0
    # Whichever of the two came first.
    assert {*recorded.files()} == OWN | OF_BASE
    recorded.run(torch="2.13.0", WORD="row").assert_outcomes(passed=2)


def test_a_pending_golden_must_be_of_the_same_case(recorded: PaperProject) -> None:
    recorded.run("--compile-golden-pending=pending", torch="2.13.0", WORD="row")
    manifest = recorded.path / "pending" / FOLDER / "paper-new/case.json"
    text = manifest.read_text()
    for wrong in (
        f"{FOLDER}/../paper-gpu/ink.py",
        "cases/test_paper/test_other/paper-gpu/ink.py",
        f"{FOLDER}/paper-gpu/press.txt",
    ):
        manifest.write_text(text.replace(f"{FOLDER}/paper-gpu/ink.py", wrong))
        assert (
            "is not a golden of"
            in recorded.command("accept", "--pending=pending").stdout.str()
        )


def test_versions_are_compared_with_what_applies_to_each(
    recorded: PaperProject,
) -> None:
    def outcomes(old: str, new: str) -> dict[str, str]:
        result = recorded.command("diff", old, new, "--format=json")
        return {
            case["nodeid"].rpartition("[")[2]: case["outcome"]
            for case in json.loads(result.stdout.str())["cases"]
        }

    assert outcomes("goldens@2.13.0", "goldens@2.14.0") == {
        "paper-gpu]": "same",
        "paper-new]": "changed",
    }
    assert outcomes("goldens@2.13.0", "goldens@2.15.0") == {
        "paper-gpu]": "changed",
        "paper-new]": "changed",
    }
    # A case without goldens of its own is known only from the other side.
    for path in OWN:
        (recorded.goldens / path).unlink()
    assert outcomes("goldens@2.13.0", "goldens@2.15.0") == {"paper-gpu]": "changed"}
    recorded.run("--compile-golden-record=taken", torch="2.13.0").assert_outcomes(
        passed=2
    )
    assert outcomes("taken", "goldens@2.13.0") == {
        "paper-gpu]": "same",
        "paper-new]": "same",
    }
    assert outcomes("goldens@2.15.0", "taken") == {
        "paper-gpu]": "changed",
        "paper-new]": "changed",
    }


def test_history_shows_what_applies(recorded: PaperProject) -> None:
    lines = recorded.command("history", "test_it[paper-new]", "--stage=ink").outlines
    assert [line.partition(",")[0] for line in lines if ".py" in line] == [
        "  paper-gpu/ink.py  base",
        "  ink@torch-2.14.py  since torch 2.14",
        "  ink@torch-2.15.py  since torch 2.15",
    ]
    for path in OWN:
        (recorded.goldens / path).unlink()
    assert (
        recorded.command("history", "test_it[paper-new]").outlines[0]
        == f"goldens/{FOLDER}/paper-gpu"
    )


def test_a_renamed_case_takes_the_goldens_of_both(recorded: PaperProject) -> None:
    before = recorded.files()
    recorded.test(CASE.replace("test_it", "test_named"))
    keep = "--compile-golden-pending=pending"
    result = recorded.run(keep, torch="2.13.0")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            f"  looks moved from  {FOLDER}/paper-gpu",
            f"  looks moved from  {FOLDER}/paper-new",
        ]
    )
    done = recorded.command("accept", "--moved", "--pending=pending")
    assert done.ret == 0, done.stdout.str()
    assert recorded.files() == {
        name.replace("test_it/", "test_named/"): text for name, text in before.items()
    }


def test_a_wrong_declaration_ends_the_run(two: PaperProject) -> None:
    for line, message in (
        ("paper-new", "*is not of the form*"),
        (
            "paper-new: paper-cpu",
            "*paper-new cannot have paper-cpu as its base: they are for cuda and cpu*",
        ),
        (
            "paper-new: papergpu",
            "*there is no target 'papergpu'; did you mean 'paper-gpu'?*",
        ),
    ):
        two.pytester.makeini(INI + f"compile_golden_target_base =\n    {line}\n")
        result = two.run()
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([message])
