"""Write docs/incidents.md: incidents of torch.compile, the case that catches each, and those that no case can catch.

    python tools/incidents.py

Only the marks and docstrings of the cases are read: torch is not needed, and no case is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "incidents.md"
NOT_VISIBLE = ROOT / "cases" / "incidents" / "not_visible.toml"
_SOURCES = "https://github.com/{repository}/issues/{number}"

_HEAD = """# Incidents

What happened to users of torch.compile, from public trackers: fusions silently lost, wrong results, unwanted
compilations. Each has a case: the smallest program of our own, with an assert that would have caught it. Written by
`python tools/incidents.py` from the cases' marks and docstrings.

*Fails on* lists the versions of torch on which the assert is expected to fail, and does: a run on one of them reports
`XFAIL` with the thread, and on any other version the assert must hold. If it is empty, the case turns a setting on and
off, or pins what was fixed before 2.12. In *first cause*, numbers with an arrow are what `compile-golden diff` reports
between the last version that fails and the first that does not; the rest comes from torch itself or from the thread.

{caught} incidents are caught ({share} %); {not_visible} are not visible here, for the reasons given below.
"""


@dataclass(frozen=True)
class Incident:
    """A row of the table: a case with the `incident` mark."""

    case: str
    thread: str
    versions: str
    seen: str
    fails: str
    stage: str
    cause: str


class Unseen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An incident that no compile on this kind of machine can show."""

    thread: str
    seen: str
    why: str


def text() -> str:
    """The whole page."""
    caught = [
        incident
        for path in sorted((ROOT / "cases").rglob("test_*.py"))
        for incident in incidents(path)
    ]
    unseen = msgspec.toml.decode(
        NOT_VISIBLE.read_bytes(), type=dict[str, list[Unseen]]
    )["incident"]
    share = round(100 * len(caught) / (len(caught) + len(unseen)))
    lines = [
        _HEAD.format(caught=len(caught), not_visible=len(unseen), share=share),
        "| thread | versions, setting | what was seen | fails on | caught by | first cause | case |",
        "|---|---|---|---|---|---|---|",
        *(
            _row(
                _link(incident.thread),
                incident.versions,
                incident.seen,
                incident.fails,
                incident.stage,
                incident.cause,
                incident.case,
            )
            for incident in caught
        ),
        "",
        "## Not visible here",
        "",
        "| thread | what was seen | why not |",
        "|---|---|---|",
        *(
            _row(_link(incident.thread), incident.seen, incident.why)
            for incident in unseen
        ),
        "",
    ]
    return "\n".join(lines)


def incidents(path: Path) -> Iterator[Incident]:
    """The incidents of a module, in source order."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            if (
                isinstance(mark, ast.Call)
                and ast.unparse(mark.func) == "pytest.mark.incident"
            ):
                facts = {
                    keyword.arg: ast.literal_eval(keyword.value)
                    for keyword in mark.keywords
                }
                fails = f"`{facts['fails']}`" if "fails" in facts else ""
                yield Incident(
                    f"`{path.relative_to(ROOT / 'cases')}::{node.name}`",
                    ast.literal_eval(mark.args[0]),
                    facts["versions"],
                    facts.get("seen")
                    or " ".join((ast.get_docstring(node) or "").split()),
                    fails,
                    facts["stage"],
                    facts["cause"],
                )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _link(thread: str) -> str:
    repository, _, number = thread.partition("#")
    return f"[{thread}]({_SOURCES.format(repository=repository, number=number)})"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
