"""Run as a process by any Python that has torch: write a program to files, or load, run and compare one of them.

Imports nothing but torch, so an environment needs nothing else.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch._inductor

_VALUES = "values.pt"


class _Program(torch.nn.Module):  # type: ignore[misc]
    """A function wrapped in the module that torch.export requires."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.forward = function


def write(folder: str, file: str, name: str) -> dict[str, str]:
    """Save the program that `name` in `file` returns in both forms, and its outputs. Return each form's error or ""."""
    returned = getattr(_imported(file), name)()
    fn, *arguments = returned if isinstance(returned, tuple) else (returned,)
    inputs, options = (*arguments, {})[:2] if arguments else ((), {})
    module = (fn if isinstance(fn, torch.nn.Module) else _Program(fn)).eval()
    args, kwargs = tuple(inputs), dict(options.get("kwargs", {}))
    more = options.get("export", {})
    with torch.no_grad():
        # A program may write to its inputs, and to itself.
        before = copy.deepcopy((args, kwargs))
        program = torch.export.export(
            module, args, kwargs, **(more if isinstance(more, dict) else {})
        )
        args, kwargs = copy.deepcopy(before)
        outputs = _leaves(copy.deepcopy(module)(*args, **kwargs))
    torch.save((before, outputs), Path(folder, _VALUES))

    def package(path: Path) -> None:
        configs = dict(options.get("config", {}))
        torch._inductor.aoti_compile_and_package(
            program, package_path=str(path), inductor_configs=configs
        )

    how = {
        "exported": lambda path: torch.export.save(program, path),
        "packaged": package,
    }
    return {
        kind: _error_of(make, Path(folder, f"{kind}.pt2")) for kind, make in how.items()
    }


def read(kind: str, folder: str) -> str:
    """Load what `write` saved, run it and compare the outputs: empty if they are the same, else what went wrong."""
    path = str(Path(folder, f"{kind}.pt2"))

    def load() -> None:
        (args, kwargs), outputs = torch.load(Path(folder, _VALUES))
        loaded = (
            torch.export.load(path).module()
            if kind == "exported"
            else torch._inductor.aoti_load_package(path)
        )
        with torch.no_grad():
            torch.testing.assert_close(_leaves(loaded(*args, **kwargs)), outputs)

    return _error_of(load)


def _error_of(do: Callable[..., object], *args: object) -> str:
    try:
        do(*args)
    except Exception as error:
        # torch raises many types for a file that it cannot write or read.
        return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0] or 'no message'}"
    return ""


def _leaves(outputs: Any) -> list[Any]:
    leaves: list[Any] = torch.utils._pytree.tree_leaves(outputs)
    return leaves


def _imported(file: str) -> Any:
    sys.path.insert(0, str(Path(file).parent))
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    answer, command, folder, *more = sys.argv[1:]
    problems = write(folder, *more) if command == "write" else {}
    Path(answer).write_text(json.dumps(problems), encoding="utf-8")
    for kind in more if command == "read" else ():
        problems[kind] = read(kind, folder)
        # Write now: loading the next one may kill the process.
        Path(answer).write_text(json.dumps(problems), encoding="utf-8")
