"""Dynamo's stages as text: bytecode, guards, graph breaks and recompilations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from pytest_compile_golden.changes.change import Change, distinct
from pytest_compile_golden.changes.guards import StopReworded
from pytest_compile_golden.formats import authors
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format
from pytest_compile_golden.formats.text import arguments
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.code import Written
from pytest_compile_golden.record.dynamo import Bytecode, Guards, Stop

# Things that differ between runs of the same program, or that depend on the machine.
_SCRUB = (
    (re.compile(r"(torch_dynamo_resume_in_\w+?)_at_\d+"), r"\1"),
    (re.compile(r"(__compiled_fn_\d+)_[0-9a-f_]+"), r"\1"),
    (re.compile(r"(__builtins_dict__|__import_\w+?|_dict___)_*\d+"), r"\1"),
    (re.compile(r"(___check_obj_id|___check_type_id)\((.+?), \d+\)"), r"\1(\2)"),
    (re.compile(r"(ID_MATCH|TYPE_MATCH|EQUALS_MATCH)(.*?) \d{6,}"), r"\1\2"),
    # A hook's number is the number of hooks that the process had before it.
    (re.compile(r"(___dict_contains)\(\d+, (?=[^\n]*_hooks)"), r"\1(<hook>, "),
    (re.compile(r"(?:_\d{12,})+(?:_c\d+)?"), ""),
    (re.compile(r"\b\d{12,}\b"), "<id>"),
    (re.compile(r"0x[0-9a-f]{6,}"), "<address>"),
    # What a fake tensor adds to the guard of the tensor it stands for.
    (re.compile(r"\bFakeTensor\b"), "Tensor"),
    (re.compile(r"(?<=, )(?:Python|PythonTLSSnapshot)(?:, |(?=\)))"), ""),
    (re.compile(r", (?=\), torch\.)"), ""),
    (re.compile(r", type=<class '[^']+'>"), ""),
    (re.compile(r"(num_threads[^,)]*?)\d+"), r"\1N"),
    (re.compile(r"\s*#.*$", re.M), ""),
    # A stack frame: the folder and the line number are not part of what the program does.
    (re.compile(r'(File ")(?:[^"\n]*[/\\])?([^"/\\\n]+"), line \d+'), r"\1\2"),
    (re.compile(r"(?<![\w.])(?:/[\w.+@~-]+)+/([\w.+-]+\.py)"), r"\1"),
    # A module of an installed package, without its suffix.
    (re.compile(r"(?:/[\w.+@~-]+)+/(?:site|dist)-packages/"), ""),
)
# torch 2.11 prints the object itself here, including a tensor's values; later versions print its class.
_OBJECT = re.compile(r"(___check_obj_id\(.*?\)), type=.*", re.S)
# Advice and links depend on torch's documentation, not on the program; blank lines say nothing.
_ADVICE = re.compile(r"\s*(Hint:|For more details|$)")


def scrub(text: str) -> str:
    """`text` without object ids, paths and comments, and with sets sorted."""
    for pattern, replacement in _SCRUB:
        text = pattern.sub(replacement, text)
    # Sets are printed in hash order.
    return _SET.sub(lambda match: f"{{{', '.join(sorted(arguments(match[1])))}}}", text)


_PROCESS_WIDE = re.compile(r"\b(__compiled_fn|__resume_at_\d+|___context_manager_\d+|tmp)_(\d+)")
_SET = re.compile(r"\{([^{}:]*)\}")


def renumber(text: str) -> str:
    """`text` with names that torch numbers process-wide renumbered from 0."""
    numbering: dict[str, dict[str, int]] = {}

    def renumbered(match: re.Match[str]) -> str:
        numbers = numbering.setdefault(match[1], {})
        return f"{match[1]}_{numbers.setdefault(match[2], len(numbers))}"

    return _PROCESS_WIDE.sub(renumbered, text)


@dataclass(frozen=True, repr=False)
class StopsArtifact(Artifact):
    """Graph breaks or recompilations."""

    reasons: tuple[str, ...]
    stopped: tuple[tuple[str, str], ...] = ()
    limits: tuple[str, ...] = ()
    """Limits that frames reached, such as `recompile_limit = 8`: these frames are not recompiled and run eagerly."""

    @property
    def locations(self) -> tuple[tuple[str, str], ...]:
        return self.stopped

    def __len__(self) -> int:
        return len(self.reasons)

    def __bool__(self) -> bool:
        return True  # there is an artifact even if nothing stopped


def at(stop: Stop) -> str:
    """Where Dynamo stopped: `function: source line`, or the function."""
    return stop.code or stop.function


def reason(stop: Stop) -> list[str]:
    """The lines of the reason, without run-specific details and advice; first the limit that was reached, if any."""
    limit = [] if stop.limit is None else [f"not compiled, {stop.limit} reached: runs eagerly from here on"]
    return limit + [line.strip() for line in split_lines(scrub(stop.reason)) if not _ADVICE.match(line)]


def locations(stops: Iterable[Stop]) -> tuple[tuple[str, str], ...]:
    """The locations of the lines at which Dynamo stopped: line, `file:number`."""
    return tuple((at(stop), stop.location) for stop in stops if stop.location is not None)


class BytecodeFormat(Format):
    """Frames, each in its original form and as rewritten by Dynamo."""

    def render(self, record: Record, stage: str) -> Artifact | None:
        frames: list[Bytecode] = record.get("bytecode")
        sections = []
        for frame in frames:
            for title, lines in (("original", frame.original), ("transformed", frame.transformed)):
                body = "\n".join(f"{number:4} {scrub(line)}" for number, line in enumerate(lines))
                sections.append(f"{frame.function}: {title}\n{body}\n")
        return Artifact(stage, renumber("\n".join(sections))) if sections else None


def _guard_lines(part: str) -> list[str]:
    """The lines of a guard without run-specific details."""
    return [line for raw in split_lines(scrub(_OBJECT.sub(r"\1", part))) if (line := raw.strip())]


class GuardsFormat(Format):
    """Frames, each with the guards under which its compiled code may be reused, as they are evaluated."""

    def render(self, record: Record, stage: str) -> Artifact | None:
        frames: list[Guards] = record.get(stage)
        sections = []
        for frame in frames:
            lines = dict.fromkeys(line for part in frame.parts for line in _guard_lines(part))
            sections.append("\n".join([f"{frame.function}:", *(f"  {line}" for line in lines)]) + "\n")
        if not sections:
            return None
        noted: list[Written] = record.get("guards_written")
        written = [Written(line, guard.author) for guard in noted for line in _guard_lines(guard.line)]
        text = "\n".join(sections)
        return Artifact(stage, text, facts=authors.wrote(text, written))

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        from pytest_compile_golden.formats.guard_edits import edits

        return edits(old, new) or super().edits(old, new)

    def explains(self, old: str, new: str, codes: Collection[str]) -> bool:
        """Whether the frames, and the guards that both sides have, are the same in any order."""
        from pytest_compile_golden.formats.guard_edits import CODES, same_besides

        return set(codes) <= CODES and same_besides(old, new)


class StopsFormat(Format):
    """Graph breaks or recompilations, each with its reason."""

    def __init__(self, none: str, stage: str) -> None:
        self._none = none
        """The text if there are none."""
        self._stage = stage

    def render(self, record: Record, stage: str) -> StopsArtifact:
        stops: list[Stop] = record.get(stage)
        lines = []
        for number, stop in enumerate(stops):
            lines.append(f"{number}: {at(stop)}")
            lines += [f"   {line}" for line in reason(stop)]
        text = "\n".join(lines or [self._none]) + "\n"
        limits = tuple(stop.limit for stop in stops if stop.limit is not None)
        return StopsArtifact(stage, text, tuple(stop.reason for stop in stops), locations(stops), limits)

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        from pytest_compile_golden.formats import stops

        before, after = stops.read(old), stops.read(new)
        changed = distinct(change for change, _ in stops.differences(self._stage, before, after))
        if changed or not before:
            return changed or super().edits(old, new)
        # The same number of stops at the same lines: only the wording differs.
        return (stops.reworded(self._stage, before, after),)

    def explains(self, old: str, new: str, codes: Collection[str]) -> bool:
        """Whether Dynamo stops at the same lines as often, in the same order."""
        from pytest_compile_golden.formats import stops

        before, after = ([stop.at for stop in stops.read(side)] for side in (old, new))
        return set(codes) == {StopReworded.code} and before == after


BYTECODE = BytecodeFormat()
GUARDS = GuardsFormat()
GRAPH_BREAKS = StopsFormat("no graph breaks", "graph_breaks")
RECOMPILES = StopsFormat("no recompiles", "recompiles")
