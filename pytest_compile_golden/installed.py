"""Which torch and Triton are installed, according to their metadata: nothing is imported."""

from __future__ import annotations

import functools
import re
from importlib import metadata, util
from pathlib import Path

# torch nightlies ship Triton under a different name.
_TRITON = ("triton", "pytorch-triton")

_COMMIT = re.compile(r"^git_version = ['\"]([0-9a-f]{40})['\"]$", re.M)


def torch_version() -> str | None:
    """The installed torch's version with its local part: `2.13.0+cpu`."""
    return _version("torch")


def torch_commit() -> str | None:
    """The commit of pytorch/pytorch that the installed torch was built from; None if it does not say."""
    spec = util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    try:
        return commit_in((Path(spec.origin).parent / "version.py").read_text(encoding="utf-8"))
    except OSError:
        return None


def commit_in(text: str) -> str | None:
    """The commit named in the text of `torch/version.py`."""
    named = _COMMIT.search(text)
    return named[1] if named else None


def triton_version() -> str | None:
    """The version of the installed Triton, whatever its distribution is called."""
    return next((version for name in _TRITON if (version := _version(name))), None)


@functools.cache
def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
