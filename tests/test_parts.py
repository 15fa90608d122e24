"""`make test ALL=K/N`: every wide test is in exactly one of the parts, which take about the same time."""

from __future__ import annotations

import pytest

from tests.conftest import OTHERS, SECONDS, WIDE, parts_of


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_each_file_is_in_one_part(count: int) -> None:
    files = {*WIDE, *SECONDS}
    parts = parts_of(files, count)
    assert len(parts) == count and sorted(
        file for part in parts for file in part
    ) == sorted(files)
    seconds = [sum(SECONDS.get(file, OTHERS) for file in part) for part in parts]
    assert max(seconds) - min(seconds) <= max(SECONDS.values())
    # In whatever order a process collects them.
    assert parts == parts_of(reversed([*files]), count)


def test_only_wide_tests_are_divided(pytester: pytest.Pytester) -> None:
    files = {
        "test_numerics": "def test_a(): pass",
        "test_moving": "def test_b(): pass",
        "test_x": "def test_c(): pass",
    }
    pytester.makepyfile(**files)
    collected = []
    for part in ("1/2", "2/2"):
        result = pytester.runpytest_inprocess(
            "-p", "tests.conftest", f"--wide={part}", "--collect-only", "-q"
        )
        collected.append([line for line in result.outlines if "::" in line])
    assert collected == [
        ["test_numerics.py::test_a", "test_x.py::test_c"],
        ["test_moving.py::test_b", "test_x.py::test_c"],
    ]
    for wrong in ("0/2", "3/2", "2"):
        result = pytester.runpytest_inprocess("-p", "tests.conftest", f"--wide={wrong}")
        result.stderr.fnmatch_lines(["*argument --wide: invalid * value*"])
