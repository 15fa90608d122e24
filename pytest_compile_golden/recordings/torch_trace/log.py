"""The files of a TORCH_TRACE folder as events (torch/_logging/_internal.py: trace_structured). Nothing is evaluated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_compile_golden.errors import UnknownSide

_FILES = "dedicated_log_torch_trace_*.log"
"""As torch names them, one for each process (torch/_logging/_internal.py: LazyTraceHandler)."""


@dataclass(frozen=True)
class Event:
    """One event: what torch says about it, and the text that comes with it."""

    name: str
    """The event's, or for an artifact the artifact's: `dynamo_output_graph`, `inductor_output_code` ..."""
    data: Any
    compile_id: str
    """As torch and tlparse write it, `0/1`: frame and compile; empty outside Dynamo."""
    attempt: int
    rank: int | None
    payload: str


def files(path: Path) -> list[Path]:
    """The log files of a folder, or the file itself."""
    return [path] if path.is_file() else sorted(path.rglob(_FILES))


def events(file: Path) -> Iterator[Event]:
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
        raise UnknownSide(f"{file} is not a log that torch wrote: name what TORCH_TRACE=FOLDER python PROGRAM writes.")


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


def _event(fields: dict[str, Any], payload: str) -> Event:
    name = next(iter(fields))
    data = fields[name]
    if name == "artifact" and isinstance(data, dict):
        name = str(data.get("name"))
    frame, autograd = fields.get("frame_id"), fields.get("compiled_autograd_id")
    compile_id = "" if frame is None else f"{frame}/{fields.get('frame_compile_id') or 0}"
    if autograd is not None:
        compile_id = f"!{autograd}/{compile_id}".removesuffix("/")
    return Event(name, data, compile_id, int(fields.get("attempt") or 0), fields.get("rank"), payload)
