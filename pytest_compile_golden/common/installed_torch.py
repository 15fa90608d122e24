"""Which torch and Triton are installed, by their metadata, and what depends on the release. Nothing is imported."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from importlib import metadata, util
from pathlib import Path
from typing import TypeVar

from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

from pytest_compile_golden.common.constants import OLDEST_TORCH
from pytest_compile_golden.errors import InvalidOption, UnsupportedTorch

_Value = TypeVar("_Value")

# torch's CUDA wheels pin their Triton; its CPU wheels bring none, and virtual GPU targets need the same one.
# From the wheels' own metadata.
_TRITON_OF = {
    "2.11": "triton==3.6.0",
    "2.12": "triton==3.7.1",
    "2.13": "triton==3.7.1",
    "2.14": "triton~=3.8.0",
    "2.15": "triton~=3.9.0",
}
# torch nightlies ship Triton under a different name.
_TRITON = ("triton", "pytorch-triton")

_COMMIT = re.compile(r"^git_version = ['\"]([0-9a-f]{40})['\"]$", re.M)


def torch_version() -> str | None:
    """The installed torch's version with its local part: `2.13.0+cpu`."""
    return _version("torch")


def torch_release() -> tuple[int, int]:
    """(2, 13) for 2.13.0+cpu, and for a 2.13 nightly. Raises UnsupportedTorch if there is none."""
    installed = torch_version()
    if installed is None:
        raise UnsupportedTorch(
            f"torch is not installed; install {OLDEST_TORCH} or a newer one: pip install torch"
        )
    version = Version(installed)
    return version.major, version.minor


def by_torch(values: Mapping[str, _Value]) -> _Value:
    """The value for the installed torch: `assert metrics.kernels == by_torch({"2.12": 3, "2.14": 2})`.

    values: each from the release on that it is keyed by, nightlies of that release included. Raises UnsupportedTorch
    if the installed torch is older than all of them, InvalidOption for a key that is no release.
    """
    installed = torch_release()
    try:
        releases = {
            (Version(key).major, Version(key).minor): value
            for key, value in values.items()
        }
    except InvalidVersion as error:
        raise InvalidOption(
            f'{error}. by_torch takes releases of torch: {{"2.12": 3, "2.14": 2}}.'
        ) from None
    fitting = [release for release in releases if release <= installed]
    if not fitting:
        major, minor = installed
        raise UnsupportedTorch(
            f"no value for torch {major}.{minor}; there are some from {', '.join(values)} on. Add one."
        )
    return releases[max(fitting)]


def torch_commit() -> str | None:
    """The commit of pytorch/pytorch that the installed torch was built from; None if it does not say."""
    spec = util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    try:
        return commit_in(
            (Path(spec.origin).parent / "version.py").read_text(encoding="utf-8")
        )
    except OSError:
        return None


def commit_in(text: str) -> str | None:
    """The commit named in the text of `torch/version.py`."""
    named = _COMMIT.search(text)
    return named[1] if named else None


def triton_version() -> str | None:
    """The version of the installed Triton, whatever its distribution is called."""
    return next((version for name in _TRITON if (version := _version(name))), None)


def triton_for(torch: str) -> str | None:
    """The requirement for the Triton that belongs to a torch version; None if it is not known."""
    try:
        version = Version(torch)
    except InvalidVersion:
        return None
    return (
        None
        if version.is_prerelease
        else _TRITON_OF.get(f"{version.major}.{version.minor}")
    )


def better_triton() -> str | None:
    """What the installed torch requires of Triton, if the installed one does not meet it."""
    torch, triton = torch_version(), triton_version()
    wanted = None if torch is None else triton_for(torch)
    if (
        triton is None
        or wanted is None
        or Requirement(wanted).specifier.contains(triton, prereleases=True)
    ):
        return None
    return wanted


def other_triton() -> str | None:
    """That the installed Triton is not the one that the installed torch requires, and what to do, if so."""
    wanted = better_triton()
    if wanted is None:
        return None
    return f"Triton {triton_version()} is not this torch's, and writes other GPU code: pip install '{wanted}'"


@functools.cache
def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
