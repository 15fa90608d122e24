"""The store: which golden applies to which torch, what accepting writes, and what it never touches."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import pytest

from pytest_compile_golden.common import files
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats import Format
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import ABSENT, Store
from pytest_compile_golden.stages import Stage, get_stage


class WithoutComments(Format):
    def canonical(self, text: str) -> list[str]:
        return [line.partition("#")[0].strip() for line in text.splitlines()]


STAGE = Stage("ink", "ink", WithoutComments(), "py")
PATH = GoldenPath(PurePosixPath("m/test_x/cpu"), "ink", "py")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "goldens")


def accept(store: Store, body: str, torch: str) -> list[str]:
    return [
        f"{done.action} {done.path.name}"
        for done in store.accept(PATH, STAGE, body, torch, "3.7.1")
    ]


def found(store: Store, torch: str) -> str | None:
    golden = store.find(PATH, STAGE, torch)
    return None if golden is None else golden.body


def on_disk(store: Store) -> list[str]:
    return sorted(path.name for path in store.root.rglob("*") if path.is_file())


def test_first_golden_is_the_base_and_applies_to_all_versions(store: Store) -> None:
    assert found(store, "2.13.0") is None
    assert accept(store, "a\n", "2.13.0+cpu") == ["new ink.py"]
    assert [
        found(store, torch)
        for torch in ("2.12.0", "2.13.0+cu130", "2.16.0.dev20260901")
    ] == ["a\n"] * 3


def test_newer_torch_writes_an_overlay_and_older_ones_keep_theirs(store: Store) -> None:
    accept(store, "a\n", "2.13.0")
    assert accept(store, "b\n", "2.15.1+cu130") == ["new ink@torch-2.15.py"]
    by_version = {
        torch: found(store, torch)
        for torch in ("2.13.1", "2.14.0", "2.15.0.dev20260101", "2.15.0", "2.16.0")
    }
    assert by_version == {
        "2.13.1": "a\n",
        "2.14.0": "a\n",
        "2.15.0.dev20260101": "a\n",
        "2.15.0": "b\n",
        "2.16.0": "b\n",
    }


def test_same_release_rewrites_what_it_wrote(store: Store) -> None:
    accept(store, "a\n", "2.13.0")
    assert accept(store, "b\n", "2.13.1") == ["updated ink.py"]
    accept(store, "c\n", "2.15.0")
    assert accept(store, "d\n", "2.15.1") == ["updated ink@torch-2.15.py"]
    assert on_disk(store) == ["ink.py", "ink@torch-2.15.py"]


def test_older_torch_makes_the_base_an_overlay(store: Store) -> None:
    accept(store, "new\n", "2.15.0")
    assert accept(store, "old\n", "2.13.0") == [
        "new ink@torch-2.15.py",
        "updated ink.py",
    ]
    assert (found(store, "2.13.0"), found(store, "2.14.0"), found(store, "2.15.0")) == (
        "old\n",
        "old\n",
        "new\n",
    )


def test_nightly_uses_the_release_before_until_accepted(store: Store) -> None:
    accept(store, "a\n", "2.15.0")
    assert found(store, "2.16.0.dev20260901+cpu") == "a\n"
    assert accept(store, "b\n", "2.16.0.dev20260901+cpu") == [
        "new ink@torch-2.16.0.dev20260901.py"
    ]
    assert accept(store, "c\n", "2.16.0.dev20260901+cpu") == [
        "updated ink@torch-2.16.0.dev20260901.py"
    ]
    assert accept(store, "d\n", "2.16.0.dev20260902") == [
        "new ink@torch-2.16.0.dev20260902.py"
    ]
    assert (
        found(store, "2.15.2"),
        found(store, "2.16.0.dev20260901"),
        found(store, "2.16.0"),
    ) == ("a\n", "c\n", "d\n")


def test_overlay_that_becomes_redundant_is_removed(store: Store) -> None:
    accept(store, "a\n", "2.13.0")
    accept(store, "b\n", "2.15.0")
    assert accept(store, "a  # as before\n", "2.15.0") == [
        "updated ink@torch-2.15.py",
        "removed ink@torch-2.15.py",
    ]
    assert on_disk(store) == ["ink.py"]
    accept(store, "b\n", "2.15.0")
    assert accept(store, "b\n", "2.13.0") == [
        "updated ink.py",
        "removed ink@torch-2.15.py",
    ]


def test_unchanged_body_writes_nothing(store: Store) -> None:
    accept(store, "a\n", "2.13.0")
    path = store.root / PATH.versionless
    before = (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino)
    for torch in ("2.13.0", "2.13.1", "2.15.0", "2.12.0"):
        assert accept(store, "a\n", torch) == []
    assert (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) == before


def test_cosmetic_difference_is_refreshed_only_by_the_same_release(
    store: Store,
) -> None:
    accept(store, "a  # one\n", "2.13.0")
    assert accept(store, "a  # two\n", "2.15.0") == []
    assert accept(store, "a  # two\n", "2.12.0") == []
    assert accept(store, "a  # two\n", "2.13.1") == ["updated ink.py"]


def test_missing_stage_is_recorded_per_version(store: Store) -> None:
    assert accept(store, ABSENT, "2.13.0") == []
    accept(store, "a\n", "2.13.0")
    assert accept(store, ABSENT, "2.15.0") == ["new ink@torch-2.15.py"]
    assert (found(store, "2.13.0"), found(store, "2.15.0")) == ("a\n", ABSENT)
    assert accept(store, ABSENT, "2.13.0")[-2:] == [
        "removed ink@torch-2.15.py",
        "removed ink.py",
    ]
    assert on_disk(store) == []


def test_crlf_checkout_reads_the_same_and_lf_is_written(store: Store) -> None:
    accept(store, "a\nb\n", "2.13.0")
    path = store.root / PATH.versionless
    assert b"\r" not in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert found(store, "2.13.0") == "a\nb\n"
    assert accept(store, "a\nb\n", "2.13.0") == []


@pytest.mark.parametrize("content", [b"print('mine')\n", b"", b"\xff\xfe not a golden"])
def test_file_that_is_not_ours_is_never_overwritten(
    store: Store, content: bytes
) -> None:
    path = store.root / PATH.versionless
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(GoldenError, match="not a golden"):
        found(store, "2.13.0")
    with pytest.raises(GoldenError, match="will not be overwritten"):
        accept(store, "a\n", "2.13.0")
    assert path.read_bytes() == content


def test_damaged_golden_is_refused_and_replaced_on_accepting(store: Store) -> None:
    accept(store, "a\n", "2.13.0")
    path = store.root / PATH.versionless
    path.write_bytes(path.read_bytes() + b"\xff")
    with pytest.raises(GoldenError, match="not UTF-8"):
        found(store, "2.13.0")
    assert accept(store, "a\n", "2.13.0") == ["updated ink.py"]
    assert found(store, "2.13.0") == "a\n"


def test_a_merge_with_conflicts_in_what_holds_a_golden_is_said(store: Store) -> None:
    trail = get_stage("trail")
    path = GoldenPath(PATH.folder, trail.name, trail.extension)
    facts = '["step",0,"post_grad_graph","1 nodes","c3kSC67J6hDi8wIzfrbDIw",""]\n'
    store.accept(path, trail, facts, "2.13.0", "3.7.1")
    evidence = store.root / PATH.folder / "evidence.jsonl"
    head, fact = evidence.read_text().rsplit("\n", 2)[:2]
    evidence.write_text(
        f"{head}\n<<<<<<< HEAD\n{fact}\n=======\n{fact}\n>>>>>>> theirs\n"
    )
    with pytest.raises(
        GoldenError,
        match=r"evidence\.jsonl is damaged: it contains merge conflict markers",
    ):
        store.find(path, trail, "2.13.0")
    store.accept(path, trail, facts, "2.13.0", "3.7.1")
    golden = store.find(path, trail, "2.13.0")
    assert golden is not None and golden.body == facts


@pytest.mark.parametrize(
    ("stage", "body"),
    [
        ("trail", '["golden","2.13.0",null,1,[]]\n'),
        ("post_grad_graph", "<<<<<<< a\n=======\n>>>>>>> b\n"),
        ("post_grad_graph", "one\r\ntwo\n"),
        ("post_grad_graph", "\ud800\n"),
    ],
)
def test_nothing_is_written_that_could_not_be_read_back(
    store: Store, stage: str, body: str
) -> None:
    declared = get_stage(stage)
    path = GoldenPath(PATH.folder, declared.name, declared.extension)
    with pytest.raises(GoldenError, match="could not be read back"):
        store.accept(path, declared, body, "2.13.0", "3.7.1")
    assert on_disk(store) == [] and store.changed_files == {}


def test_damaged_overlay_of_another_version_is_not_replaced(store: Store) -> None:
    accept(store, "a\n", "2.13.0")
    accept(store, "b\n", "2.14.0")
    overlay = store.root / PATH.overlay("2.14")
    overlay.write_text("# golden of pytest-compile-golden\n")
    with pytest.raises(GoldenError, match=r"ink@torch-2\.14\.py is damaged"):
        accept(store, "c\n", "2.15.0")
    assert found(store, "2.13.0") == "a\n"


def test_golden_of_another_stage_is_refused(store: Store) -> None:
    accept(store, "a\n", "2.13.0")
    other = Stage("press", "press", WithoutComments(), "py")
    with pytest.raises(GoldenError, match="golden of ink, not of press"):
        store.find(PATH, other, "2.13.0")


@pytest.mark.parametrize(
    "level",
    [
        "",
        "m",
        "m/test_x",
        "m/test_x/cpu",
        "m/test_x/cpu/ink.py",
        "m/test_x/cpu/ink@torch-2.15.py",
    ],
)
def test_symlinks_are_refused(store: Store, tmp_path: Path, level: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = store.root / level
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    torch = "2.15.0" if "@" in level else "2.13.0"
    with pytest.raises(GoldenError, match="is a symlink"):
        accept(store, "a\n", torch)
    with (
        pytest.raises(GoldenError, match="is a symlink"),
        store.together([PATH.folder]) as later,
    ):
        accept(later, "a\n", torch)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("parts", [("..", "x"), ("a", "..", "x"), ("/etc", "x"), ()])
def test_paths_outside_are_refused(tmp_path: Path, parts: Sequence[str]) -> None:
    with pytest.raises(GoldenError, match="not a path inside"):
        files.inside(tmp_path, PurePosixPath(*parts))


def test_overlay_for_an_invalid_version_is_named(store: Store) -> None:
    accept(store, "a\n", "2.13.0")
    (store.root / PATH.overlay("new")).write_text("x")
    with pytest.raises(
        GoldenError, match=r"ink@torch-new\.py: 'new' is not a torch version"
    ):
        found(store, "2.13.0")


def test_failed_write_leaves_the_golden_and_nothing_else(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(store, "a\n", "2.13.0")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(GoldenError, match="No space left on device"):
        accept(store, "b\n", "2.13.0")
    assert found(store, "2.13.0") == "a\n"
    assert on_disk(store) == ["ink.py"]


def test_goldens_obey_the_umask(store: Store) -> None:
    before = os.umask(0o027)
    try:
        accept(store, "a\n", "2.13.0")
    finally:
        os.umask(before)
    assert stat.S_IMODE((store.root / PATH.versionless).stat().st_mode) == 0o640
