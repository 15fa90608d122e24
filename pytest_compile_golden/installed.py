"""Which torch and Triton are installed, asked of their metadata: nothing is imported."""

from __future__ import annotations

from importlib import metadata

# Nightlies of torch bring Triton under a name of their own.
_TRITON = ("triton", "pytorch-triton")


def torch_version() -> str | None:
    """The installed torch, with its local part: `2.13.0+cpu`."""
    return _version("torch")


def triton_version() -> str | None:
    """The installed Triton, whatever it is called."""
    return next((found for name in _TRITON if (found := _version(name))), None)


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
