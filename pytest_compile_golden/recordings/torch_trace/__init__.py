"""What torch logs of each compile with `TORCH_TRACE=FOLDER` (torch/_logging/_internal.py), as a side to compare.

Each compile is a case, named after its function.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path, PurePath, PurePosixPath

from pytest_compile_golden.errors import UnknownSide
from pytest_compile_golden.facts.record import Environment
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.recordings.recording import (
    RecordedCase,
    Recording,
    read_elsewhere,
)
from pytest_compile_golden.recordings.torch_trace.logged_compiles import (
    STAGES,
    TracedCompile,
    TraceEvent,
    compiles,
    log_files,
    read_events,
    record,
)
from pytest_compile_golden.stages import get_stage

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


def is_trace(path: Path) -> bool:
    """Whether a folder has logs that torch wrote there with TORCH_TRACE."""
    return path.is_dir() and bool(log_files(path))


def read(path: Path) -> Recording:
    """The compiles of a trace, each a case; a folder of several ranks has the cases of all.

    path: the folder, or one file of it. A compile is the same on both sides if it is that function's first, second ...
    on that rank: torch's own numbers shift with every frame that is compiled before.
    Raises UnknownSide if it holds no trace.
    """
    files = log_files(path)
    if not files:
        raise UnknownSide(
            f"{path} has no trace: run the program with TORCH_TRACE={path}, which writes a file a process."
        )
    torch = commit = None
    cases: list[RecordedCase] = []
    for file in files:
        try:
            events = list(read_events(file))
            torch, commit = _version(events) or (torch, commit)
            cases += _cases(
                compiles(events),
                Environment(torch or "0", None, ""),
                {case.folder for case in cases},
            )
        except (
            TypeError,
            ValueError,
            LookupError,
            AttributeError,
            RecursionError,
        ) as error:
            # Events of another form.
            raise UnknownSide(
                f"{file} is damaged, or of a torch that logs something else ({type(error).__name__}: {error}). Run the "
                "program with TORCH_TRACE again."
            ) from None
    started = datetime.fromtimestamp(files[0].stat().st_mtime, timezone.utc).isoformat(
        timespec="seconds"
    )
    run = replace(read_elsewhere(torch, cases, STAGES), started=started, commit=commit)
    return Recording(run, tuple(sorted(cases, key=lambda case: case.folder)))


def _version(events: Sequence[TraceEvent]) -> tuple[str, str | None] | None:
    said = next(
        (event.payload for event in events if event.name == "torch_version"), ""
    )
    try:
        version = json.loads(said)
        return str(version["pytorch_version"]), version.get("commit")
    except (ValueError, KeyError, TypeError):
        return None


def _cases(
    found: Sequence[TracedCompile], environment: Environment, taken: set[PurePosixPath]
) -> Iterator[RecordedCase]:
    times: Counter[tuple[str, str]] = Counter()
    for compile_ in found:
        file, _, function, _ = compile_.frame
        name = PurePath(file).stem or "torch", function
        case = _case(compile_, environment, *name, times[name])
        times[name] += 1
        if case.folder in taken:
            raise UnknownSide(
                f"two processes of this trace compiled {case.nodeid}, and neither says its rank: name one of its files."
            )
        yield case


def _case(
    compile_: TracedCompile,
    environment: Environment,
    module: str,
    function: str,
    time: int,
) -> RecordedCase:
    made = record(compile_, environment)
    target = (
        made.device_type
        if compile_.rank is None
        else f"{made.device_type}-rank{compile_.rank}"
    )
    made.target = target
    artifacts = []
    for name in STAGES:
        stage = get_stage(name)
        artifact = None if name in made.unavailable else stage.render(made)
        if artifact is not None:
            artifacts.append(StoredArtifact(name, name, stage.extension, artifact.text))
    again = f" (compile {time + 1})" if time else ""
    failure = compile_.failure
    return RecordedCase(
        folder=PurePosixPath(
            *(_UNSAFE.sub("_", part) for part in (module, f"{function}_{time}", target))
        ),
        nodeid=f"{module}.py::{function}{again}",
        target=target,
        outcome="passed" if failure is None else "failed",
        message=failure,
        seconds=None,
        artifacts=tuple(artifacts),
        unavailable={
            name: why for name, why in made.unavailable.items() if name in STAGES
        },
    )
