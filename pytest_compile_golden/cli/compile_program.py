"""Compiles the case or function given to a command, once, without goldens and without leaving anything behind."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import Any, TypeVar

from pytest_compile_golden.api import capture, watching
from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.api.corpus_program import SHAPE, parts
from pytest_compile_golden.api.run_cases import CaseRun, run_case
from pytest_compile_golden.cli.find_cases import tests_in
from pytest_compile_golden.common.constants import DEFAULT_TARGET
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.errors import CompileGoldenError, UnknownName

Made = TypeVar("Made")


def compiled(
    program: str, target: str | None, loaded: Callable[[], None] = lambda: None
) -> list[Capture]:
    """The captures of `FILE::FUNCTION` or of a case, `FILE::TEST`, in the order in which they were made.

    A function whose name does not begin with "test" is imported and called on the target. Everything else is run
    through pytest, with its fixtures and markers there; if it has several targets, the first is used.
    `loaded` is called once the program is imported, before anything is compiled; a CompileGoldenError that it raises
    ends the compile. Raises CompileGoldenError if nothing was captured.
    """
    file, function = parsed(program)
    if function is not None:
        from pytest_compile_golden.targets import get_target

        with get_target(target or DEFAULT_TARGET).active():
            return [of_function(file, function, loaded, capture)]
    with watching() as captures:
        ran = run_case(program, target, loaded)
    if not captures:
        raise nothing_compiled(program, target, ran)
    return captures


def parsed(program: str) -> tuple[Path, str | None]:
    """The file, and the function in it to call; None for a case. Raises UnknownName if there is no such file."""
    file, _, name = program.partition("::")
    if not name or not Path(file).is_file():
        raise UnknownName(
            f"{program!r} was not found; expected FILE::FUNCTION or a pytest node id, such as "
            "cases/test_models.py::test_gpt_block."
        )
    return Path(file), name if name.isidentifier() and not name.startswith(
        "test"
    ) else None


def of_function(
    file: Path, name: str, loaded: Callable[[], None], call: Callable[..., Made]
) -> Made:
    """The result of `call` on the function's program; the target must be active.

    loaded: called once the file has been imported, before the program is made. Raises UnknownName if the file has no
    such function, and CompileGoldenError if it cannot be imported or the function requires arguments.
    """
    # That includes importing the file: models that it creates are the target's own.
    with _imported(file) as module:
        function = getattr(module, name, None)
        if not callable(function):
            own = [
                thing
                for thing, value in vars(module).items()
                if callable(value) and _is_from(value, module)
            ]
            raise UnknownName(
                f"{unknown(f'function, class or test in {file} called', name, own)} {SHAPE}"
            )
        if any(
            parameter.default is parameter.empty
            for parameter in inspect.signature(function).parameters.values()
        ):
            raise CompileGoldenError(f"{name} in {file} requires arguments. {SHAPE}")
        loaded()
        fn, inputs, options = parts(function(), name)
        return call(fn, *inputs, **options)


def _is_from(value: object, module: object) -> bool:
    """Whether a module defines or makes `value`, rather than imports it."""
    made_by = getattr(value, "__module__", None)
    return made_by == vars(module)["__name__"] or not isinstance(
        value, (type, FunctionType, BuiltinFunctionType)
    )


@contextlib.contextmanager
def _imported(file: Path) -> Iterator[Any]:
    """The file as a module; until the block ends, it can import what is beside it."""
    # Never the name of another module: a program in json.py would be what the standard library finds as json.
    taken = file.stem in sys.modules or file.stem in sys.stdlib_module_names
    name = f"{file.stem}_program" if taken else file.stem
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise CompileGoldenError(f"{file} cannot be imported; name a Python file.")
    folder = str(file.resolve().parent)
    sys.path.append(folder) if taken else sys.path.insert(0, folder)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(folder)


def nothing_compiled(
    program: str, target: str | None, ran: CaseRun
) -> CompileGoldenError:
    """Why a test compiled nothing, as far as its run shows it."""
    import pytest

    if isinstance(ran.error, pytest.skip.Exception):
        return CompileGoldenError(f"{program} is skipped: {ran.error}")
    file, _, test = program.partition("::")
    there = tests_in(Path(file).read_text(encoding="utf-8", errors="replace"))
    if ran.unknown and test.partition("[")[0] not in there:
        return UnknownName(unknown(f"test in {file} called", test, there))
    last = "\n".join(split_lines(ran.printed)[-30:])
    on = f" for {target}" if target is not None else ""
    return CompileGoldenError(
        f"{program} compiled nothing{on}. pytest printed:\n{last}"
    )
