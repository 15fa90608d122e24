"""One program becomes one row, whatever becomes of the program."""

from __future__ import annotations

import hashlib
import resource
import time
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.api.corpus_program import Program
from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import (
    CaptureFailed,
    CompileGoldenError,
    DataDependentValue,
    InvalidOption,
    NothingCompiled,
    chain,
    innermost,
    reason_of,
)
from pytest_compile_golden.recordings.corpus_rows import Outcome, Row
from pytest_compile_golden.stages import get_stage, stages

_METRICS = "metrics"
_NO_MEMORY = (
    "can't allocate memory",
    "bad_alloc",
    "Cannot allocate memory",
    "not enough memory",
)


@dataclass(frozen=True)
class Job:
    """A program to compile for a target, by an identity's rewrite if there is one."""

    program: Program
    target: str
    rewrite: str = ""
    config: Mapping[str, Any] | None = None

    def row(self, outcome: Outcome, torch: str, **facts: Any) -> Row:
        """The row of this program with an outcome. facts: the other fields of the row."""
        return Row(
            self.program.id,
            torch,
            self.target,
            outcome,
            NORMALISER,
            self.rewrite,
            **facts,
        )


def done(job: Job, torch: str, with_texts: bool) -> tuple[Row, dict[str, str]]:
    """Compile the program; the row, and its texts by digest. Without `with_texts`, only metrics are written down."""
    start = time.process_time()
    texts: dict[str, str] = {}
    try:
        captures = job.program.captures(
            job.target, job.config, only_metrics=not with_texts
        )
        files = dict(_files(captures, with_texts))
        texts = {_digest(text): text for text in files.values()}
        row = job.row(
            "captured",
            torch,
            metrics=_metrics(files),
            stages={name: _digest(text) for name, text in files.items()},
            unavailable={
                stage: why
                for capture in captures
                for stage, why in capture.unavailable.items()
            },
        )
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        # SIGINT never comes here: the program raised it.
        row = _failed(job, torch, error)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return msgspec.structs.replace(
        row, seconds=round(time.process_time() - start, 3), memory=memory
    ), texts


def recorded_stages(with_texts: bool) -> tuple[str, ...]:
    """The stages that are written down: those that a golden checks, and where graphs break."""
    if not with_texts:
        return (_METRICS,)
    return tuple(
        stage.name
        for stage in stages()
        if stage.default or stage.name == "graph_breaks"
    )


def _files(captures: list[Capture], with_texts: bool) -> Iterator[tuple[str, str]]:
    """Each artifact's text by its file name; further captures of a program are numbered."""
    for number, capture in enumerate(captures, 1):
        for name in recorded_stages(with_texts):
            if name in capture:
                stage, text = get_stage(name), capture[name].text
                if not stage.format.is_trivial(text):
                    stem = name if number == 1 else f"{name}.{number}"
                    yield (
                        f"{stem}.{stage.extension}",
                        text if text.endswith("\n") else f"{text}\n",
                    )


def _metrics(files: Mapping[str, str]) -> dict[str, Any]:
    """The numbers of all captures; those of further ones are summed up with the first's."""
    total: dict[str, Any] = {}
    for name, text in files.items():
        if name.startswith(_METRICS):
            for metric, value in (
                get_stage(_METRICS).format.numbers(text) or {}
            ).items():
                both = isinstance(value, (int, float)) and isinstance(
                    total.get(metric), (int, float)
                )
                total[metric] = total[metric] + value if both else value
    return total


def _failed(job: Job, torch: str, error: BaseException) -> Row:
    """A row for a program that was not captured, and the reason."""
    from pytest_compile_golden.observe.torch_errors import unsupported_in_test
    from pytest_compile_golden.targets import get_target

    made = not isinstance(error, CompileGoldenError)
    # By the program itself, before anything was compiled.
    if made and isinstance(error, Exception):
        error = (
            unsupported_in_test(job.program.id, error, get_target(job.target)) or error
        )
    root = innermost(error.__cause__ or error)
    first, *more = split_lines(reason_of(error) if made else str(error)) or [
        type(error).__name__
    ]
    reason = f"{first} {more[0].strip()}" if first.endswith(":") and more else first
    return job.row(
        _outcome(job, error),
        torch,
        reason=reason[:500],
        error=type(root).__name__,
        frame=_frame(root) or _frame(error),
    )


def _outcome(job: Job, error: BaseException) -> Outcome:
    if any(
        isinstance(cause, MemoryError) or any(no in str(cause) for no in _NO_MEMORY)
        for cause in chain(error)
    ):
        return "out of memory"
    if isinstance(error, DataDependentValue):
        return "needs a value"
    if isinstance(error, NothingCompiled):
        return "nothing compiled"
    if isinstance(error, CaptureFailed) and error.__cause__ is not None:
        return (
            "torch failed"
            if job.program.runs_eagerly(job.target)
            else "eager fails too"
        )
    theirs = isinstance(error, InvalidOption) or not isinstance(
        error, CompileGoldenError
    )
    return "eager fails too" if theirs else "ours"


def _frame(error: BaseException) -> str:
    """The innermost function of torch in the error's traceback."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        _, separator, path = frame.filename.rpartition("/torch/")
        if separator:
            return f"torch/{path}: {frame.name}"
    return ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32]
