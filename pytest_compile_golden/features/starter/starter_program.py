"""What a first case compiles: how its program and inputs are created, as lines of Python.

Here, a program from the repository itself, or one that torch.export saved.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_compile_golden.api import capture
from pytest_compile_golden.common.constants import DEFAULT_TARGET
from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.errors import CompileGoldenError, UnknownName
from pytest_compile_golden.targets import get_target

_DEPTHS = (1, 2, 3)
_TYPE = re.compile(r"(\w+)\[([\d, ]*)\](cpu)?$")
_SCALAR = re.compile(r"-?\d+|-?\d*\.\d+|-?\d+\.\d*|True|False|None")


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


def in_one_line(error: BaseException) -> str:
    """`TypeError: message`, for an error from the user's code or another package."""
    return f"{type(error).__name__}: {' '.join(str(error).split()).rstrip('.')}"


def identifier(text: str) -> str:
    """`text` as part of a test's name: `vit_mae` for `ViT-MAE`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])|\W+", "_", text)
    return re.sub(r"_+", "_", words).strip("_").lower() or "program"


@dataclass(frozen=True)
class ProgramCounts:
    """Counts of a program on the default target."""

    graph_breaks: str
    """`0`, or in terms of `layers`; empty if they follow no rule."""
    kernels: str


def count(program: StarterProgram, path: Path) -> ProgramCounts:
    """Capture the program as the file at `path` will, with one, two and three layers if it has layers, and count.

    Raises CompileGoldenError if it cannot be created, CaptureFailed if it does not compile.
    """
    namespace: dict[str, Any] = {"__file__": str(path)}
    exec("\n".join(("import torch", *program.standard, *program.imports)), namespace)
    metrics = [
        _metrics(program, namespace, depth)
        for depth in (_DEPTHS if program.layered else _DEPTHS[:1])
    ]
    return ProgramCounts(
        *(_formula([counted[index] for counted in metrics]) for index in range(2))
    )


def _metrics(
    program: StarterProgram, namespace: dict[str, Any], layers: int
) -> tuple[int, int]:
    with get_target(DEFAULT_TARGET).active():
        try:
            model = eval(program.make, {**namespace, "layers": layers})
        except Exception as error:
            # Whatever the user's or another package's code raises.
            depth = f" with layers={layers}" if program.layered else ""
            raise CompileGoldenError(
                f"{program.make}{depth} failed: {in_one_line(error)}. Write a function that creates it another way and "
                "pass that as MODULE:FUNCTION."
            ) from error
        inputs = eval(
            f"({''.join(f'{expression}, ' for expression in program.inputs)})",
            namespace,
        )
        metrics = capture(
            model, *inputs, kwargs=eval(program.kwargs or "{}", namespace)
        ).metrics
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
    return (
        f"{base} + {step} * layers"
        if base and step
        else f"{step} * layers"
        if step
        else str(base)
    )


def of_object(spec: str, types: Sequence[str]) -> StarterProgram:
    """The program `package.module:name`: a function, or a module class that takes no arguments.

    types: its inputs, such as `f32[8, 1024]`. Raises UnknownName if it does not exist, CompileGoldenError if it takes
    other inputs.
    """
    import torch

    module_name, _, name = spec.partition(":")
    member, folder = _imported(module_name, name)
    makes_module = isinstance(member, type) and issubclass(member, torch.nn.Module)
    called = member.forward if makes_module else member
    inputs = tuple(map(expression, types))
    try:
        bound = [None, *inputs] if makes_module else list(inputs)
        inspect.signature(called).bind(*bound)
        if makes_module:
            inspect.signature(member).bind()
    except TypeError as error:
        raise CompileGoldenError(
            f"{spec} cannot be called like that: {error}. Give a type for each of its inputs (--input 'f32[8, 1024]'); "
            "for a module whose class takes arguments, give a function that calls one."
        ) from None
    return StarterProgram(
        name=identifier(name),
        title=f"`{module_name}.{name}`",
        imports=(f"from {module_name} import {name}",),
        make=f"{name}().eval()" if makes_module else name,
        inputs=inputs,
        folder=folder,
    )


def of_export(path: Path, folder: Path) -> StarterProgram:
    """The program in a file that `torch.export.save` wrote; the case, in `folder`, loads it from there.

    Raises CompileGoldenError for a file that torch cannot load, and for a program without example inputs.
    """
    import torch

    try:
        program = torch.export.load(path)
    except Exception as error:  # whatever torch has to say about a file
        raise CompileGoldenError(
            f"torch.export.load({str(path)!r}) failed: {type(error).__name__}: {error}"
        ) from None
    if program.example_inputs is None:
        raise CompileGoldenError(
            f"{path} has no example inputs; save the program as torch.export.export made it."
        )
    parts = Path(os.path.relpath(path, folder)).parts
    up = parts.count("..")
    there = f'Path(__file__).parents[{up}] / "{"/".join(parts[up:])}"'
    return StarterProgram(
        name=identifier(path.stem),
        title=f"the exported program {path.name}",
        standard=("from pathlib import Path",),
        imports=("", f"PROGRAM = torch.export.load({there})"),
        make="PROGRAM.module()",
        inputs=("*PROGRAM.example_inputs[0]",),
        kwargs="PROGRAM.example_inputs[1]" if program.example_inputs[1] else "",
    )


def _imported(module_name: str, name: str) -> tuple[Any, Path | None]:
    """The object that a module holds under a name; and the working directory, if it is found only there."""
    here = Path.cwd()
    sys.path[:] = [path for path in sys.path if Path(path) != here and path != ""]
    elsewhere = importlib.util.find_spec(module_name.partition(".")[0]) is not None
    sys.path.insert(0, str(here))
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise UnknownName(
            f"cannot import {module_name}: {error}. Give MODULE:FUNCTION as Python imports it."
        ) from None
    if not hasattr(module, name):
        names = [
            candidate for candidate in vars(module) if not candidate.startswith("_")
        ]
        raise UnknownName(unknown(f"function or class in {module_name}", name, names))
    return getattr(module, name), None if elsewhere else here


def expression(text: str) -> str:
    """`torch.randn(8, 1024)` for `f32[8, 1024]`, on the CPU of any target for `f32[8, 1024]cpu`; a scalar is itself.

    Raises UnknownName for a text that is neither.
    """
    import torch

    from pytest_compile_golden.observe.record_graphs import dtype_name

    if _SCALAR.fullmatch(text.strip()):
        return text.strip()
    match = _TYPE.match(text.replace(" ", "").replace(",", ", "))
    dtypes = {
        dtype_name(kind): kind
        for kind in vars(torch).values()
        if isinstance(kind, torch.dtype)
    }
    if match is None or match[1] not in dtypes:
        raise UnknownName(
            f"{text!r} is not a tensor type such as f32[8, 1024], bf16[2, 64], i64[128], b8[16] or f32[]cpu, "
            "nor a number, True, False or None."
        )
    dtype, shape = dtypes[match[1]], match[2] or "()"
    device = ', device="cpu"' if match[3] else ""
    if dtype is torch.float32:
        return f"torch.randn({shape}{device})"
    if dtype is torch.bool:
        return f"torch.ones({shape}, dtype=torch.bool{device})"
    if not dtype.is_floating_point and not dtype.is_complex:
        return f"torch.zeros({shape}, dtype={dtype}{device})"
    if dtype.itemsize == 1:  # random numbers cannot be drawn in these
        return f"torch.randn({shape}{device}).to({dtype})"
    return f"torch.randn({shape}, dtype={dtype}{device})"
