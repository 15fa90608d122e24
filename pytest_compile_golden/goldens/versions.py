"""Torch versions as goldens see them."""

from __future__ import annotations

from functools import lru_cache

from packaging.version import InvalidVersion, Version

from pytest_compile_golden.errors import GoldenError


@lru_cache(maxsize=256)
def parse(text: str) -> Version:
    """`text` without its local part, so that `2.13.0+cpu` and `2.13.0+cu130` are one version.

    Raises GoldenError if it is not a version.
    """
    try:
        return Version(Version(text).public)
    except InvalidVersion:
        raise GoldenError(f"{text!r} is not a torch version; expected one like 2.15.0 or 2.16.0.dev20260901.") from None


def release(version: Version) -> str:
    """The release a golden belongs to, as overlays name it.

    `2.15` for every 2.15.x, and the full version for a nightly or candidate: those are not yet what 2.15 will be.
    """
    return version.public if version.is_prerelease else f"{version.major}.{version.minor}"
