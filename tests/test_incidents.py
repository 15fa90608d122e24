"""The incidents page matches the cases' marks, and an incident is expected where its mark says so."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools import incidents

ROOT = Path(__file__).parents[1]

CASE = """
import pytest

@pytest.mark.incident("o/r#1", versions="2.1", fails=">=2.12", stage="guards", cause="a guard")
def test_found(): assert False, "as expected"

@pytest.mark.incident("o/r#2", versions="2.1", fails=">=2.12", stage="guards", cause="a guard")
def test_repaired(): pass

@pytest.mark.incident("o/r#3", versions="2.1", fails=">=2.12", stage="guards", cause="a guard")
def test_broken(): raise TypeError("a mistake of the case")

@pytest.mark.incident("o/r#4", versions="2.1", fails="<2.0", stage="guards", cause="a guard")
def test_old(): pass
"""


def test_the_page_is_up_to_date() -> None:
    assert incidents.FILE.read_text(encoding="utf-8") == incidents.text(), (
        "run python tools/incidents.py"
    )


def test_no_thread_is_listed_twice() -> None:
    threads = [
        line.split("](")[0]
        for line in incidents.text().splitlines()
        if line.startswith("| [")
    ]
    assert len(threads) == len(set(threads))


def test_an_incident_is_expected_on_its_versions(pytester: pytest.Pytester) -> None:
    """The run fails if the incident is gone, or if the case has a mistake."""
    pytester.makeconftest(
        (ROOT / "cases" / "incidents" / "conftest.py").read_text(encoding="utf-8")
    )
    pytester.makepyfile(CASE)
    result = pytester.runpytest("-p", "no:cacheprovider")
    result.assert_outcomes(xfailed=1, failed=2, passed=1)


def test_a_row_says_what_the_mark_and_the_docstring_say() -> None:
    path = ROOT / "cases" / "incidents" / "test_fusion.py"
    first = next(iter(incidents.incidents(path)))
    mark = ast.unparse(ast.parse(path.read_text(encoding="utf-8")))
    assert first.thread in mark
    assert first.seen in mark
