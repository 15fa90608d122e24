"""What a move does to the programs, and what that is called."""

from __future__ import annotations

import traceback
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.moved.moves import Move
from pytest_compile_golden import api
from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.api.compat_check.__main__ import PIECES, PRODUCT, TRAINING
from pytest_compile_golden.errors import CompileGoldenError, UnsupportedTorch, chain
from pytest_compile_golden.stages import get_stage

CASES = {
    f"{program.name} on {target}": (program, target)
    for program, target in (
        (PRODUCT, "cpu-avx2"),
        (PIECES, "cuda-sm90"),
        (TRAINING, "cuda-sm90"),
    )
}
PROMISED, CLEAR, OURS, ACCUSED, NONE = (
    "named, everything else as before",
    "clear end",
    "traceback of ours",
    "torch accused",
    "no effect",
)
_ORDER = (OURS, ACCUSED, CLEAR, PROMISED, NONE)
_PACKAGE = str(Path(api.__file__).parent)
_BENCHMARK = str(Path(__file__).parent)


@dataclass(frozen=True)
class Outcome:
    move: str
    effect: str
    detail: str = ""


Seen = dict[str, dict[str, Any]]


def capture_all(cases: Collection[str] = tuple(CASES)) -> Seen:
    """What each case shows: texts of stages, what is unavailable, or the error."""
    seen: Seen = {}
    for name in cases:
        program, target = CASES[name]
        try:
            seen[name] = _texts(api.capture(target=target, **program.options()))
        except BaseException as error:
            seen[name] = _failed(error)
    return seen


_COMPILED = (
    "ttir",
    "ttgir",
    "llir",
    "ptx",
    "sass",
    "assembly",
    "kernel_resources",
    "amdgcn",
)


def _texts(captured: Capture) -> dict[str, Any]:
    artifacts = {
        name: captured[name] for name in captured.stages if name not in _COMPILED
    }
    return {
        "texts": {name: str(artifact) for name, artifact in artifacts.items()},
        "unavailable": captured.unavailable,
        "lacks": captured.lacks,
        # Parts of a stage that is there.
        "unknown": {
            name: sorted(artifact.unavailable) for name, artifact in artifacts.items()
        },
    }


def _failed(error: BaseException) -> dict[str, Any]:
    causes = list(chain(error))
    files = [
        frame.filename
        for cause in causes
        for frame in traceback.extract_tb(cause.__traceback__)
        if not frame.filename.startswith(_BENCHMARK)
    ]
    named = any(isinstance(cause, UnsupportedTorch) for cause in causes)
    ours = not named and bool(files) and files[-1].startswith(_PACKAGE)
    ours = ours and not isinstance(causes[-1], CompileGoldenError)
    text = " | ".join(f"{type(cause).__name__}: {cause}"[:300] for cause in causes)
    return {
        "error": text,
        "clear": named or (isinstance(error, CompileGoldenError) and not ours),
        "ours": ours,
    }


def judged(move: Move, before: Seen, after: Seen) -> Outcome:
    """The worst that the move does to any case."""
    effects = [_effect(move, before[case], seen) for case, seen in after.items()]
    effect, detail = min(
        effects,
        key=lambda each: _ORDER.index(each[0]),
        default=(NONE, "no case reads it"),
    )
    return Outcome(move.name, effect, detail)


def _effect(
    move: Move, before: dict[str, Any], after: dict[str, Any]
) -> tuple[str, str]:
    def named(text: str) -> bool:
        return any(word in text for word in move.words)

    if "error" in after:
        text = after["error"]
        if after["ours"] or not after["clear"]:
            return (OURS if after["ours"] else ACCUSED), text
        return (PROMISED if move.row.feature and named(text) else CLEAR), text
    lost = {
        part: why
        for kind in ("unavailable", "lacks")
        for part, why in after[kind].items()
        if why != before[kind].get(part)
    }
    lacking = [part for part in lost if part in after["lacks"]]
    for stage, text in before["texts"].items():
        if stage == "decisions":  # made of stages that are judged themselves
            continue
        now = after["texts"].get(stage)
        if now is None and stage not in lost:
            return ACCUSED, f"{stage} is silently absent"
        if now is not None and not lacking:
            form = get_stage(stage).format
            # As a run does: what is unknown stays as it is in the golden.
            now = form.carry_over(text, now, after["unknown"][stage])
            if form.canonical(now) != form.canonical(text):
                new = next(
                    (
                        line
                        for line in now.splitlines()
                        if line not in text.splitlines()
                    ),
                    "fewer lines",
                )
                return ACCUSED, f"{stage}: {new}"
    told = "; ".join(f"{part}: {why}" for part, why in lost.items())
    if unnamed := [
        f"{part}: {why}"
        for part, why in lost.items()
        if not named(why) and not named(part)
    ]:
        return CLEAR, unnamed[0]
    return (PROMISED, told) if lost else (NONE, "")
