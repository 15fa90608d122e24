"""What a first case compiles: how its program and inputs are created, as lines of Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_compile_golden.api import capture
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.targets import get_target
from pytest_compile_golden.vocabulary import DEFAULT_TARGET

_DEPTHS = (1, 2, 3)


@dataclass(frozen=True)
class StarterProgram:
    """A program and its inputs, as a case writes them."""

    name: str
    """The test's name after `test_`: a Python identifier."""
    title: str
    """What it is, for the case's docstring."""
    imports: tuple[str, ...]
    """Lines that import its names, after `import torch`."""
    make: str
    """An expression for the module or function; if it has layers, in terms of `layers`."""
    inputs: tuple[str, ...]
    """An expression for each."""
    kwargs: str = ""
    """An expression for the dictionary of keyword arguments; empty for none."""
    layered: bool = False
    """Whether `make` takes a number of layers."""
    requirements: tuple[str, ...] = ()
    """What pip must install besides the repository itself."""
    standard: tuple[str, ...] = ()
    """Imports from the standard library."""
    folder: Path | None = None
    """The folder of its module, if Python only looks there because it was started there."""


def in_one_line(error: Exception) -> str:
    """`TypeError: message`, for an error from the user's code or another package."""
    return f"{type(error).__name__}: {' '.join(str(error).split()).rstrip('.')}"


def identifier(text: str) -> str:
    """`text` as part of a test's name: `vit_mae` for `ViT-MAE`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])|\W+", "_", text)
    return re.sub(r"_+", "_", words).strip("_").lower() or "program"


@dataclass(frozen=True)
class Counts:
    """Counts of a program on the default target."""

    graph_breaks: str
    """`0`, or in terms of `layers`; empty if they follow no rule."""
    kernels: str


def count(program: StarterProgram, path: Path) -> Counts:
    """Capture the program as the file at `path` will, with one, two and three layers if it has layers, and count.

    Raises CompileGoldenError if it cannot be created, CaptureFailed if it does not compile.
    """
    namespace: dict[str, Any] = {"__file__": str(path)}
    exec("\n".join(("import torch", *program.standard, *program.imports)), namespace)
    metrics = [_metrics(program, namespace, depth) for depth in (_DEPTHS if program.layered else _DEPTHS[:1])]
    return Counts(*(_formula([counted[index] for counted in metrics]) for index in range(2)))


def _metrics(program: StarterProgram, namespace: dict[str, Any], layers: int) -> tuple[int, int]:
    with get_target(DEFAULT_TARGET).active():
        try:
            model = eval(program.make, {**namespace, "layers": layers})
        except Exception as error:  # whatever the user's or another package's code raises
            depth = f" with layers={layers}" if program.layered else ""
            raise CompileGoldenError(
                f"{program.make}{depth} failed: {in_one_line(error)}. Write a function that creates it another way and "
                "pass that as MODULE:FUNCTION."
            ) from error
        inputs = eval(f"({''.join(f'{expression}, ' for expression in program.inputs)})", namespace)
        metrics = capture(model, *inputs, kwargs=eval(program.kwargs or "{}", namespace)).metrics
    return metrics.graph_breaks, metrics.kernels


def _formula(values: list[int]) -> str:
    """`3 + 7 * layers` for the counts with one, two and three layers; empty if they are not linear."""
    first, *others = values
    if not others:
        return str(first)
    step = others[0] - first
    if any(value != first + step * at for at, value in enumerate(others, 1)):
        return ""
    base = first - step
    return f"{base} + {step} * layers" if base and step else f"{step} * layers" if step else str(base)
