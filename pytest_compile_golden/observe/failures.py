"""torch's errors turned into ours: what happened, at which line of the user's code, what to do next."""

from __future__ import annotations

import linecache
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import torch._dynamo.exc

from pytest_compile_golden.errors import CaptureFailed, CompileGoldenError, DataDependentValue
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.targets import Target

_FOREIGN = (str(Path(torch.__file__).parent), str(Path(__file__).parent.parent))
_TRACED_FRAME = re.compile(r'^ +File "(?P<file>[^"]+)", line (?P<line>\d+)', re.M)
# By name: where these classes live differs between torch versions.
_NEEDS_A_VALUE = {
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "GuardOnDataDependentSymNode",
    "PendingUnbackedSymbolNotFound",
}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = getattr(error, "inner_exception", None) or error.__cause__ or error.__context__


def _user_frame(error: BaseException) -> str | None:
    """The innermost line of the user's code: `file:line: source`.

    Dynamo interprets the user's frames, so that they are not on the stack; it lists them in its message instead.
    """
    traced = [(each["file"], int(each["line"])) for each in _TRACED_FRAME.finditer(str(error))]
    called = [(each.filename, each.lineno or 0) for each in traceback.extract_tb(error.__traceback__)]
    for frames in (traced, called):
        own = [(file, line) for file, line in frames if not file.startswith((*_FOREIGN, "<"))]
        if own:
            file, line = own[-1]
            return f"{Path(file).name}:{line}: {linecache.getline(file, line).strip()}"
    return None


def _summary(error: BaseException) -> str:
    """What is wrong, from torch's message: without its stack and its advice on environment variables."""
    lines: list[str] = []
    for line in split_lines(str(error)):
        if line.startswith(("Set TORCH", "from user code", "The above exception", "Developer debug", "For even more")):
            break
        if line.strip():
            lines.append(line.rstrip())
    return "\n  ".join(lines[:12]) or type(error).__name__


@contextmanager
def translated(fn: Callable[..., Any], target: Target) -> Iterator[None]:
    """Turn whatever the compile or the program raises into a CaptureFailed with torch's error as its cause."""
    try:
        yield
    except CompileGoldenError:
        raise
    except Exception as error:
        chain = list(_chain(error))
        name = getattr(fn, "__qualname__", type(fn).__qualname__)
        ours = next((each for each in chain if isinstance(each, CompileGoldenError)), None)
        if ours is not None:
            raise ours from error
        place = _user_frame(error)
        at = f"\n  at {place}" if place else ""
        if target.virtual and any(type(each).__name__ in _NEEDS_A_VALUE for each in chain):
            raise DataDependentValue(
                f"{name} asks for the value of a tensor, which the virtual target {target.name} cannot know: "
                f"{split_lines(_summary(chain[-1]))[0]}{at}\n"
                "  Keep .item(), .tolist(), bool(tensor) and nonzero() out of the captured function, or give this case "
                'a CPU target, where tensors are real: @pytest.mark.compile_golden(target="cpu-avx2").'
            ) from error
        advice = _advice(error, target)
        raise CaptureFailed(
            f"{name} failed on {target.name}: {type(error).__name__}: {_summary(error)}{at}{advice}"
        ) from error


def _advice(error: Exception, target: Target) -> str:
    text = str(error)
    if isinstance(error, torch._dynamo.exc.Unsupported):
        return "\n  fullgraph=True allows no graph break: remove what breaks it, or capture with fullgraph=False."
    if (target.virtual and "found two different devices" in text) or "same device" in text:
        return (
            f"\n  Some tensors are not on {target.name}: pass every tensor and module as an input, "
            "or make them inside the test's body, where the target is the default device."
        )
    return ""
