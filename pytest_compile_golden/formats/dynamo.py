"""Dynamo's stages as text: bytecode, guards, graph breaks and recompilations; and how guards changed."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from pytest_compile_golden.changes.change import Change, distinct
from pytest_compile_golden.changes.common_types import NewOrGone, Simple
from pytest_compile_golden.changes.guards import GuardsChanged
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.regular_expressions import replaced
from pytest_compile_golden.facts.generated_code import EmittedLine
from pytest_compile_golden.facts.guards import Bytecode, Guards, Stop
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats import authors, graph_breaks
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.canonical_text import arguments, plain
from pytest_compile_golden.formats.format import Format
from pytest_compile_golden.formats.graph_breaks import StopLine

Lines = Sequence[str]
"""A document of guards."""
# Things that differ between runs of the same program, or that depend on the machine.
_scrubbed = replaced(
    (
        (r"(torch_dynamo_resume_in_\w+?)_at_\d+", r"\1"),
        (r"(__compiled_fn_\d+)_[0-9a-f_]+", r"\1"),
        (r"(__builtins_dict__|__import_\w+?|_dict___)_*\d+", r"\1"),
        (
            r"(___check_obj_id|___check_type_id|___check_fake_script_type)\((.+?), \d+\)",
            r"\1(\2)",
        ),
        (r"(ID_MATCH|TYPE_MATCH|EQUALS_MATCH)(.*?) \d{6,}", r"\1\2"),
        # A hook's number is the number of hooks that the process had before it.
        (r"(___dict_contains)\(\d+, (?=[^\n]*_hooks)", r"\1(<hook>, "),
        # An address has 8 digits or more where Python is not position-independent, as Debian's and Ubuntu's are not.
        (r"(?:_\d{8,})+(?:_c\d+)?", ""),
        (r"\b\d{12,}\b", "<id>"),
        (r"0x[0-9a-f]{6,}", "<address>"),
        # What a fake tensor adds to the guard of the tensor it stands for.
        (r"\bFakeTensor\b", "Tensor"),
        (r"(?<=, )(?:Python|PythonTLSSnapshot)(?:, |(?=\)))", ""),
        (r", (?=\), torch\.)", ""),
        (r", type=<class '[^']+'>", ""),
        # Columns, which are as far apart as what is left out is long.
        (r" +(?=\(HINT: )", " "),
        (r"(num_threads[^,)]*?)\d+", r"\1N"),
        (r"(?m)\s*#.*$", ""),
        # A stack frame: the folder and the line number are not part of what the program does.
        (r'(File ")(?:[^"\n]*[/\\])?([^"/\\\n]+"), line \d+', r"\1\2"),
        (r"(?<![\w.])(?:/[\w.+@~-]+)+/([\w.+-]+\.py)", r"\1"),
        # A module of an installed package, without its suffix.
        (r"(?:/[\w.+@~-]+)+/(?:site|dist)-packages/", ""),
    )
)
# torch 2.11 prints the object itself here, including a tensor's values; later versions print its class.
_OBJECT = re.compile(r"(___check_obj_id\(.*?\)), type=.*", re.S)
# Advice and links depend on torch's documentation, not on the program; blank lines say nothing.
_ADVICE = ("Hint:", "For more details")
CODES = frozenset(
    {
        "global-state",
        "global-state-listed",
        "guards-changed",
        "guards-reordered",
        "marks-guarded",
        "sizes-listed",
    }
)
"""Those of the edits made here."""
_SOURCE = re.compile(r"[LG]\[[^\]]*\](?:\[[^\]]*\]|\.\w+(?!\())*")
_STATE = " against {"
"""In the guard on global state, before the state."""
_SIZES = (".size()", ".stride()", ".storage_offset()")
_HAS = re.compile(r"hasattr\((.+), '(\w+)'\)")
_MARK = "_dynamo_"
"""How the names of attributes begin that Dynamo sets on tensors (torch/_dynamo/decorators.py)."""
_CALL = re.compile(r"\w+(?=\()")


def scrub(text: str) -> str:
    """`text` without object ids, paths and comments, and with sets sorted."""
    # Sets are printed in hash order.
    return _SET.sub(
        lambda match: f"{{{', '.join(sorted(arguments(match[1])))}}}", _scrubbed(text)
    )


_PROCESS_WIDE = re.compile(
    r"\b(__compiled_fn|__resume_at_\d+|___context_manager_\d+|tmp)_(\d+)"
)
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
        """How often Dynamo stopped, so that a test can say `assert len(captured["graph_breaks"]) == 1`."""
        return len(self.reasons)

    def __bool__(self) -> bool:
        return True  # there is an artifact even if nothing stopped


def at(stop: Stop) -> str:
    """Where Dynamo stopped: `function: source line`, or the function."""
    return stop.code or stop.function


def reason(stop: Stop) -> list[str]:
    """The lines of the reason, without run-specific details and advice; first the limit that was reached, if any."""
    limit = (
        []
        if stop.limit is None
        else [f"not compiled, {stop.limit} reached: runs eagerly from here on"]
    )
    return limit + [
        line
        for line in map(str.strip, split_lines(scrub(stop.reason)))
        if line and not line.startswith(_ADVICE)
    ]


def locations(stops: Iterable[Stop]) -> tuple[tuple[str, str], ...]:
    """The locations of the lines at which Dynamo stopped: line, `file:number`."""
    return tuple(
        (at(stop), stop.location) for stop in stops if stop.location is not None
    )


class BytecodeFormat(Format):
    """Frames, each in its original form and as rewritten by Dynamo."""

    def render(self, record: Record, stage: str) -> Artifact | None:
        frames: list[Bytecode] = record.get("bytecode")
        sections = []
        for frame in frames:
            for title, lines in (
                ("original", frame.original),
                ("transformed", frame.transformed),
            ):
                body = "\n".join(
                    f"{number:4} {scrub(line)}" for number, line in enumerate(lines)
                )
                sections.append(f"{frame.function}: {title}\n{body}\n")
        return Artifact(stage, renumber("\n".join(sections))) if sections else None


def _guard_lines(part: str) -> list[str]:
    """The lines of a guard without run-specific details."""
    return [
        line
        for raw in split_lines(scrub(_OBJECT.sub(r"\1", part)))
        if (line := raw.strip())
    ]


class GuardsFormat(Format):
    """Frames, each with the guards under which its compiled code may be reused, as they are evaluated."""

    def render(self, record: Record, stage: str) -> Artifact | None:
        frames: list[Guards] = record.get(stage)
        sections = []
        for frame in frames:
            lines = dict.fromkeys(
                line for part in frame.parts for line in _guard_lines(part)
            )
            sections.append(
                "\n".join([f"{frame.function}:", *(f"  {line}" for line in lines)])
                + "\n"
            )
        if not sections:
            return None
        noted: list[EmittedLine] = record.get("guards_written")
        written = [
            EmittedLine(line, guard.author)
            for guard in noted
            for line in _guard_lines(guard.line)
        ]
        text = "\n".join(sections)
        return Artifact(stage, text, facts=authors.wrote(text, written))

    def edits_of(self, old: Lines, new: Lines) -> Iterable[Change]:
        return edits(old, new)

    def explains_of(self, old: Lines, new: Lines, codes: Collection[str]) -> bool:
        """Whether the frames, and the guards that both sides have, are the same in any order."""
        return set(codes) <= CODES and same_besides(old, new)


class StopsFormat(Format):
    """Graph breaks or recompilations, each with its reason. What is asked about them is asked of `StopLine`s."""

    def __init__(self, none: str, stage: str) -> None:
        self._none = none
        """The text if there are none."""
        self._stage = stage

    def render(self, record: Record, stage: str) -> StopsArtifact:
        found: list[Stop] = record.get(stage)
        lines = []
        for number, stop in enumerate(found):
            lines.append(f"{number}: {at(stop)}")
            lines += [f"   {line}" for line in reason(stop)]
        text = "\n".join(lines or [self._none]) + "\n"
        limits = tuple(stop.limit for stop in found if stop.limit is not None)
        return StopsArtifact(
            stage, text, tuple(stop.reason for stop in found), locations(found), limits
        )

    document = staticmethod(graph_breaks.read)

    def canonical(self, text: str) -> object:
        return plain(text)

    def edits_of(
        self, old: Sequence[StopLine], new: Sequence[StopLine]
    ) -> Iterable[Change]:
        changed = [
            change for change, _ in graph_breaks.differences(self._stage, old, new)
        ]
        # The same number of stops at the same lines: only the wording differs.
        return changed or (
            [graph_breaks.reworded(self._stage, old, new)] if old else []
        )

    def explains_of(
        self, old: Sequence[StopLine], new: Sequence[StopLine], codes: Collection[str]
    ) -> bool:
        """Whether Dynamo stops at the same lines as often, in the same order."""
        return set(codes) == {"stop-reworded"} and [stop.at for stop in old] == [
            stop.at for stop in new
        ]


BYTECODE = BytecodeFormat()
GUARDS = GuardsFormat()
GRAPH_BREAKS = StopsFormat("no graph breaks", "graph_breaks")
RECOMPILES = StopsFormat("no recompiles", "recompiles")


def edits(old: Lines, new: Lines) -> tuple[Change, ...]:
    """The edits between two artifacts of guards; a single one if only their order differs."""
    before, after = _guards(old), _guards(new)
    gone = [line for line in before if line not in after]
    come = [line for line in after if line not in before]
    state, gone, come = _state(gone, come)
    changes: list[Change] = list(state)
    for new_ones, lines, others in ((False, gone, after), (True, come, before)):
        kinds: dict[str, list[str]] = {}
        for line in lines:
            kinds.setdefault(_kind(line), []).append(line)
        if "sizes" in kinds and _hides_sizes(others):
            changes.append(
                NewOrGone("sizes-listed", (kinds.pop("sizes")[0],), new_ones)
            )
        changes += [_change(new_ones, kind, alike) for kind, alike in kinds.items()]
    return distinct(changes) or (
        (Simple("guards-reordered"),) if before != after else ()
    )


def same_besides(old: Lines, new: Lines) -> bool:
    """Whether both have the same frames, and are otherwise the same besides guards that only one of them has."""
    both = set(_guards(old)) & set(_guards(new))

    def counting(lines: Lines) -> tuple[list[str], list[str], int]:
        """The frames, the guards that both have, and how many are on global state."""
        guards = _guards(lines)
        frames = [line for line in lines if line and not line.startswith(" ")]
        return (
            frames,
            sorted(line for line in guards if line in both),
            sum(_STATE in line for line in guards),
        )

    return counting(old) == counting(new)


def _guards(lines: Lines) -> list[str]:
    return [
        line.strip()
        for line in lines
        if line.startswith(" ") and not line.startswith("  #")
    ]


def _hides_sizes(guards: Sequence[str]) -> bool:
    """Whether there are guards on sizes that are not listed, as happened until torch 2.15 (torch/_dynamo/guards.py)."""
    # Each size that varies has at least one guard: that it is neither 0 nor 1.
    sizes = [
        line.partition(" size=[")[2].partition("]")[0]
        for line in guards
        if "check_tensor(" in line
    ]
    return any("None" in each for each in sizes) and not any(
        _kind(line) == "sizes" for line in guards
    )


def _state(
    gone: Sequence[str], come: Sequence[str]
) -> tuple[list[Change], list[str], list[str]]:
    """Changes of the fields that the guard on global state compares, and the lines that are other guards."""
    fields_changed: list[Change] = []
    before, after = (
        [line for line in lines if _STATE in line] for lines in (gone, come)
    )
    pairs = list(zip(before, after, strict=False))
    for pair in pairs:
        fields = [_fields(guard) for guard in pair]
        for name in dict.fromkeys((*fields[0], *fields[1])):
            if fields[0].get(name) == fields[1].get(name):
                continue
            listed = all(name in side for side in fields)
            fields_changed.append(
                Simple("global-state", (name,))
                if listed
                else NewOrGone("global-state-listed", (name,), name in fields[1])
            )
    compared = {guard for pair in pairs for guard in pair}
    # A frame may have no such guard on one side. What it compares says nothing then.
    others = [
        [line.partition(_STATE)[0] for line in lines if line not in compared]
        for lines in (gone, come)
    ]
    return fields_changed, others[0], others[1]


def _fields(guard: str) -> dict[str, object]:
    try:
        values = json.loads("{" + re.sub(r":N\b", ":0", guard.rpartition(_STATE)[2]))
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def _kind(guard: str) -> str:
    if has := _HAS.match(guard):
        return (
            "marks"
            if has[2].startswith(_MARK)
            else f"hasattr {'module' if has[1].startswith('G') else 'input'}"
        )
    if any(size in guard for size in _SIZES):
        return "sizes"
    if "G[" in guard and "L[" not in guard:
        return "objects"
    called = _CALL.search(guard)
    return called[0] if called else _SOURCE.sub("x", guard)


def _change(new: bool, kind: str, lines: Sequence[str]) -> Change:
    names = tuple(
        dict.fromkeys(match[2] for line in lines if (match := _HAS.match(line)))
    )
    if kind == "marks":
        return NewOrGone("marks-guarded", names, new)
    if kind.startswith("hasattr"):
        return GuardsChanged(
            tuple(lines), new, "attributes", names, f"{kind} {' '.join(sorted(names))}"
        )
    if kind in ("sizes", "objects"):
        return GuardsChanged(tuple(lines), new, kind, same_kind=kind)
    plain = dict.fromkeys(_SOURCE.sub("x", line) for line in lines)
    return GuardsChanged(
        tuple(lines), new, same_kind=kind if "(" in lines[0] else " ".join(plain)
    )
