"""Folders that torch, Triton and the shim keep files in."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from pytest_compile_golden.errors import CompileGoldenError

_CACHES = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")


def unwritable(folder: Path) -> str:
    """Why no file can be created in `folder`, which is created if missing; empty if one can."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def check_caches() -> None:
    """Raises CompileGoldenError if a variable names a cache folder that torch, once imported, could not write to."""
    for variable in _CACHES:
        folder = os.environ.get(variable)
        reason = unwritable(Path(folder)) if folder else ""
        if reason:
            raise CompileGoldenError(
                f"{variable} is {folder}, which cannot be written to ({reason}). Unset it, or set it to a writable "
                "folder."
            )
