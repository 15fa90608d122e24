"""What each pass changed: its graph before and after, as one diff with the whole graph for context."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.name_matching import near
from pytest_compile_golden.errors import UnknownPass
from pytest_compile_golden.facts.graphs import Graph, GraphKey, Pass
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.facts.schedules import PassDiff, Schedule
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format, Unreadable
from pytest_compile_golden.formats.graphs import GRAPH
from pytest_compile_golden.formats.graphs.from_record import graph_text
from pytest_compile_golden.formats.schedules import GROUPS, schedule_text

_NOTHING = "no pass changed its graph\n"
_CHANGED_NOTHING = " changed nothing"
_TITLE = re.compile(r"@@ (\S+): (\S+) / (.+) @@$")


@dataclass(frozen=True)
class Diff:
    """What one run of one pass did to its graph."""

    graph: str
    phase: str
    name: str
    lines: tuple[str, ...]
    """The whole graph, each line prefixed with ` `, `-` or `+`; empty if the pass changed nothing."""

    @property
    def title(self) -> str:
        """The line above it, by which a pass is found."""
        return f"@@ {self.graph}: {self.phase} / {self.name} @@"

    def side(self, without: str) -> str:
        """The graph before (without `+`) or after (without `-`) the pass."""
        return "".join(
            f"{line[1:]}\n" for line in self.lines if not line.startswith(without)
        )


def write(document: Iterable[Diff]) -> str:
    """The diffs, separated by empty lines."""
    return "\n".join(map(_block, document)) or _NOTHING


def _block(diff: Diff) -> str:
    if not diff.lines:
        return f"{diff.title}{_CHANGED_NOTHING}\n"
    return "\n".join(line.rstrip() for line in (diff.title, *diff.lines)) + "\n"


def read(text: str) -> tuple[Diff, ...]:
    """The diffs. Raises Unreadable if a line precedes the first title, or for a title that `write` does not write."""
    blocks: list[tuple[str, list[str]]] = []
    for line in split_lines("" if text == _NOTHING else text):
        if line.startswith("@@"):
            blocks.append((line, []))
        elif blocks:
            blocks[-1][1].append(line)
        else:
            raise Unreadable(line)
    # The empty line between two diffs belongs to neither.
    return tuple(_read(title, lines[:-1]) for title, lines in blocks[:-1]) + tuple(
        _read(*last) for last in blocks[-1:]
    )


def _read(title: str, lines: list[str]) -> Diff:
    match = _TITLE.match(title.removesuffix(_CHANGED_NOTHING))
    if match is None:
        raise Unreadable(title)
    return Diff(match[1], match[2], match[3], tuple(lines))


@dataclass(frozen=True, repr=False)
class PassDiffsArtifact(Artifact):
    """One diff for each pass that changed its graph."""

    diffs: tuple[tuple[Pass, str], ...]
    """Every run of every pass with its diff, which is empty if it changed nothing."""
    inner: tuple[tuple[Pass, str], ...] = ()
    """The same of passes that the user's passes called; the text has only what torch calls."""

    def __getitem__(self, name: str) -> Artifact:
        """The diff of the pass called `name` in the ledger; for a custom pass, its slot or its own name is enough.

        A pass that ran on several graphs, like several passes in a slot, has a part for each. Raises UnknownPass if no
        such pass ran.
        """
        matching = [
            (run, text)
            for run, text in (*self.diffs, *self.inner)
            if run.is_called(name)
        ]
        if not matching:
            ran = dict.fromkeys(run.name for run, _ in (*self.diffs, *self.inner))
            raise UnknownPass(
                f"no pass {name!r} ran in this compile{near(name, ran)} These ran: {', '.join(ran)}."
            )
        text = "\n".join(
            text or _block(Diff(run.key.label, run.phase, run.name, ()))
            for run, text in matching
        )
        return Artifact(
            self.stage, text, name=re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:60]
        )


def diff_of(diff: PassDiff, default_device: str) -> Diff:
    """The graph or schedule before and after a pass, as a diff. `default_device` is the device type not printed."""
    before, after = (
        split_lines(_text(side, diff.key, default_device))
        for side in (diff.before, diff.after)
    )
    return Diff(diff.key.label, diff.phase, diff.name, tuple(_diff(before, after)))


def _text(shown: Graph | Schedule, key: GraphKey, default_device: str) -> str:
    return (
        graph_text(shown, key.label, default_device)
        if isinstance(shown, Graph)
        else schedule_text(shown)
    )


def _diff(before: list[str], after: list[str]) -> Iterator[str]:
    for kind, old, old_end, new, new_end in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            yield from (f" {line}" for line in before[old:old_end])
        else:
            yield from (f"-{line}" for line in before[old:old_end])
            yield from (f"+{line}" for line in after[new:new_end])


def render(record: Record, stage: str) -> PassDiffsArtifact | None:
    """The diffs in the order of the passes; None if no pass ran."""
    runs: list[Pass] = record.get("passes")
    if not runs:
        return None
    changed = {
        id(run): diff_of(diff, record.device_type) for run, diff in changes(record)
    }
    diffs = tuple(
        (run, _block(changed[id(run)]) if id(run) in changed else "") for run in runs
    )
    graphs: list[Graph] = record.get("pass_graphs")
    inner = tuple(
        (run, _inner(run, graphs, record.device_type))
        for run in record.get("inner_passes")
    )
    return PassDiffsArtifact(stage, write(changed.values()), diffs, inner)


def _inner(run: Pass, graphs: Sequence[Graph], default_device: str) -> str:
    if not run.changed:
        return ""
    found, left = run.graphs
    return _block(
        diff_of(
            PassDiff(run.key, run.phase, run.name, graphs[found], graphs[left]),
            default_device,
        )
    )


def changes(record: Record) -> Iterator[tuple[Pass, PassDiff]]:
    """Every run of a pass that changed its graph or schedule, with both sides, in the order in which they ran.

    The partitioner (which makes two graphs of one) and lowering (which leaves the graph) have no diffs; other stages
    show what they do.
    """
    runs: list[Pass] = record.get("passes")
    changed = [
        run
        for run in runs
        if run.changed and run.phase not in ("partition", "lowering")
    ]
    return zip(changed, record.get("pass_diffs"), strict=True)


class PassDiffsFormat(Format):
    """A document is a tuple of Diff."""

    render = staticmethod(render)
    read = staticmethod(read)
    write = staticmethod(write)

    def form(self, document: Iterable[Diff]) -> Hashable:
        """The passes, each with the graphs before and after in the canonical form of graph stages."""
        return tuple(
            (
                diff.title,
                *(
                    (GROUPS if diff.phase == "scheduler" else GRAPH).canonical(
                        diff.side(sign)
                    )
                    for sign in "+-"
                ),
            )
            for diff in document
        )


PASS_DIFFS = PassDiffsFormat()
