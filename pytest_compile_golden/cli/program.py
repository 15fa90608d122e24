"""What a command is pointed at, a case or a function, compiled once: without goldens, and nothing is left behind."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_compile_golden.api import Capture, capture, watching
from pytest_compile_golden.errors import CompileGoldenError, UnknownName
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.names import unknown
from pytest_compile_golden.vocabulary import DEFAULT_TARGET

_SHAPE = (
    "It takes no argument and returns what to compile: `fn`, `(fn, inputs)` or `(fn, inputs, options)`, where inputs "
    "is a tuple and options are those of pytest_compile_golden.capture, such as {'train': True}."
)


def compiled(program: str, target: str | None, loaded: Callable[[], None] = lambda: None) -> list[Capture]:
    """The captures of `FILE::FUNCTION` or of a case, `FILE::TEST`, in the order in which they were made.

    A function whose name does not begin with "test" is imported and called on the target. Everything else is run
    through pytest, with the fixtures and markers that it has there; of several targets the first is taken.
    `loaded` is called when the program is imported and nothing is compiled yet; what it raises ends the matter.
    Raises CompileGoldenError where nothing comes of it.
    """
    file, _, name = program.partition("::")
    if not name or not Path(file).is_file():
        raise UnknownName(
            f"{program!r} is not a program: write FILE::FUNCTION, or a case as pytest names it: "
            "cases/test_models.py::test_gpt_block."
        )
    if name.isidentifier() and not name.startswith("test"):
        return [_of_function(Path(file), name, target, loaded)]
    return _of_case(program, target, loaded)


def _of_function(file: Path, name: str, target: str | None, loaded: Callable[[], None]) -> Capture:
    from pytest_compile_golden.targets import get_target

    # Also while the file is imported: models that it makes are the target's own.
    with get_target(target or DEFAULT_TARGET).active():
        module = _imported(file)
        function = getattr(module, name, None)
        if not callable(function):
            there = [each for each, value in vars(module).items() if inspect.isfunction(value)]
            raise UnknownName(f"{unknown(f'function in {file} called', name, there)} {_SHAPE}")
        if any(parameter.default is parameter.empty for parameter in inspect.signature(function).parameters.values()):
            raise CompileGoldenError(f"{name} in {file} wants arguments. {_SHAPE}")
        loaded()
        fn, inputs, options = _parts(function(), name)
        return capture(fn, *inputs, **options)


def _imported(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise CompileGoldenError(f"{file} cannot be imported; name a Python file.")
    sys.path.insert(0, str(file.resolve().parent))
    module = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _parts(returned: Any, name: str) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    fn, *rest = returned if isinstance(returned, tuple) and returned else (returned,)
    inputs = rest[0] if rest else ()
    options = rest[1] if len(rest) > 1 else {}
    if not callable(fn) or len(rest) > 2 or not isinstance(options, dict):
        raise CompileGoldenError(f"{name} returned a {type(returned).__name__} that is not of this shape. {_SHAPE}")
    return fn, tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,), options


def _of_case(nodeid: str, target: str | None, loaded: Callable[[], None]) -> list[Capture]:
    import pytest

    arguments = [nodeid, "--compile-golden", "-o", "addopts=", "-p", "no:cacheprovider", "-q", "-n0"]
    if target is not None:
        arguments.append(f"--compile-golden-target={target}")
    output, first = io.StringIO(), _First(loaded)
    with contextlib.redirect_stdout(output), watching() as made:
        pytest.main(arguments, plugins=[first])
    if first.refused is not None:
        raise first.refused
    if not made:
        last = "\n".join(split_lines(output.getvalue())[-30:])
        on = f" for {target}" if target is not None else ""
        raise CompileGoldenError(f"{nodeid} compiled nothing{on}. pytest printed:\n{last}")
    return made


class _First:
    """A pytest plugin that runs the first of the selected cases; what comes of its goldens is not asked."""

    def __init__(self, loaded: Callable[[], None]) -> None:
        self._loaded = loaded
        self.refused: CompileGoldenError | None = None

    def pytest_collection_finish(self, session: Any) -> None:
        try:
            self._loaded()
        except CompileGoldenError as error:
            self.refused = error
        del session.items[0 if self.refused is not None else 1 :]
