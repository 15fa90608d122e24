"""Strict readers of JSON facts from folders that may come from another machine; each raises ValueError or TypeError."""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import PurePosixPath
from typing import Any

from pytest_compile_golden.goldens.layout import GoldenPath, is_safe_name
from pytest_compile_golden.stages import stages

_STAGE = re.compile(r"[A-Za-z_]\w{0,60}")
_STEM_REST = re.compile(r"(\.[A-Za-z0-9_-]{1,60})*")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+!_-]{0,60}")
_EXTENSIONS = ("cpp", "py", "toml", "txt")
"""Those that a stage of a user's own may have, which commands do not know: they load no conftest.py."""
# A downloaded artifact must not become a file that pytest, Python or another tool takes up on its own.
_TAKEN_UP = re.compile(
    r"conftest|__\w*|sitecustomize|usercustomize|test_.*|.*_test|setup|pyproject|pytest|tox|ruff|mypy|noxfile|tasks"
    r"|dodo|fabfile|manage|requirements|CMakeLists"
)


def string(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise TypeError(f"{value!r} is no text")
    return value


def line(value: Any) -> str:
    """A text that stays on its line, and shows all that is in it."""
    if not string(value).isprintable():
        raise ValueError(f"{value!r} is more than a line of text")
    return str(value)


def version(value: Any) -> str:
    """As a golden's header holds it."""
    if not _VERSION.fullmatch(string(value)):
        raise ValueError(f"{value!r} is no version")
    return str(value)


def optional_version(value: Any) -> str | None:
    return None if value is None else version(value)


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
    """A case's place below a folder of goldens, pending or recorded cases, as a run names it: module, test, target."""
    path = PurePosixPath(string(value))
    if len(path.parts) < 3 or path.as_posix() != value or not all(map(is_safe_name, path.parts)):
        raise ValueError(f"{value!r} is no place in a goldens folder")
    return path


def golden(value: Any, case: PurePosixPath, stem: str, extension: str) -> PurePosixPath | None:
    """The golden of an artifact of that case; None where there was none."""
    if value is None:
        return None
    path = PurePosixPath(string(value))
    place = GoldenPath(case, stem, extension)
    if path.as_posix() != value or path.parent != case:
        raise ValueError(f"{value!r} is no golden of {case}")
    if path != place.base and not _VERSION.fullmatch(place.release_of(path.name) or ""):
        raise ValueError(f"{value!r} is no golden of {place.base}")
    return path


def artifact_name(facts: Any) -> tuple[str, str, str]:
    """Stage, stem and extension of an artifact that a run could have written."""
    stage, stem, extension = string(facts["stage"]), string(facts["stem"]), string(facts["extension"])
    if not _STAGE.fullmatch(stage) or _TAKEN_UP.fullmatch(stage):
        raise ValueError(f"{stage!r} is no stage")
    if not stem.startswith(stage) or not _STEM_REST.fullmatch(stem.removeprefix(stage)):
        raise ValueError(f"{stem!r} is no golden of {stage}")
    if extension not in {*_EXTENSIONS, *(each.extension for each in stages())}:
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
