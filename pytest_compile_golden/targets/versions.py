"""The installed torch's release, for rules that changed between versions."""

from __future__ import annotations

from packaging.version import Version

from pytest_compile_golden.errors import UnsupportedTorch
from pytest_compile_golden.installed import torch_version
from pytest_compile_golden.vocabulary import OLDEST_TORCH


def torch_release() -> tuple[int, int]:
    """(2, 13) for 2.13.0+cpu, and for a 2.13 nightly. Raises UnsupportedTorch if there is none."""
    installed = torch_version()
    if installed is None:
        raise UnsupportedTorch(f"torch is not installed; install {OLDEST_TORCH} or a newer one: pip install torch")
    version = Version(installed)
    return version.major, version.minor
