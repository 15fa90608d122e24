"""The installed torch's release, for rules that changed between versions."""

from __future__ import annotations

from packaging.version import Version

from pytest_compile_golden.errors import UnsupportedTorch
from pytest_compile_golden.installed import torch_version
from pytest_compile_golden.vocabulary import OLDEST_TORCH


def torch_release() -> tuple[int, int]:
    """(2, 13) for 2.13.0+cpu, and for a 2.13 nightly. Raises UnsupportedTorch if there is none, or it is too old."""
    installed = torch_version()
    version = Version(installed or "0")
    if Version(version.base_version) < Version(OLDEST_TORCH):
        raise UnsupportedTorch(
            f"torch {installed} is installed; {OLDEST_TORCH} is the oldest supported. pip install -U torch"
        )
    return version.major, version.minor
