"""Where programs come from: a seam with one loader per kind of source."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from pytest_compile_golden.crater.program import Program
from pytest_compile_golden.errors import CompileGoldenError, UnknownName, reason_of
from pytest_compile_golden.names import unknown
from pytest_compile_golden.registry import Registry
from pytest_compile_golden.seams import LOADERS


@runtime_checkable
class Loader(Protocol):
    """Finds the programs of one kind of source. It reads what the user has on disk, and imports nothing of it yet."""

    @property
    def name(self) -> str:
        """What kind of source it reads."""
        ...

    def programs(self, source: str) -> Iterable[Program] | None:
        """The programs of `source`, as given on the command line; None if it is a source of another kind."""
        ...


@dataclass(frozen=True)
class Function:
    """`MODULE:FUNCTION`: a function that yields programs as pairs (id, make), or as `Program`."""

    name: str = "function"

    def programs(self, source: str) -> Iterator[Program] | None:
        module, separator, function = source.partition(":")
        dotted = all(part.isidentifier() for part in module.split("."))
        return _yielded(module, function) if separator and function.isidentifier() and dotted else None


def _yielded(module_name: str, name: str) -> Iterator[Program]:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise UnknownName(f"cannot import {module_name}: {error}. Give MODULE:FUNCTION as Python imports it.") from None
    if not callable(getattr(module, name, None)):
        functions = [known for known, value in vars(module).items() if callable(value) and not known.startswith("_")]
        raise UnknownName(unknown(f"function in {module_name}", name, functions))
    try:
        for item in getattr(module, name)():
            yield item if isinstance(item, Program) else Program(*_pair(item))
    except CompileGoldenError:
        raise
    except Exception as error:
        *_, at = traceback.extract_tb(error.__traceback__)
        where = f"{at.filename}:{at.lineno}: {at.line}"
        raise CompileGoldenError(f"{module_name}:{name} raised {reason_of(error)}\n  at {where}") from error


def _pair(item: object) -> tuple[str, Callable[[], object]]:
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) and callable(item[1]):
        return item
    raise CompileGoldenError(f"the function yielded {item!r:.80}. It must yield pairs (id, make).")


def _built_in() -> Iterator[Loader]:
    from pytest_compile_golden.crater.cases import Cases
    from pytest_compile_golden.crater.corpora import GraphNet, KernelBench

    yield from (Function(), KernelBench(), GraphNet(), Cases())


_loaders: Registry[Loader] = Registry(
    "loader of programs",
    group=LOADERS,
    fits=lambda item: isinstance(item, Loader) and not isinstance(item, type),
    name=lambda loader: loader.name,
    built_in=_built_in,
)


def register_loader(loader: Loader) -> None:
    """Have `crater` read one more kind of source. Raises CompileGoldenError if a loader has its name."""
    _loaders.add(loader)


def programs(sources: Sequence[str]) -> list[Program]:
    """All programs of the sources. Your own loaders are asked before the built-in ones.

    Raises UnknownName for a source that no loader knows, one without programs, or two programs with the same id.
    """
    found: dict[str, Program] = {}
    loaders = [*_loaders.all().values()][::-1]
    for source in sources:
        of_source = next((these for loader in loaders if (these := loader.programs(source)) is not None), None)
        if of_source is None:
            kinds = ", ".join(loader.name for loader in _loaders.all().values())
            raise UnknownName(f"{source} is not a source of programs. There are loaders for: {kinds}.")
        before = len(found)
        for program in of_source:
            if program.id in found:
                raise UnknownName(f"two programs are called {program.id}. Give each an id of its own.")
            found[program.id] = program
        if len(found) == before:
            raise UnknownName(f"{source} has no programs.")
    return list(found.values())
