"""The goldens on disk: which one serves a torch version, and what accepting an artifact writes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Literal

from packaging.version import Version

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats import normaliser
from pytest_compile_golden.goldens import files, header, versions
from pytest_compile_golden.goldens.header import DamagedGolden, Header
from pytest_compile_golden.goldens.layout import GoldenPath
from pytest_compile_golden.stages import Stage

ABSENT = ""
"""The body of a golden that says: this compile has no such stage."""


@dataclass(frozen=True)
class Golden:
    """An accepted artifact, read from disk."""

    path: PurePosixPath
    header: Header
    body: str
    """As the current normaliser would have written it."""

    @property
    def torch(self) -> Version:
        return versions.parse(self.header.torch)


@dataclass(frozen=True)
class Written:
    """One thing that accepting did to the folder."""

    action: Literal["new", "updated", "removed"]
    path: PurePosixPath


class Store:
    """A goldens folder. One set of files serves every torch version."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def find(self, place: GoldenPath, stage: Stage, torch: str) -> Golden | None:
        """The newest golden recorded for a version not above `torch`; the base counts as older than every overlay.

        Raises GoldenError where that file is damaged, not ours, or reached through a symlink.
        """
        path = self._in_use(place, versions.parse(torch))
        return None if path is None else self._read(path, stage)

    def accept(self, place: GoldenPath, stage: Stage, body: str, torch: str, triton: str | None) -> list[Written]:
        """Make `body` what a run on `torch` finds, writing only what differs. Versions below and above keep theirs.

        A text that is cosmetically different is refreshed only where the running release wrote the file; another
        version's text is as good, and must not change back and forth.
        """
        with files.locked(self.root, place.folder):
            return self._accept(place, stage, body, torch, triton)

    def _accept(self, place: GoldenPath, stage: Stage, body: str, torch: str, triton: str | None) -> list[Written]:
        running = versions.parse(torch)
        wrote = Header(stage.name, running.public, triton, normaliser.NORMALISER)
        path = self._in_use(place, running)
        if path is None:
            return [] if body == ABSENT else [self._write(place.base, stage, wrote, body)]
        try:
            used = self._read(path, stage)
        except DamagedGolden:
            if path != place.base and path != place.overlay(versions.release(running)):
                raise
            return [self._write(path, stage, wrote, body)]
        if used.body == body:
            return []
        if not self.replaces(used, not same_behaviour(stage, used.body, body), torch):
            return []
        same_release = versions.release(used.torch) == versions.release(running)
        written = []
        if same_release:
            written.append(self._write(path, stage, wrote, body))
        elif running > used.torch:
            written.append(self._write(place.overlay(versions.release(running)), stage, wrote, body))
        else:
            written += self._move_up(place, stage, used)
            written.append(self._write(place.base, stage, wrote, body))
        return written + self._tidy(place, stage)

    def replaces(self, used: Golden, behaves_differently: bool, torch: str) -> bool:
        """Whether accepting a text that differs from the golden in use, as a run on `torch` finds it, writes."""
        return behaves_differently or versions.release(used.torch) == versions.release(versions.parse(torch))

    def fingerprint(self, path: PurePosixPath) -> str | None:
        """A digest of a golden file that a checkout's line ends do not change; None where there is no file."""
        data = files.read(files.inside(self.root, path))
        return None if data is None else hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()

    def _move_up(self, place: GoldenPath, stage: Stage, base: Golden) -> list[Written]:
        """Keep a base that a newer torch recorded as that version's overlay, before an older torch replaces it."""
        overlay = place.overlay(versions.release(base.torch))
        if files.inside(self.root, overlay).exists():
            return []
        head = replace(base.header, normaliser=normaliser.NORMALISER)
        return [self._write(overlay, stage, head, base.body)]

    def _tidy(self, place: GoldenPath, stage: Stage) -> list[Written]:
        """Remove overlays that say what the golden below them says, and a base that says nothing on its own."""
        removed = []
        below = self._read(place.base, stage)
        overlays = self._overlays(place)
        for _, path in overlays:
            overlay = self._read(path, stage)
            if same_behaviour(stage, below.body, overlay.body):
                removed.append(self._remove(path))
            else:
                below = overlay
        if len(removed) == len(overlays) and below.body == ABSENT:
            removed.append(self._remove(place.base))
        return removed

    def _overlays(self, place: GoldenPath) -> list[tuple[Version, PurePosixPath]]:
        """All overlays of a place, oldest first."""
        folder = files.inside(self.root, place.folder)
        found = []
        names = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
        for name in names:
            release = place.release_of(name)
            if release is not None:
                try:
                    found.append((versions.parse(release), place.folder / name))
                except GoldenError:
                    raise GoldenError(
                        f"{self.root / place.folder / name}: {release!r} is not a torch version. Rename or delete it."
                    ) from None
        return sorted(found)

    def _in_use(self, place: GoldenPath, running: Version) -> PurePosixPath | None:
        at_or_below = [path for version, path in self._overlays(place) if version <= running]
        if at_or_below:
            return at_or_below[-1]
        # `exists` would take a dangling symlink for no golden at all; `inside` refuses it.
        return place.base if files.inside(self.root, place.base).exists() else None

    def _read(self, path: PurePosixPath, stage: Stage) -> Golden:
        where = files.inside(self.root, path)
        data = files.read(where)
        if data is None:
            raise GoldenError(f"golden {where} is gone. Restore it, or delete the overlays (@torch-...) beside it too.")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            # Latin-1 reads anything: good enough to tell a damaged golden of ours from a file that is not ours.
            header.parse(data.decode("latin-1").replace("\r\n", "\n"), stage.comment, str(where))
            raise DamagedGolden(
                f"{where} is damaged: it is not UTF-8. "
                "Restore it from version control, or accept a new one with --snapshot-update."
            ) from None
        found, body = header.parse(text.replace("\r\n", "\n"), stage.comment, str(where))
        if found.stage != stage.name:
            raise GoldenError(
                f"{where} holds a golden of {found.stage}, not of {stage.name}. Put it back in its place."
            )
        if found.normaliser > normaliser.NORMALISER:
            raise GoldenError(
                f"{where} was written by a newer pytest-compile-golden (normaliser {found.normaliser}, "
                f"this one is {normaliser.NORMALISER}). Upgrade pytest-compile-golden."
            )
        return Golden(path, found, normaliser.upgraded(stage.name, body, found.normaliser))

    def _write(self, path: PurePosixPath, stage: Stage, head: Header, body: str) -> Written:
        where = files.inside(self.root, path)
        existed = where.exists()
        files.write(where, header.render(head, stage.comment) + body)
        return Written("updated" if existed else "new", path)

    def _remove(self, path: PurePosixPath) -> Written:
        where = files.inside(self.root, path)
        files.remove(where)
        files.remove_empty(where.parent, self.root)
        return Written("removed", path)


def same_behaviour(stage: Stage, one: str, other: str) -> bool:
    """Whether two bodies of `stage` are equal in everything that counts and that the first, the golden, can have."""
    if one == other:
        return True
    if ABSENT in (one, other):
        return False
    canonical = stage.format.canonical
    return bool(_canonical(canonical, one) == _canonical(canonical, stage.format.known_to(one, other)))


@lru_cache(maxsize=256)
def _canonical(canonical: Callable[[str], object], text: str) -> object:
    """Comparing and then accepting an artifact asks for the same forms again."""
    return canonical(text)
