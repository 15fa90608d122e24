"""The installed torch's release, for rules that changed between versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from packaging.version import Version

from pytest_compile_golden.errors import UnsupportedTorch
from pytest_compile_golden.installed import torch_version
from pytest_compile_golden.vocabulary import OLDEST_TORCH

_Value = TypeVar("_Value")


def torch_release() -> tuple[int, int]:
    """(2, 13) for 2.13.0+cpu, and for a 2.13 nightly. Raises UnsupportedTorch if there is none."""
    installed = torch_version()
    if installed is None:
        raise UnsupportedTorch(f"torch is not installed; install {OLDEST_TORCH} or a newer one: pip install torch")
    version = Version(installed)
    return version.major, version.minor


def by_torch(values: Mapping[str, _Value]) -> _Value:
    """The value for the installed torch: `assert metrics.kernels == by_torch({"2.12": 3, "2.14": 2})`.

    values: each from the release on that it is keyed by, nightlies of that release included. Raises UnsupportedTorch
    if the installed torch is older than all of them.
    """
    installed = torch_release()
    releases = {(Version(key).major, Version(key).minor): value for key, value in values.items()}
    fitting = [release for release in releases if release <= installed]
    if not fitting:
        major, minor = installed
        raise UnsupportedTorch(
            f"no value for torch {major}.{minor}; there are some from {', '.join(values)} on. Add one."
        )
    return releases[max(fitting)]
