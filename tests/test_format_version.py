"""Goldens written by an older version of this project are compared as if they had been written today."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from pytest_compile_golden.common import format_version
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens.compare_artifact import compare
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import Store
from pytest_compile_golden.stages import get_stage

OLD = "GRAPH graph_0\n"
NEW = "def graph_0(x: f32[4]):\n    return (x,)\n"
STAGE = get_stage("post_grad_graph")
PATH = GoldenPath(PurePosixPath("case/target"), STAGE.name, STAGE.extension)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Holds a golden written by normaliser 1."""
    store = Store(tmp_path)
    store.accept(PATH, STAGE, OLD, "2.13.0", None)
    return store


@pytest.fixture
def version_2(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next version of this project, in which graphs are printed differently."""
    monkeypatch.setattr(format_version, "NORMALISER", format_version.NORMALISER + 1)
    monkeypatch.setitem(
        format_version.UPGRADES,
        (1, STAGE.name),
        lambda body: NEW if body == OLD else body,
    )


@pytest.mark.usefixtures("version_2")
def test_an_older_golden_is_upgraded_before_it_is_compared(store: Store) -> None:
    before = (store.root / PATH.versionless).read_bytes()
    golden = store.find(PATH, STAGE, "2.13.0")
    assert golden is not None
    assert golden.header.normaliser == 1
    assert compare(STAGE, PATH, golden, NEW).kind == "same"
    assert store.accept(PATH, STAGE, NEW, "2.13.0", None) == []
    assert (store.root / PATH.versionless).read_bytes() == before, (
        "upgrading this project churns nobody's goldens"
    )


@pytest.mark.usefixtures("version_2")
def test_a_change_is_still_a_change_and_is_written_by_the_new_version(
    store: Store,
) -> None:
    changed = NEW.replace("f32", "f64")
    golden = store.find(PATH, STAGE, "2.13.0")
    found = compare(STAGE, PATH, golden, changed)
    assert found is not None
    assert (found.kind, found.old) == ("structural", NEW)
    store.accept(PATH, STAGE, changed, "2.13.0", None)
    accepted = store.find(PATH, STAGE, "2.13.0")
    assert accepted is not None
    assert (accepted.header.normaliser, accepted.body) == (2, changed)


@pytest.mark.usefixtures("version_2")
def test_stages_without_an_upgrade_stay_as_they_are() -> None:
    assert format_version.upgraded("triton_code", "text", 1) == "text"


def test_a_golden_from_a_newer_version_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(format_version, "NORMALISER", 0)
    with pytest.raises(GoldenError, match="newer pytest-compile-golden"):
        store.find(PATH, STAGE, "2.13.0")
