"""The installed torch's release, for rules that changed between versions."""

from __future__ import annotations

from packaging.version import Version

from pytest_compile_golden.errors import UnsupportedTorch

OLDEST = (2, 11)


def torch_release() -> tuple[int, int]:
    """(2, 13) for 2.13.0+cpu, and for a 2.13 nightly. UnsupportedTorch where it is too old for virtual targets."""
    import torch

    version = Version(torch.__version__)
    release = version.major, version.minor
    if release < OLDEST:
        raise UnsupportedTorch(
            f"torch {torch.__version__} is installed; virtual targets need 2.11 or newer. pip install -U torch"
        )
    return release
