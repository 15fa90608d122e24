"""The installed torch's release, for rules that changed between versions."""

from __future__ import annotations

from packaging.version import Version

from pytest_compile_golden.errors import UnsupportedTorch
from pytest_compile_golden.vocabulary import OLDEST_TORCH


def torch_release() -> tuple[int, int]:
    """(2, 13) for 2.13.0+cpu, and for a 2.13 nightly. UnsupportedTorch where it is too old for virtual targets."""
    import torch

    version = Version(torch.__version__)
    if Version(version.base_version) < Version(OLDEST_TORCH):
        raise UnsupportedTorch(
            f"torch {torch.__version__} is installed; {OLDEST_TORCH} is the oldest supported. pip install -U torch"
        )
    return version.major, version.minor
