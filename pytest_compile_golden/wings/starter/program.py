"""What a first case compiles: how its program and inputs are created, as lines of Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


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
