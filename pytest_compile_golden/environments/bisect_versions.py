"""The torch versions between two that pip finds, and the first of them that differs, in as few runs as possible."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import EnvironmentFailed

_TIMEOUT_S = 300.0
_SHOWN = 8


@dataclass
class Bisection:
    """Candidates are known by number, from 0, the good one, to `last`, the bad one."""

    last: int
    differs: dict[int, bool] = field(default_factory=dict)
    """The known results between the ends."""
    failed: set[int] = field(default_factory=set)
    """Candidates that could not be run, so nothing is known about them."""

    @property
    def good(self) -> int:
        """The last that is known to be the same as the good one."""
        return max(
            (number for number, differs in self.differs.items() if not differs),
            default=0,
        )

    @property
    def bad(self) -> int:
        """The first that is known to differ."""
        return min(
            (number for number, differs in self.differs.items() if differs),
            default=self.last,
        )

    @property
    def undecided(self) -> list[int]:
        """Those between the last good and the first bad one that could not be run: the change may be in any."""
        return sorted(number for number in self.failed if self.good < number < self.bad)

    def next(self) -> int | None:
        """The candidate that halves what is left; None if there is nothing left to learn."""
        left = [
            number
            for number in range(self.good + 1, self.bad)
            if number not in self.failed
        ]
        middle = (self.good + self.bad) // 2
        return (
            min(left, key=lambda number: (abs(number - middle), number))
            if left
            else None
        )

    def run(self, probe: Callable[[int], bool | None]) -> None:
        """Run until the first that differs is known. `probe` says whether one differs; None if it could not be run."""
        while (number := self.next()) is not None:
            differs = probe(number)
            if differs is None:
                self.failed.add(number)
            else:
                self.differs[number] = differs


def between(good: str, bad: str, python: Path, pip: Sequence[str] = ()) -> list[str]:
    """Every version from `good` to `bad`, both included, in that order.

    Each end is a version, or the date of a nightly (`2026-09-01`); `pip` names the index to look in. Release candidates
    and nightlies are left out between two releases. Raises EnvironmentFailed if an end is not available.
    """
    first, last = _end(good), _end(bad)
    dates = isinstance(first, date)
    if dates != isinstance(last, date):
        raise EnvironmentFailed(
            f"{good} and {bad} cannot be mixed: name two versions, or the dates of two nightlies."
        )
    pre = any(isinstance(end, date) or end.is_prerelease for end in (first, last))
    dated = [
        (_date(str(version.dev)) if dates else version, version)
        for version in versions(python, pip, pre=pre)
    ]
    chosen = [
        (at, version)
        for at, version in dated
        if at and min(first, last) <= at <= max(first, last)
    ]
    missing = [end for end in (first, last) if end not in [at for at, _ in chosen]]
    if not chosen or (missing and not dates):
        have = ", ".join(str(version) for _, version in dated[-_SHOWN:]) or "none"
        raise EnvironmentFailed(
            f"torch {missing[0]} is not available; pip finds {have}. Name an index with --pip."
        )
    ordered = [str(version) for _, version in chosen]
    return ordered[::-1] if first > last else ordered


def versions(
    python: Path, pip: Sequence[str] = (), *, pre: bool = False
) -> list[Version]:
    """All that pip can install, oldest first, without local parts. Raises EnvironmentFailed if pip cannot list them."""
    command = [
        os.fspath(python),
        "-m",
        "pip",
        "index",
        "versions",
        "torch",
        *(["--pre"] if pre else []),
        *pip,
    ]
    try:
        done = subprocess.run(
            [*command, "--disable-pip-version-check"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentFailed(f"cannot run {python} -m pip: {error}.") from None
    _, found, versions = done.stdout.partition("Available versions: ")
    if not found:
        last = split_lines(done.stderr.strip())[-1:] or ["no output"]
        raise EnvironmentFailed(
            f"pip cannot list the available torch versions: {last[0]}"
        )
    installable = set()
    for text in versions.partition("\n")[0].split(","):
        try:
            installable.add(Version(Version(text.strip()).public))
        except InvalidVersion:
            continue
    return sorted(installable)


def _date(text: str) -> date | None:
    """The day that is written `2026-09-01` or `20260901`; None for anything else."""
    for form in ("%Y-%m-%d", "%Y%m%d"):
        try:
            return datetime.strptime(text, form).date()
        except ValueError:
            continue
    return None


def _end(text: str) -> Any:
    """A date or a Version; each can be compared with its own kind."""
    try:
        return _date(text) or Version(Version(text).public)
    except InvalidVersion:
        raise EnvironmentFailed(
            f"{text} is neither a torch version nor the date of a nightly such as 2026-09-01."
        ) from None
