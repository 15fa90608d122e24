"""Strict readers of JSON facts from folders that may come from another machine; each raises ValueError or TypeError."""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import PurePosixPath
from typing import Any

_STAGE = re.compile(r"[A-Za-z_]\w{0,60}")
_STEM_REST = re.compile(r"(\.[A-Za-z0-9_-]{1,60})*")
_EXTENSION = re.compile(r"[a-z0-9]{1,10}")
# A downloaded artifact must not become a file that pytest or Python imports on its own.
_IMPORTED = re.compile(r"conftest|__init__|sitecustomize|usercustomize|test_.*|.*_test")


def string(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise TypeError(f"{value!r} is no text")
    return value


def optional_string(value: Any) -> str | None:
    return None if value is None else string(value)


def strings(value: Any) -> dict[str, str]:
    """A table of texts."""
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is no table")
    return {string(key): string(each) for key, each in value.items()}


def whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is no whole number")
    return value


def optional_whole(value: Any) -> int | None:
    return None if value is None else whole(value)


def optional_seconds(value: Any) -> float | None:
    if value is None:
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value) or value < 0:
        raise TypeError(f"{value!r} is no time")
    return float(value)


def folder(value: Any) -> PurePosixPath:
    """A place below a folder of goldens, pending or recorded cases."""
    path = PurePosixPath(string(value))
    if path.is_absolute() or not path.parts or any(part in (".", "..") for part in path.parts) or "\\" in str(path):
        raise ValueError(f"{value!r} is no place in a goldens folder")
    return path


def artifact_name(facts: Any) -> tuple[str, str, str]:
    """Stage, stem and extension of an artifact that a run could have written."""
    stage, stem, extension = string(facts["stage"]), string(facts["stem"]), string(facts["extension"])
    if not _STAGE.fullmatch(stage) or _IMPORTED.fullmatch(stage):
        raise ValueError(f"{stage!r} is no stage")
    if not stem.startswith(stage) or not _STEM_REST.fullmatch(stem.removeprefix(stage)):
        raise ValueError(f"{stem!r} is no golden of {stage}")
    if not _EXTENSION.fullmatch(extension):
        raise ValueError(f"{extension!r} is no file type")
    return stage, stem, extension


def text(wanted: str | None, name: str, texts: dict[str, str]) -> str:
    """The text of the file called `name`, empty for a digest of None. Fails where it is not what was written."""
    found = "" if wanted is None else texts.get(name, "")
    if wanted is not None and digest(found) != wanted:
        # Written before the manifest: a run that was killed, or an upload that was cut.
        raise ValueError(f"the text of {name} is not the one it was written with")
    return found


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
