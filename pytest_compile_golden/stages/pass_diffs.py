"""What each pass changed: its graph before and after, as one diff with the whole graph for context."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from pytest_compile_golden.errors import StageNotCaptured
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.observe.record import Graph, GraphKey, Pass, PassDiff, Record, Schedule
from pytest_compile_golden.stages.artifact import Artifact
from pytest_compile_golden.stages.graph import graph_text
from pytest_compile_golden.stages.schedule import schedule_text

_NOTHING = "no pass changed its graph\n"


@dataclass(frozen=True)
class PassDiffsArtifact(Artifact):
    """One diff for each pass that changed its graph."""

    diffs: tuple[tuple[Pass, str], ...]
    """Every run of every pass with its diff, which is empty where it changed nothing."""

    def __getitem__(self, name: str) -> Artifact:
        """The diff of the pass called `name` in the ledger, or whose own name that is behind the slot it was given in.

        A pass that ran on several graphs has a part for each. Raises StageNotCaptured where no such pass ran.
        """
        found = [(run, text) for run, text in self.diffs if name in (run.name, run.name.rpartition(" / ")[2])]
        if not found:
            names = dict.fromkeys(run.name for run, _ in self.diffs)
            raise StageNotCaptured(f"no pass {name!r} ran in this compile; these did: {', '.join(names)}.")
        text = "\n".join(text or f"{_title(run.key, run.phase, run.name)} changed nothing\n" for run, text in found)
        return Artifact(self.stage, text, name=re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:60])


def _title(key: GraphKey, phase: str, name: str) -> str:
    return f"@@ {key.label}: {phase} / {name} @@"


def diff_text(diff: PassDiff, home: str) -> str:
    """One diff with its title. `home` is the device type that goes unsaid."""
    before, after = (split_lines(_text(each, diff.key, home)) for each in (diff.before, diff.after))
    lines = [_title(diff.key, diff.phase, diff.name), *_diff(before, after)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _text(shown: Graph | Schedule, key: GraphKey, home: str) -> str:
    return graph_text(shown, key.label, home) if isinstance(shown, Graph) else schedule_text(shown)


def _diff(before: list[str], after: list[str]) -> Iterator[str]:
    for what, old, old_end, new, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            yield from (f" {line}" for line in before[old:old_end])
        else:
            yield from (f"-{line}" for line in before[old:old_end])
            yield from (f"+{line}" for line in after[new:new_end])


def render_pass_diffs(record: Record) -> PassDiffsArtifact | None:
    """The diffs in the order of the passes; None where no pass ran."""
    runs: list[Pass] = record.get("passes")
    changed = {id(run): diff_text(diff, record.device_type) for run, diff in changes(record)}
    diffs = [(run, changed.get(id(run), "")) for run in runs]
    text = "\n".join(text for _, text in diffs if text) or _NOTHING
    return PassDiffsArtifact("pass_diffs", text, tuple(diffs)) if runs else None


def changes(record: Record) -> Iterator[tuple[Pass, PassDiff]]:
    """Every run of a pass that changed its graph or schedule, with both sides, in the order of the runs.

    The partitioner makes two graphs of one, and lowering leaves the graph: they have no diffs, other stages show them.
    """
    runs: list[Pass] = record.get("passes")
    changed = [run for run in runs if run.changed and run.phase not in ("partition", "lowering")]
    return zip(changed, record.get("pass_diffs"), strict=True)
