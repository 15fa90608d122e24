"""`python -m pytest_compile_golden.canary FOLDER TARGET...`: how far the installed torch can be read on each target.

Captures the canary's programs, and notes which stages do not show what they must.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from pytest_compile_golden.api import capture
from pytest_compile_golden.canary import kept
from pytest_compile_golden.canary.programs import PROGRAMS, CanaryProgram, Fact
from pytest_compile_golden.canary.reading import Reading, Unread
from pytest_compile_golden.captured import Capture
from pytest_compile_golden.errors import StageNotCaptured, StageUnavailable
from pytest_compile_golden.installed import torch_version
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.observe.graphs import without_addresses
from pytest_compile_golden.stages import Stage, get_stage, rank
from pytest_compile_golden.targets import Target, get_target


def read(target: str) -> Reading:
    """How far the installed torch can be read on one target; what fails is part of the result. Raises UnknownTarget."""
    tried = [each for program in PROGRAMS for each in _tried(program, get_target(target))]
    return Reading(
        torch_version() or "",
        (target,),
        tuple(sorted({stage for stage, _ in tried}, key=rank)),
        tuple(dict.fromkeys(Unread(target, stage, reason) for stage, reason in tried if reason)),
    )


def _tried(program: CanaryProgram, target: Target) -> Iterator[tuple[str, str]]:
    """Each stage of the program that exists on the target, with why it cannot be read; empty if it can."""
    facts = [fact for fact in program.facts if _depends_on_torch(get_stage(fact.stage), target)]
    try:
        captured = capture(target=target.name, **program.options())
    except Exception as error:
        reason = f"nothing can be captured: {_first_line(error)}"
        yield from ((fact.stage, reason) for fact in facts)
        return
    for fact in facts:
        yield fact.stage, _why_not(fact, captured, program)


def _depends_on_torch(stage: Stage, target: Target) -> bool:
    """Whether the target has the stage, and neither its machine nor a C++ compiler decides about that."""
    by_compiler = stage.compiles and target.device_type == "cpu"
    return stage.exists_on(target.device_type, target.vendor) and not by_compiler


def _why_not(fact: Fact, captured: Capture, program: CanaryProgram) -> str:
    try:
        unavailable = captured.unavailable_because(fact.stage)
        if unavailable is not None:
            return unavailable
        return "" if fact.holds(captured) else f"{program.name}: it is not so that {fact.text}"
    except StageUnavailable as error:
        return _first_line(error)
    except StageNotCaptured:
        return f"{program.name} has none"
    except Exception as error:
        return f"{program.name}: {_first_line(error)}"


def _first_line(error: Exception) -> str:
    lines = split_lines(without_addresses(str(error))) or [""]
    return f"{type(error).__name__}: {lines[0]}" if lines[0] else type(error).__name__


if __name__ == "__main__":
    folder, *targets = sys.argv[1:]
    for target in targets:
        kept.write(read(target), Path(folder))
