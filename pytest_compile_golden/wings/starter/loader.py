"""Models of transformers as programs of a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pytest_compile_golden.crater.program import Program
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.wings.starter.transformers_model import of_transformers


@dataclass(frozen=True)
class Transformers:
    """A `.txt` file that names a model or configuration of transformers on each line: `LlamaModel`, `llama`.

    Each is made from its configuration, with two layers if it has any, and without trained weights.
    """

    name: str = "list of transformers models"

    def programs(self, source: str) -> Iterator[Program] | None:
        path = Path(source)
        if path.suffix != ".txt" or not path.is_file():
            return None
        names = [line.partition("#")[0].strip() for line in split_lines(path.read_text(encoding="utf-8"))]
        return (Program(f"transformers/{name}", partial(_transformers, name)) for name in names if name)


def _transformers(name: str) -> Any:
    program = of_transformers(name)
    names: dict[str, Any] = {"layers": 2}
    exec("\n".join(("import torch", *program.imports)), names)
    return eval(program.make, names), (), {"kwargs": eval(program.kwargs, names)}
