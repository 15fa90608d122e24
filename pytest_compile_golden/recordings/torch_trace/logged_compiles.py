"""What torch logged of each compile as the record that a capture of it would have made, as far as it logs that.

Nothing in the logs (torch/_logging/_internal.py: trace_structured) is evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_compile_golden.common.constants import CODE_STAGES
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import UnknownSide
from pytest_compile_golden.facts.frames import Frame, frames, plain_function
from pytest_compile_golden.facts.generated_code import OutputCode
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.facts.guards import Guards, Stop
from pytest_compile_golden.facts.record import Environment, Record
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.inductor_module import read_module
from pytest_compile_golden.formats.metrics.metric_table import METRICS
from pytest_compile_golden.recordings.torch_trace import logged_graphs

_GRAPHS = {
    "dynamo_output_graph": ("dynamo_graph", ""),
    "after_pre_grad_graph": ("pre_grad_graph", ""),
    "aot_inference_graph": ("aot_graph", ""),
    "aot_joint_graph": ("aot_graph", "joint"),
    "aot_forward_graph": ("forward_graph", "forward"),
    "aot_backward_graph": ("backward_graph", "backward"),
}
"""Events with a printed graph, each with the stage that it is and the direction of the graph."""
_POST_GRAD = "inductor_post_grad_graph"
_CODE = "inductor_output_code"
STAGES = (
    "graph_breaks", "recompiles", "dynamo_graph", "pre_grad_graph", "aot_graph", "forward_graph", "backward_graph",
    "post_grad_graph", "triton_code", "cpp_code", "template_code", "wrapper_code", "guards", "metrics",
)  # fmt: skip
"""What a trace can show, in pipeline order."""
_NOT_LOGGED = ("bytes_accessed", "cache_hits", "pattern_matches")
"""Metrics that a trace does not show, although it does show their stages."""
_ANY_ATTEMPT = (
    "dynamo_start",
    "dynamo_graph_break_reason",
    "recompile_reasons",
    _POST_GRAD,
    _CODE,
)
"""Events that count whichever attempt they are from: a backward graph that is compiled later has the first one's."""
_OTHERS = ("dynamo_cpp_guards_str", "compilation_metrics")
_HITS = ("aotautograd_cache_hit", "fx_graph_cache_hit")
_READ = frozenset({*_GRAPHS, *_ANY_ATTEMPT, *_OTHERS, *_HITS})
_AOT_ID = re.compile(r"^# AOT ID: \['(\d+)_(forward|backward|inference)'\]", re.M)
_OF_A_GPU = ("empty_strided_cuda(", "async_compile.triton(", "]cuda:")
"""Parts of graphs and of code."""
_BREAK = re.compile(
    r"(?:Graph Break Reason|Reason): (.*?)\n(?:\s*\n)?User code traceback:", re.S
)
_EARLIER = re.compile(r"^\d+/\d+: ")
"""In the reason for a recompilation: the earlier compile that did not fit."""
_FILES = "dedicated_log_torch_trace_*.log"
"""As torch names them, one for each process (torch/_logging/_internal.py: LazyTraceHandler)."""


@dataclass
class TracedCompile:
    """One compile of one frame, or of what is compiled without one."""

    rank: int | None
    events: list[TraceEvent] = field(default_factory=list)
    earlier: TracedCompile | None = None
    """The one before it of the same frame."""

    @property
    def frame(self) -> Frame:
        """The function that is compiled, where it begins."""
        started = next(
            (event.data for event in self.events if event.name == "dynamo_start"), None
        )
        stack = started.get("stack") if isinstance(started, dict) else None
        if not stack and self.earlier is not None:
            return self.earlier.frame  # it is not begun if it is one too many
        if not stack:
            return Frame("", 0, "outside_dynamo")
        here = stack[-1]
        return Frame(
            str(here.get("filename")),
            here.get("line", 0),
            plain_function(str(here.get("name"))),
        )

    @property
    def ended(self) -> bool:
        """Whether the log has what torch writes last of a compile."""
        return any(event.name == "compilation_metrics" for event in self.events)

    @property
    def failure(self) -> str | None:
        """Why Dynamo gave up on the frame, if it did."""
        for event in self.events:
            if event.name == "compilation_metrics" and event.data.get("fail_type"):
                return f"{event.data['fail_type']}: {event.data.get('fail_reason') or 'no reason given'}"
        return None


def compiles(events: Iterable[TraceEvent]) -> list[TracedCompile]:
    """The compiles of one process in the order in which they began, each with the events of its last attempt.

    Dynamo starts a frame again where it must break the graph; what it logged about breaks before that still counts.
    """
    files: dict[int, str] = {}
    found: list[TracedCompile] = []
    by_id: dict[str, TracedCompile] = {}
    by_frame: dict[str, TracedCompile] = {}
    for event in events:
        if event.name == "str":
            files[event.data[1]] = event.data[0]
            continue
        if event.name not in _READ:
            continue
        if event.name == "dynamo_start":
            if event.compile_id in by_id and by_id[event.compile_id].ended:
                # torch numbers from 0 again after torch._dynamo.reset().
                del by_id[event.compile_id]
            stack = [
                {**frame, "filename": files.get(frame.get("filename"), "")}
                for frame in event.data["stack"]
            ]
            event = TraceEvent(
                event.name,
                {"stack": stack},
                event.compile_id,
                event.attempt,
                event.rank,
                event.payload,
            )
        if event.compile_id not in by_id:
            frame, _, number = event.compile_id.rpartition("/")
            earlier = by_frame.get(frame) if number not in ("", "0") else None
            by_id[event.compile_id] = by_frame[frame] = TracedCompile(
                event.rank, earlier=earlier
            )
            found.append(by_id[event.compile_id])
        by_id[event.compile_id].events.append(event)
    for compile_ in found:
        last = max(event.attempt for event in compile_.events)
        compile_.events = [
            event
            for event in compile_.events
            if event.attempt == last or event.name in _ANY_ATTEMPT
        ]
    return found


def record(compile_: TracedCompile, environment: Environment) -> Record:
    """What the compile's events say, under the names of the stages that show it."""
    events = compile_.events
    training = any(event.name == "aot_joint_graph" for event in events)
    texts = "".join(
        event.payload
        for event in events
        if event.name in (_CODE, "dynamo_output_graph")
    )
    made = Record(
        "",
        "cuda" if any(part in texts for part in _OF_A_GPU) else "cpu",
        training,
        environment,
    )
    captured = -1
    numbers: dict[str, int] = {}
    waiting: list[str] = []
    for event in events:
        if event.name == "dynamo_output_graph":
            captured += 1
        if event.name in _GRAPHS:
            stage, direction = _GRAPHS[event.name]
            _add_graph(
                made, stage, event.payload, GraphKey(max(captured, 0), direction)
            )
        elif event.name == _POST_GRAD:
            waiting.append(event.payload)
        elif event.name == _CODE:
            key = _key(event.payload, numbers)
            for text in waiting:
                _add_graph(made, "post_grad_graph", text, key)
            waiting.clear()
            _add_code(made, event.payload, key)
        elif event.name == "dynamo_graph_break_reason":
            _add_break(made, event.payload, compile_.frame.function)
        elif event.name == "recompile_reasons":
            _add_recompile(made, event.payload, compile_.frame)
        elif event.name == "dynamo_cpp_guards_str":
            made.add(
                "guards", Guards(compile_.frame.function, tuple(_guards(event.payload)))
            )
    for text in waiting:  # the compile ended before there was code for it
        _add_graph(made, "post_grad_graph", text, GraphKey(max(captured, 0)))
    made.unavailable.update(_unknown(made, events))
    return made


def _add_graph(made: Record, stage: str, text: str, key: GraphKey) -> None:
    if not text.strip():
        return
    taken = sum(
        graph.key.index == key.index and graph.key.direction == key.direction
        for graph in made.get(stage)
    )
    if taken:  # a part of a graph that was split
        key = replace(key, split=taken)
    try:
        made.add(stage, logged_graphs.read(text, key))
    except Unreadable as error:
        made.unavailable[stage] = f"the trace's graph cannot be read: {error}"


def _key(code: str, numbers: dict[str, int]) -> GraphKey:
    """The graph that code is for: graphs are numbered as they first appear among the compile's."""
    found = _AOT_ID.search(code)
    number, direction = (
        found.groups() if found is not None else (str(len(numbers)), "inference")
    )
    return GraphKey(
        numbers.setdefault(number, len(numbers)), direction.replace("inference", "")
    )


def _add_code(made: Record, code: str, key: GraphKey) -> None:
    try:
        kernels = len(read_module(code).kernels)
    except (SyntaxError, ValueError) as error:
        for stage in (*CODE_STAGES, "wrapper_code"):
            made.unavailable[stage] = f"the trace's output code cannot be read: {error}"
        return
    made.add("output_code", OutputCode(key, code, bytes_accessed=0))
    # On a CPU calls are counted instead (formats/metrics/metric_counts.py).
    made.numbers["generated_kernel_count"] = (
        made.numbers.get("generated_kernel_count", 0) + kernels
    )


def _add_break(made: Record, text: str, function: str) -> None:
    reason = _BREAK.search(text)
    own = [
        frame for frame in frames(text) if frame.code and "/torch/" not in frame.file
    ]
    at = (own[-1].quoted, own[-1].location) if own else (None, None)
    stop = Stop(function, reason[1] if reason is not None else text, *at)
    if stop not in made.get("graph_breaks"):
        made.add("graph_breaks", stop)
        breaks = made.counters.setdefault("graph_break", {})
        breaks[stop.reason] = breaks.get(stop.reason, 0) + 1


def _add_recompile(made: Record, text: str, frame: Frame) -> None:
    try:
        reasons = json.loads(text)
    except ValueError:
        reasons = split_lines(text)
    lines = [
        _EARLIER.sub("", str(line))
        for line in (reasons if isinstance(reasons, list) else [reasons])
    ]
    made.add("recompiles", Stop(frame.function, "\n".join(lines), None, frame.location))


def _guards(text: str) -> Iterator[str]:
    for line in split_lines(text):
        kind, colon, guard = line.partition("+- ")[2].partition(": ")
        if colon and kind.isupper():
            yield guard.partition(" against {")[0]


def _unknown(made: Record, events: Sequence[TraceEvent]) -> Iterator[tuple[str, str]]:
    """What the trace does not say about this compile, with the reason."""
    hit = next((event.name for event in events if event.name in _HITS), None)
    if hit is not None:
        names = {event.name for event in events}
        for name, (stage, direction) in _GRAPHS.items():
            other_kind = (
                "aot_inference_graph" in names
                if direction
                else "aot_joint_graph" in names
            )
            if name not in names and not (other_kind and stage != "pre_grad_graph"):
                yield (
                    stage,
                    f"torch answered from a cache ({hit}); TORCHINDUCTOR_FORCE_DISABLE_CACHES=1 avoids that",
                )
    for name in (
        *(metric.stage for metric in METRICS if metric.stage not in STAGES),
        *_NOT_LOGGED,
    ):
        yield name, "a trace does not show it"


@dataclass(frozen=True)
class TraceEvent:
    """One event: what torch says about it, and the text that comes with it."""

    name: str
    """The event's, or for an artifact the artifact's: `dynamo_output_graph`, `inductor_output_code` ..."""
    data: Any
    compile_id: str
    """As torch and tlparse write it, `0/1`: frame and compile; empty outside Dynamo."""
    attempt: int
    rank: int | None
    payload: str


def log_files(path: Path) -> list[Path]:
    """The log files of a folder, or the file itself."""
    return (
        [path]
        if path.is_file()
        else sorted(file for file in path.rglob(_FILES) if file.is_file())
    )


def read_events(file: Path) -> Iterator[TraceEvent]:
    """The events of one process, in order. Lines that are no part of an event are skipped.

    Raises UnknownSide if there are no events at all.
    """
    fields: dict[str, Any] | None = None
    lines: list[str] = []
    found = False
    with file.open(encoding="utf-8", errors="replace") as log:
        for line in log:
            if line.startswith("\t"):
                lines.append(line[1:])
                continue
            if fields is not None:
                yield _event(fields, "".join(lines))
            fields, lines = _fields(line), []
            found |= fields is not None
    if fields is not None:
        yield _event(fields, "".join(lines))
    if not found:
        raise UnknownSide(
            f"{file} is not a log that torch wrote: name what TORCH_TRACE=FOLDER python PROGRAM writes."
        )


def _fields(line: str) -> dict[str, Any] | None:
    """The JSON behind the prefix of a line of the trace, `V1125 00:50:00.028000 7698 torch/...py:2350] `."""
    _, bracket, text = line.partition("] {")
    if not bracket or not line.startswith("V"):
        return None
    try:
        fields = json.loads("{" + text)
    except ValueError:
        return None
    return fields if isinstance(fields, dict) and fields else None


def _event(fields: dict[str, Any], payload: str) -> TraceEvent:
    name = next(iter(fields))
    data = fields[name]
    if name == "artifact" and isinstance(data, dict):
        name = str(data.get("name"))
    frame, autograd = fields.get("frame_id"), fields.get("compiled_autograd_id")
    compile_id = (
        "" if frame is None else f"{frame}/{fields.get('frame_compile_id') or 0}"
    )
    if autograd is not None:
        compile_id = f"!{autograd}/{compile_id}".removesuffix("/")
    return TraceEvent(
        name,
        data,
        compile_id,
        int(fields.get("attempt") or 0),
        fields.get("rank"),
        payload,
    )
