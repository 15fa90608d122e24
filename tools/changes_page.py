"""Write docs/changes.md: every code of a change, with an example from the committed goldens.

    python tools/changes_page.py

An example that the page has stays for as long as its case changes so, although a smaller one may come. torch is not
needed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from operator import attrgetter
from pathlib import Path

from pytest_compile_golden.cli import changes
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.report import compare_recordings
from pytest_compile_golden.report.model import CaseReport, ReportedChange
from pytest_compile_golden.report.styled_lines import placed
from pytest_compile_golden.report.text_diff import to_compare
from tools.what_changed import VERSIONS

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "changes.md"
# Lines of either side of an example, and characters of each: more hides what it is an example of.
_LINES, _WIDTH, _BEFORE = 3, 110, 30
_WORD = re.compile(r"\w+(?:\.\w+)*")

_HEAD = """# Codes of changes

Each change that a report names is of a type with a code, which `report.json` has as `code`, next to its `kind`: a
*decision* of the compiler, other *code*, another *hint* in the same code, the same counted otherwise (*accounting*) or
written otherwise (*spelling*). [The kind decides](severity.md) whether a case fails. `compile-golden changes`
lists them:

```sh
compile-golden changes --markdown
```

"""
_EXAMPLES = """
## An example of each

From this repository's goldens, by `python tools/changes_page.py`: the case, the two versions of torch (an arrow to the
left goes back to the older one), what a report says, and lines that differ.
"""
_NONE = "No case of this repository changes in this way between the versions that have goldens."


@dataclass(frozen=True)
class Example:
    """A case that changes in one way between two versions of torch."""

    versions: str
    case: CaseReport
    change: ReportedChange

    @property
    def heading(self) -> str:
        """What it is an example from."""
        return f"`{self.case.nodeid}`, torch {self.versions}, in `{self.change.stage}`:"

    @property
    def size(self) -> tuple[int, int, str]:
        """What makes a better example smaller: other changes of the case, and lines of the diff."""
        others = len(self.case.changes) + len(self.case.secondary)
        return others, sum(map(len, self.diff)), self.case.nodeid

    @property
    def diff(self) -> list[list[str]]:
        """The places of its stage that differ: lines with a sign each."""
        stage = next(
            (stage for stage in self.case.stages if stage.stage == self.change.stage),
            None,
        )
        old, new = to_compare(stage) if stage is not None else ("", "")
        places: list[list[str]] = []
        for line in [
            *difflib.unified_diff(split_lines(old), split_lines(new), n=0, lineterm="")
        ][2:]:
            if line.startswith("@@"):
                places.append([])
            else:
                places[-1].append(line)
        return places

    def lines(self) -> Iterator[str]:
        yield f"{self.heading}\n"
        said = {*_WORD.findall(self.change.text)}
        places = [
            tuple([line for line in place if line[0] == sign] for sign in "-+")
            for place in self.diff
        ]
        old, new = max(
            places,
            key=lambda sides: len(said & (_words(sides[0]) ^ _words(sides[1]))),
            default=([], []),
        )
        shown = _cut(
            _from_best(old, said - _words(new)), _from_best(new, said - _words(old))
        )
        yield "\n".join(
            [
                "```diff",
                f"# {placed(self.change.text, self.change.where)}",
                *shown,
                "```\n",
            ]
        )


def _words(lines: Iterable[str]) -> set[str]:
    return {*_WORD.findall("\n".join(lines))}


def _from_best(lines: list[str], said: set[str]) -> list[str]:
    """The lines from the one on that has most of these words."""
    best = max(
        range(len(lines)),
        key=lambda index: len(said & _words([lines[index]])),
        default=0,
    )
    return lines[best : best + _LINES]


def _cut(old: list[str], new: list[str]) -> Iterator[str]:
    """The lines of both sides, each from where the two begin to differ if it is long."""
    pairs = enumerate(zip(old[0][1:], new[0][1:], strict=False)) if old and new else ()
    start = next((index for index, (before, after) in pairs if before != after), 0)
    for line in (*old, *new):
        text = line[1:]
        if len(text) > _WIDTH and start > _BEFORE:
            text = f"... {text[start - _BEFORE :]}"
        yield line[0] + (text if len(text) <= _WIDTH else f"{text[:_WIDTH]} ...")


def examples(page: str) -> dict[str, Example]:
    """Of each code that has one, the example that this page has if it is still one, or else the smallest."""
    sections = dict(part.split("\n", 1) for part in page.split("\n### ")[1:])
    goldens = Goldens(ROOT / "goldens", find_project(ROOT).bases)
    sides = {version: goldens.recording(version) for version in VERSIONS}
    found: dict[str, tuple[tuple[bool, int], list[Example]]] = {}
    pairs = [*combinations(VERSIONS, 2)]
    # A change that no newer version makes may be made by going back.
    for turn, (before, after) in enumerate(
        [*pairs, *((new, old) for old, new in pairs)]
    ):
        arrow = "→" if before < after else "←"
        versions = f"{min(before, after)} {arrow} {max(before, after)}"
        for case in compare_recordings.report(
            sides[before], sides[after], before, after
        ).cases:
            for change in (*case.changes, *case.secondary):
                example = Example(versions, case, change)
                order = example.heading not in sections.get(change.code, ""), turn
                best, equal = found.setdefault(change.code, (order, []))
                if order < best:
                    found[change.code] = order, [example]
                elif order == best:
                    equal.append(example)
    return {
        code: min(equal, key=attrgetter("size")) for code, (_, equal) in found.items()
    }


def text(page: str) -> str:
    """The whole page, with the examples of this one where they are still right."""
    shown = examples(page)
    parts = [_HEAD, *(f"{line}\n" for line in changes.table(link=True)), _EXAMPLES]
    for code, row in sorted(changes.known().items()):
        parts.append(
            f"\n### {code}\n\n{row.meaning} *{row.kind.capitalize()}*, about {row.topic}.\n\n"
        )
        parts.append("\n".join(shown[code].lines()) if code in shown else f"{_NONE}\n")
    return "".join(parts)


if __name__ == "__main__":
    page = FILE.read_text(encoding="utf-8")
    FILE.write_text(text(page), encoding="utf-8")
