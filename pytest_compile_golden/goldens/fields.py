"""Validation of pending and recorded cases, whose folders may come from another machine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Annotated

from msgspec import Meta

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import versions
from pytest_compile_golden.goldens.layout import GoldenPath, is_safe_name
from pytest_compile_golden.stages import stages

Text = Annotated[str, Meta(pattern=r"\A[^\0]*\Z")]
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+!_-]{0,60}")
Version = Annotated[str, Meta(pattern=rf"\A{_VERSION.pattern}\Z")]
"""As written in a golden's header."""
Seconds = Annotated[float, Meta(ge=0)]

_STAGE = re.compile(r"[A-Za-z_]\w{0,60}")
_STEM_REST = re.compile(r"(\.[A-Za-z0-9_-]{1,60})*")
_EXTENSIONS = ("cpp", "py", "toml", "txt")
"""The file types of users' own stages, which commands do not know: they load no conftest.py."""
# A downloaded artifact must not become a file that pytest, Python or another tool picks up on its own.
_PICKED_UP = re.compile(
    r"conftest|__\w*|sitecustomize|usercustomize|test_.*|.*_test|setup|pyproject|pytest|tox|ruff|mypy|noxfile|tasks"
    r"|dodo|fabfile|manage|requirements|CMakeLists"
)


def check_line(text: str) -> None:
    """Raises ValueError for a text that would not stay on its line, or that has invisible characters."""
    if not text.isprintable():
        raise ValueError(f"{text!r} is not a single line of printable text")


def check_version(torch: str) -> None:
    """Raises ValueError for anything that is not a torch version."""
    try:
        versions.parse(torch)
    except GoldenError as error:
        raise ValueError(str(error)) from None


def check_folder(path: PurePosixPath) -> None:
    """Raises ValueError for a path that no run gives a case: module, test and target, below a folder of cases."""
    if len(path.parts) < 3 or not all(map(is_safe_name, path.parts)):
        raise ValueError(f"{str(path)!r} is not the path of a case in a goldens folder")


def check_golden(path: PurePosixPath, golden_path: GoldenPath) -> None:
    """Raises ValueError if `path` is not a golden of the artifact at `golden_path`, or at its target's base."""
    target = path.parent.parent == golden_path.folder.parent and is_safe_name(path.parent.name)
    overlay = _VERSION.fullmatch(golden_path.release_of(path.name) or "")
    if not target or (path.name != golden_path.versionless.name and not overlay):
        raise ValueError(f"{str(path)!r} is not a golden of {golden_path.versionless}")


def check_artifact(stage: str, stem: str, extension: str) -> None:
    """Raises ValueError for an artifact that no run could have written."""
    if not _STAGE.fullmatch(stage) or _PICKED_UP.fullmatch(stage):
        raise ValueError(f"{stage!r} is not a stage")
    if not stem.startswith(stage) or not _STEM_REST.fullmatch(stem.removeprefix(stage)):
        raise ValueError(f"{stem!r} is not a golden of {stage}")
    if extension not in {*_EXTENSIONS, *(declared.extension for declared in stages())}:
        raise ValueError(f"{extension!r} is not a file type of goldens")


def check_distinct(stems: Iterable[str]) -> None:
    """Raises ValueError if two artifacts of a case would share a file."""
    folded = [stem.casefold() for stem in stems]
    if len(set(folded)) != len(folded):
        raise ValueError("two artifacts with the same name")
