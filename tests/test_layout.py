"""Where goldens live: readable, distinct and safe paths that don't depend on which part of a suite runs."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens.golden_paths import (
    ArtifactNames,
    GoldenPath,
    case_folder,
    differing_in_case_only,
    safe_name,
)
from tests.paper import PaperProject

NASTY = [
    "a/b",
    "a\\b",
    "..",
    ".",
    "",
    "a\0b",
    "a\nb",
    "a b",
    "x" * 300,
    "x" * 301,
    "a:b",
    "con*",
    "é",
    "a.",
    "~",
    "-rf~1",
]


def test_readable_names_are_unchanged() -> None:
    for name in (
        "test_layer_norm_gelu",
        "TestNorm.test_x[True-p1-float32]",
        "cuda-sm90",
        "test_x[a=1,b=(2)+3]",
    ):
        assert safe_name(name) == name


def test_names_are_safe_and_distinct() -> None:
    safe = [safe_name(name) for name in NASTY]
    assert len({name.casefold() for name in safe}) == len(NASTY)
    for name in safe:
        assert 0 < len(name) <= 100
        assert name.strip(".") and not set(name) & set('/\\\0\n :*?"<>|')


def test_changed_name_keeps_a_readable_prefix() -> None:
    assert safe_name("test_x[a/b]").startswith("test_x[a_b]~")


def test_only_names_that_differ_only_in_case_are_ambiguous() -> None:
    ambiguous = differing_in_case_only(["a", "A", "True", "b", "b"])
    assert ambiguous == {"a", "A"}
    assert safe_name("A", ambiguous).casefold() != safe_name("a", ambiguous).casefold()
    assert safe_name("True", ambiguous) == "True"


def test_modules_of_the_same_name_do_not_clash() -> None:
    one = case_folder(PurePosixPath("cases/a/test_x.py"), "test_f", "cuda-sm90")
    assert one == PurePosixPath("cases/a/test_x/test_f/cuda-sm90")
    assert one != case_folder(PurePosixPath("cases/b/test_x.py"), "test_f", "cuda-sm90")


def test_module_outside_the_root_stays_inside_goldens() -> None:
    assert (
        ".."
        not in case_folder(
            PurePosixPath("../elsewhere/test_x.py"), "test_f", "cuda-sm90"
        ).parts
    )


def test_second_artifact_of_a_stage_gets_a_number_and_a_named_one_its_name() -> None:
    names = ArtifactNames()
    stems = [
        names.stem("guards"),
        names.stem("guards"),
        names.stem("guards", "decode"),
        names.stem("guards", "decode"),
    ]
    assert stems == ["guards", "guards.2", "guards.decode", "guards.decode.2"]


@pytest.mark.parametrize(
    "name", ["../x", "a/b", "", "2", "a.b", "x" * 61, "a@torch-2.15"]
)
def test_golden_name_that_cannot_be_a_file_name_is_refused(name: str) -> None:
    with pytest.raises(GoldenError, match="cannot name a file"):
        ArtifactNames().stem("guards", name)


def test_golden_names_that_differ_only_in_case_are_refused() -> None:
    names = ArtifactNames()
    names.stem("guards", "Decode")
    with pytest.raises(GoldenError, match="only in case"):
        names.stem("guards", "decode")


def test_overlay_names_round_trip_and_are_not_mistaken_for_other_artifacts() -> None:
    golden_path = GoldenPath(PurePosixPath("f"), "guards", "txt")
    assert golden_path.release_of(golden_path.overlay("2.15").name) == "2.15"
    assert golden_path.release_of("guards.2@torch-2.15.txt") is None
    assert golden_path.release_of("guards.txt") is None


def test_folders_of_a_suite(paper: PaperProject) -> None:
    source = """
import pytest
class TestPage:
    class TestInner:
        def test_deep(self, draw, golden):
            assert draw(ink="x") == golden
@pytest.mark.parametrize("p", ["plain", "../up", "A", "a", "x" * 300, "a\\0b"])
def test_each(draw, golden, p):
    assert draw(ink="x") == golden
"""
    paper.test(source)
    paper.test(source, "cases/sub/test_paper.py")
    paper.update("--compile-golden-target=paper-cpu").assert_outcomes(
        passed=14, deselected=14
    )
    tests = sorted(
        {
            path.relative_to(paper.goldens).parts[:-2]
            for path in paper.goldens.rglob("*.py")
        }
    )
    in_module = [parts[-1] for parts in tests if parts[:-1] == ("cases", "test_paper")]
    assert len(in_module) == 7 and len(tests) == 14
    assert {"TestPage.TestInner.test_deep", "test_each[plain]"} <= set(in_module)
    assert len({name.casefold() for name in in_module}) == 7
    # One of two ids that differ only in case is still found when the run selects only that one.
    paper.run(
        "cases/test_paper.py::test_each[A-paper-cpu]",
        "--compile-golden-target=paper-cpu",
    ).assert_outcomes(passed=1)
    paper.run(
        "-k", "test_each and a-paper-cpu", "cases/test_paper.py", "-x"
    ).assert_outcomes(passed=2, deselected=12)
