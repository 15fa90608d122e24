"""Where programs come from: one loader per kind of source."""

from __future__ import annotations

import importlib
import re
import runpy
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from pytest_compile_golden.api.corpus_program import Program
from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.errors import CompileGoldenError, UnknownName, reason_of
from pytest_compile_golden.extensions import LOADERS, Registry

_DEVICE = re.compile(r'\bdevice\(type="(\w+)"(?:, index=\d+)?\)')


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
class FunctionLoader:
    """`MODULE:FUNCTION`: a function that yields programs as pairs (id, make), or as `Program`."""

    name: str = "function"

    def programs(self, source: str) -> Iterator[Program] | None:
        """As `Loader.programs`. The module is imported once the first program is asked for."""
        module, separator, function = source.partition(":")
        dotted = all(part.isidentifier() for part in module.split("."))
        return (
            _yielded(module, function)
            if separator and function.isidentifier() and dotted
            else None
        )


def _yielded(module_name: str, name: str) -> Iterator[Program]:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise UnknownName(
            f"cannot import {module_name}: {error}. Give MODULE:FUNCTION as Python imports it."
        ) from None
    if not callable(getattr(module, name, None)):
        functions = [
            known
            for known, value in vars(module).items()
            if callable(value) and not known.startswith("_")
        ]
        raise UnknownName(unknown(f"function in {module_name}", name, functions))
    try:
        for item in getattr(module, name)():
            yield item if isinstance(item, Program) else Program(*_pair(item))
    except CompileGoldenError:
        raise
    except Exception as error:
        *_, at = traceback.extract_tb(error.__traceback__)
        where = f"{at.filename}:{at.lineno}: {at.line}"
        raise CompileGoldenError(
            f"{module_name}:{name} raised {reason_of(error)}\n  at {where}"
        ) from error


def _pair(item: object) -> tuple[str, Callable[[], object]]:
    if (
        isinstance(item, tuple)
        and len(item) == 2
        and isinstance(item[0], str)
        and callable(item[1])
    ):
        return item
    raise CompileGoldenError(
        f"the function yielded {item!r:.80}. It must yield pairs (id, make)."
    )


def _built_in() -> Iterator[Loader]:
    from pytest_compile_golden.api.run_cases import SuiteOfCases

    yield from (FunctionLoader(), KernelBench(), GraphNet(), SuiteOfCases())


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
    loaders = list(_loaders.all().values())[::-1]
    for source in sources:
        of_source = next(
            (
                these
                for loader in loaders
                if (these := loader.programs(source)) is not None
            ),
            None,
        )
        if of_source is None:
            kinds = ", ".join(loader.name for loader in _loaders.all().values())
            raise UnknownName(
                f"{source} is not a source of programs. There are loaders for: {kinds}."
            )
        before = len(found)
        for program in of_source:
            if program.id in found:
                raise UnknownName(
                    f"two programs are called {program.id}. Give each an id of its own."
                )
            found[program.id] = program
        if len(found) == before:
            raise UnknownName(f"{source} has no programs.")
    return list(found.values())


@dataclass(frozen=True)
class KernelBench:
    """A folder of files `N_name.py`, each with `Model`, `get_inputs` and `get_init_inputs`."""

    name: str = "folder of KernelBench programs"

    def programs(self, source: str) -> Iterator[Program] | None:
        root = Path(source)
        numbered = (
            path
            for path in root.rglob("*_*.py")
            if path.name.partition("_")[0].isdecimal()
        )
        files = sorted(numbered) if root.is_dir() else []
        files = [
            path
            for path in files
            if "def get_init_inputs" in path.read_text(encoding="utf-8")
        ]
        return (
            (
                Program(
                    _id(root, path.with_suffix("")),
                    partial(_kernel_bench, path),
                    _size(path),
                )
                for path in files
            )
            if files
            else None
        )


def _kernel_bench(path: Path) -> Any:
    names = runpy.run_path(str(path), run_name=path.stem)
    return names["Model"](*names["get_init_inputs"]()), tuple(names["get_inputs"]())


@dataclass(frozen=True)
class GraphNet:
    """A folder of GraphNet samples: folders with a `model.py` (`GraphModule`), `weight_meta.py` and `input_meta.py`.

    The two other files have a class for each argument of `GraphModule.forward`, with its name, shape and dtype, and
    its values where these matter (graph_net/torch/utils.py there).
    """

    name: str = "folder of GraphNet samples"

    def programs(self, source: str) -> Iterator[Program] | None:
        root = Path(source)
        folders = (
            sorted(path.parent for path in root.rglob("weight_meta.py"))
            if root.is_dir()
            else []
        )
        return (
            (
                Program(
                    _id(root, folder),
                    partial(_sample, folder),
                    _size(folder / "model.py"),
                )
                for folder in folders
            )
            if folders
            else None
        )


def _sample(folder: Path) -> Any:
    described: list[Mapping[str, Any]] = []
    for file in ("weight_meta.py", "input_meta.py"):
        if (folder / file).is_file():
            described += [
                vars(kind)
                for kind in runpy.run_path(str(folder / file)).values()
                if isinstance(kind, type)
            ]
    graph = _on_default_device(
        folder / "model.py", all(fields["device"] == "cpu" for fields in described)
    )
    return (
        graph["GraphModule"](),
        (),
        {"kwargs": {fields["name"]: _tensor(fields) for fields in described}},
    )


def _on_default_device(path: Path, from_cpu: bool) -> dict[str, Any]:
    """The names of a module, in which the device that its graph was captured on, from the CPU or not, is the target's.

    GraphNet's own runs replace it too (graph_net/torch/utils.py there: modify_code_by_device).
    """
    import torch

    def moved(device: re.Match[str]) -> str:
        return (
            f'device("{torch.get_default_device()}")'
            if from_cpu or device[1] != "cpu"
            else device[0]
        )

    names: dict[str, Any] = {"__name__": path.parent.name}
    exec(
        compile(
            _DEVICE.sub(moved, path.read_text(encoding="utf-8")), str(path), "exec"
        ),
        names,
    )
    return names


def _tensor(fields: Mapping[str, Any]) -> Any:
    """A tensor of that shape and dtype; its values count only where they are given."""
    import torch

    dtype = getattr(torch, fields["dtype"].removeprefix("torch."))
    shape, data = fields["shape"], fields.get("data")
    # As captured: a scalar on the CPU stays there.
    device = "cpu" if fields["device"] == "cpu" and not shape else None
    if data is not None:
        return torch.tensor(data, dtype=dtype, device=device).reshape(shape)
    if dtype.is_floating_point:
        return torch.empty(shape, dtype=dtype, device=device)
    return torch.full(shape, fields.get("min_val") or 0, dtype=dtype, device=device)


def _id(root: Path, path: Path) -> str:
    """Its path below the source, with the source's own name if it lies right in it."""
    below = path.relative_to(root)
    return (
        below.as_posix()
        if len(below.parts) > 1
        else f"{root.resolve().name}/{below.as_posix()}"
    )


def _size(path: Path) -> int:
    return path.stat().st_size
