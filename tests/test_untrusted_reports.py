"""A report from elsewhere: whatever its texts are, they control no terminal, and no Markdown or workflow."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
import types
import typing
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from pytest_compile_golden.report import (
    json_report,
    markdown,
    proofs,
    reporters,
    terminal_report,
    torch_changes,
)
from pytest_compile_golden.report.failure_text import Failure
from pytest_compile_golden.report.failure_text import render as failure
from pytest_compile_golden.report.html import page
from pytest_compile_golden.report.model import (
    FORMAT,
    CaseReport,
    Outcome,
    Report,
    Side,
)
from pytest_compile_golden.report.styled_lines import printable, write
from tests.forked import Forks

EVIL = "\x1b[2J\x9b31m\u202e\r\n::error::a\n[x](http://evil) <img src=y> ![z](http://evil) `` | *b* </details>\n\n# h"
LINK = "https://github.com/a/b) <img src=y> [more](http://evil"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
OUTCOMES = [
    outcome
    for outcome in typing.get_args(Outcome)
    if outcome not in ("same", "cosmetic")
]


def filled(kind: Any, outcome: str, name: str = "") -> Any:
    """A value of a type of the model, with EVIL wherever there is a text."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return outcome if outcome in arguments else arguments[0]
    if origin in (typing.Union, types.UnionType):
        return filled(
            next(each for each in arguments if each is not type(None)), outcome, name
        )
    if origin is tuple:
        return tuple(
            filled(each, outcome, name) for each in arguments if each is not Ellipsis
        )
    if origin is not None and issubclass(origin, dict):
        return {
            filled(arguments[0], outcome, name): filled(arguments[1], outcome, name)
        }
    if dataclasses.is_dataclass(kind):
        types_of = typing.get_type_hints(kind)
        fields = dataclasses.fields(kind)
        made: Any = kind
        return made(
            **{
                each.name: filled(types_of[each.name], outcome, each.name)
                for each in fields
                if each.init
            }
        )
    values: dict[Any, Any] = {
        str: LINK if name == "link" else EVIL,
        bool: True,
        int: 3,
        float: 1.5,
    }
    return values.get(kind, EVIL)


def evil(outcome: str) -> Report:
    report: Report = filled(Report, outcome)
    return dataclasses.replace(report, shards=(), format=FORMAT)


TERMINAL: dict[str, Callable[[Report], object]] = {
    "overview": lambda report: terminal_report.render(report, cosmetic=True, width=80),
    "proofs": proofs.render,
    "sources": torch_changes.render,
    "failure": lambda report: failure(
        Failure(report.cases[0], report.new.torch, before="before"), verbosity=2
    ),
}


class Terminal:
    def __init__(self) -> None:
        self.text = ""

    def line(self, text: str, **style: bool) -> None:
        self.text += f"{text}\n"


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("what", TERMINAL)
def test_nothing_controls_the_terminal(what: str, outcome: str) -> None:
    terminal = Terminal()
    write(terminal, TERMINAL[what](evil(outcome)))  # type: ignore[arg-type]
    assert not CONTROL.search(terminal.text)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_nothing_is_markup(outcome: str, tmp_path: Path) -> None:
    text = markdown.render(evil(outcome))
    assert not CONTROL.search(text)
    # As GitHub reads it, tables included.
    page = MarkdownIt("commonmark").enable("table").render(text)
    tags = {*re.findall(r"<(/?\w+)", page)}
    known = {
        "a",
        "br",
        "code",
        "details",
        "em",
        "h2",
        "h3",
        "li",
        "p",
        "pre",
        "strong",
        "summary",
        "ul",
    }
    known |= {"table", "tbody", "td", "th", "thead", "tr"}
    assert tags <= {*known, *(f"/{tag}" for tag in known)}
    links = re.findall('href="([^"]*)"', page)
    assert all(
        re.match(r"https://github\.com/pytorch/pytorch/", link) for link in links
    ), links
    assert page.count("<details>") == page.count("</details>") and "<h1>" not in page


@pytest.mark.parametrize("outcome", ["changed", "error"])
def test_nothing_is_another_workflow_command(outcome: str) -> None:
    lines = terminal_report.annotated(evil(outcome)).splitlines()
    assert len(lines) == 1 and lines[0].startswith(("::warning file=", "::error file="))
    assert not CONTROL.search(lines[0])


def test_commands_show_it_safely(
    tmp_path: Path, forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    reporters.write(evil("changed"), tmp_path / "r.json")
    raw = (tmp_path / "r.json").read_text()
    assert not CONTROL.search(raw) and json_report.read(tmp_path / "r.json") == evil(
        "changed"
    )
    monkeypatch.chdir(tmp_path)
    for arguments in (
        ["r.json"],
        ["title", "r.json"],
        ["r.json", "--annotate"],
        ["r.json", "-o", "r.md"],
    ):
        result = forks.run_command(tmp_path, "report", *arguments)
        assert not CONTROL.search(result.stdout.str() + result.stderr.str()), arguments
        assert "Traceback" not in result.stderr.str()
    facts = json.loads(raw)
    facts["groups"][0]["members"] = []
    (tmp_path / "r.json").write_text(json.dumps(facts))
    for arguments in (
        ["r.json"],
        ["r.json", "--annotate"],
        ["r.json", "-o", "r.md", "-o", "r.html"],
    ):
        result = forks.run_command(tmp_path, "report", *arguments)
        assert result.ret == 1 and "Traceback" not in result.stderr.str()
    # An error may quote a file.
    (tmp_path / "r.json").write_text(
        json.dumps({**facts, "title": {EVIL: 1}, EVIL: EVIL})
    )
    result = forks.run_command(tmp_path, "report", "r.json")
    assert result.ret == 1 and not CONTROL.search(result.stderr.str())


def test_the_page_has_no_markup_of_it(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    reporters.write(evil("changed"), path)
    assert "<img src=y>" not in path.read_text()


@pytest.mark.parametrize(
    "odd", ["\0", "\b", "\f", "\r", "\x1b", "\x85", "\u202e", "\ud800"]
)
def test_the_page_of_a_case_writes_control_characters_out(odd: str) -> None:
    """Each of them by itself; a command is copied as it is."""
    case = CaseReport(
        "test_x.py::test", "cpu-avx2", "error", error=f"a{odd}b\n\tc", accept=f"a{odd}"
    )
    text = page.render(Report("t", Side("a"), Side("b"), (case,)))
    (packed,) = re.findall(r'id="pack-0">(.*?)</script>', text)
    (found,) = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert found["error"] == f"a{printable(odd)}b\n\tc" and odd not in found["error"]
    ((_, shown, copied),) = found["commands"]
    assert shown == f"a{printable(odd)}"
    assert copied == f"a{odd}" or odd == "\ud800"
