"""One way to split text into lines."""

from __future__ import annotations

from pathlib import Path

import pytest

import pytest_compile_golden
from pytest_compile_golden.common.lines import split_lines, unreadable


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\nb", "\n", "a\n\n", "\n\na"])
def test_plain_text_is_split_as_python_splits_it(text: str) -> None:
    assert split_lines(text) == text.splitlines()


def test_a_line_ends_only_at_a_line_feed() -> None:
    odd = "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\rh"
    assert split_lines(f"{odd}\r\n{odd}\n") == [f"{odd}\r", odd]


def test_no_module_splits_lines_its_own_way() -> None:
    root = Path(pytest_compile_golden.__file__).parent
    own = [
        path.name
        for path in root.rglob("*.py")
        if ".splitlines(" in path.read_text(encoding="utf-8")
    ]
    assert own == []


@pytest.mark.parametrize("before", [0, 1, 4300, 4301, 9000])
def test_a_number_that_python_does_not_read_is_found_wherever_it_is(
    before: int,
) -> None:
    start = "x" * before
    assert unreadable(f"{start} {'1' * 4301} y")
    assert not unreadable(f"{start} {'1' * 4300} {'2' * 4300} y")
