"""The accepted goldens on disk: which one a torch version uses, what accepting writes, and giving up old versions.

What failing cases leave until it is accepted is elsewhere: `pending_store.py`.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec
from packaging.version import Version

from pytest_compile_golden.common import disk_cache, format_version
from pytest_compile_golden.common.files import Folder
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats import name_of
from pytest_compile_golden.formats.evidence import fits, of_torch
from pytest_compile_golden.formats.format import Format
from pytest_compile_golden.formats.line_edits import labels
from pytest_compile_golden.goldens import evidence_file
from pytest_compile_golden.goldens.golden_header import (
    DamagedGolden,
    Header,
    golden_bytes,
    parse_bytes,
)
from pytest_compile_golden.goldens.golden_paths import (
    NO_BASES,
    OLDEST,
    Bases,
    GoldenPath,
    held_on,
    parse_version,
    release_name,
    stacked,
)
from pytest_compile_golden.stages import Stage

_BOOL = msgspec.json.Decoder(bool)
ABSENT = ""
"""The body of a golden that says that this compile has no such stage."""


@dataclass(frozen=True)
class StoredGolden:
    """An accepted artifact, read from disk."""

    path: PurePosixPath
    header: Header
    body: str
    """As the current normaliser would have written it."""
    fingerprint: str = ""
    """As `Store.fingerprint` says it of the file that it was read from."""

    @property
    def torch(self) -> Version:
        """The version that wrote it."""
        return parse_version(self.header.torch)


Action = Literal["new", "updated", "removed"]


@dataclass(frozen=True)
class WrittenGolden:
    """One golden that accepting changed; what holds it may be a file that also holds others."""

    action: Action
    path: PurePosixPath


class Store:
    """A goldens folder. One set of files serves all torch versions, and targets that are alike."""

    def __init__(self, root: Path, bases: Bases = NO_BASES) -> None:
        self.root = root
        self.bases = bases
        self._goldens = Folder(root)
        self.changed_files: dict[PurePosixPath, Action] = {}
        """Each file that was written or removed, evidence included, also if what wrote it ended with an error."""

    @contextmanager
    def together(self, folders: Iterable[PurePosixPath]) -> Iterator[Store]:
        """A store that writes what it accepts for cases of these folders at the end of the block: `Folder.together`."""
        with self._goldens.together(map(self._shared, folders)) as goldens:
            store = Store(self.root, self.bases)
            store._goldens = goldens
            yield store
        for path, action in store.changed_files.items():
            self._note(path, action)

    def _shared(self, folder: PurePosixPath) -> PurePosixPath:
        """The folder whose lock all targets of a case share that share goldens."""
        return [folder, *self.bases.below(folder)][-1]

    def find(
        self, golden_path: GoldenPath, stage: Stage, torch: str
    ) -> StoredGolden | None:
        """The newest golden recorded for a version not above `torch`; one without a version is older than all overlays.

        If the target has none that old, its base's is used. Raises GoldenError if that file is damaged, not ours, or
        reached through a symlink.
        """
        path = _at(self._stack(golden_path), parse_version(torch))
        return None if path is None else self._read(path, stage)

    def earlier(
        self, golden_path: GoldenPath, stage: Stage, than: StoredGolden
    ) -> Iterator[tuple[str, str]]:
        """What held before this golden, the newest first, each with its torch; what is damaged is left out."""
        stack = self._stack(golden_path)
        used = next(at for at, (_, path) in enumerate(stack) if path == than.path)
        for (_, path), (until, _) in reversed(
            list(itertools.pairwise(stack[: used + 1]))
        ):
            with suppress(GoldenError):
                golden = self._read(path, stage)
                yield held_on(golden.header.torch, until), golden.body

    def accept(
        self,
        golden_path: GoldenPath,
        stage: Stage,
        body: str,
        torch: str,
        triton: str | None,
        known: tuple[str, ...] = (),
        facts: str = "",
    ) -> list[WrittenGolden]:
        """Make `body` what a run on `torch` finds, writing only what differs. Versions below and above keep theirs.

        facts: its evidence, as `formats.evidence` writes it.

        A cosmetically different text is refreshed only if the running release wrote the file for this target; another
        version's or target's text is just as good, and must not change back and forth. Targets with this one as their
        base lose the overlays that now say the same.
        """
        with self._goldens.locked(self._shared(golden_path.folder)):
            wrote = Header(
                stage.name,
                parse_version(torch).public,
                triton,
                format_version.NORMALISER,
                known,
            )
            written = self._accept(golden_path, stage, body, torch, wrote, facts)
            return written + (self._tidy_above(golden_path, stage) if written else [])

    def _accept(
        self,
        golden_path: GoldenPath,
        stage: Stage,
        body: str,
        torch: str,
        wrote: Header,
        facts: str,
    ) -> list[WrittenGolden]:
        running = parse_version(torch)
        path = _at(self._stack(golden_path), running)
        if path is None:
            first = golden_path.versionless
            written = (
                []
                if body == ABSENT
                else self._put(first, golden_path, stage, wrote, body, facts)
            )
            return written + (self.tidy(golden_path, stage) if written else [])
        overlay = golden_path.overlay(release_name(running))
        try:
            used = self._read(path, stage)
        except DamagedGolden:
            if path not in (golden_path.versionless, overlay):
                raise
            return [self._write(path, stage, wrote, body, facts)]
        if used.body == body:
            self._add_evidence(golden_path, used, facts, wrote)
            return []
        if not self.replaces(
            golden_path, used, not same_behaviour(stage, used.body, body), torch
        ):
            return []
        own = used.path.parent == golden_path.folder
        same_release = release_name(used.torch) == release_name(running)
        newer = used if running < used.torch and not same_release else None
        if own and same_release:
            overlay = used.path
        elif own and newer is not None:
            overlay = golden_path.versionless
        written = self._put(
            overlay, golden_path, stage, wrote, body, facts, moved_up=newer
        )
        written += self.tidy(golden_path, stage)
        self._say_changes(golden_path, stage)
        return written

    def replaces(
        self,
        golden_path: GoldenPath,
        used: StoredGolden,
        behaves_differently: bool,
        torch: str,
    ) -> bool:
        """Whether accepting a text writes anything if it differs from the golden that a run on `torch` uses."""
        same_release = release_name(used.torch) == release_name(parse_version(torch))
        return behaves_differently or (
            same_release and used.path.parent == golden_path.folder
        )

    def fingerprint(self, path: PurePosixPath) -> str | None:
        """A digest of a golden file that does not depend on a checkout's line endings; None if there is no file."""
        if evidence_file.holds(path):
            known = evidence_file.of(self._goldens, path)
            return _digest(known.encode()) if known else None
        data = self._goldens.read(path)
        return None if data is None else _digest(data)

    def _put(
        self,
        path: PurePosixPath,
        golden_path: GoldenPath,
        stage: Stage,
        head: Header,
        body: str,
        facts: str,
        moved_up: StoredGolden | None = None,
    ) -> list[WrittenGolden]:
        """Write one of the target's own goldens, and first any goldens that newer versions would no longer find.

        These are the base's goldens for newer versions, if this is the target's oldest own golden, and `moved_up`, a
        golden without a version that a newer torch version recorded, which becomes that version's overlay.
        """
        release = golden_path.release_of(path.name)
        since = OLDEST if release is None else parse_version(release)
        stack = self._stack(golden_path)
        kept = {
            golden_path.folder / old.name: old
            for newer, old in stack
            if newer > since and old.parent != golden_path.folder
        }
        if moved_up is not None:
            kept.setdefault(
                golden_path.overlay(release_name(moved_up.torch)), moved_up.path
            )
        written = []
        for new, old in kept.items():
            if not self._exists(new):
                golden = self._read(old, stage)
                again = replace(golden.header, normaliser=format_version.NORMALISER)
                written.append(
                    self._write(
                        new,
                        stage,
                        again,
                        golden.body,
                        evidence_file.of(self._goldens, golden.path),
                    )
                )
        under = [older for counts_from, older in stack if counts_from < since]
        if under and not evidence_file.holds(path):
            # Here, so that `_say_changes` need not write the file once more.
            head = replace(
                head, changes=codes(stage, self._read(under[-1], stage).body, body)
            )
        return [*written, self._write(path, stage, head, body, facts)]

    def tidy(self, golden_path: GoldenPath, stage: Stage) -> list[WrittenGolden]:
        """Remove overlays, of a version or a target, that say the same as the goldens below them."""
        own, below = self._own(golden_path), self._below(golden_path)
        removed: list[WrittenGolden] = []
        kept: StoredGolden | None = None
        if not self.bases.below(golden_path.folder):
            kept = self._read(golden_path.versionless, stage)
            own = own[1:]
        for number, (since, path) in enumerate(own):
            golden = self._read(path, stage)
            if kept is not None:
                under = [kept.body]
            else:
                until = own[number + 1][0] if number + 1 < len(own) else None
                under = self._bodies(below, since, until, stage)
            if all(same_behaviour(stage, body, golden.body) for body in under):
                removed.append(self._remove(path))
            else:
                kept = golden
        # An absent stage in a golden without a version says nothing if there is no overlay.
        if (
            kept is not None
            and kept.path == golden_path.versionless
            and kept.body == ABSENT
            and len(removed) == len(own)
        ):
            removed.append(self._remove(golden_path.versionless))
        return removed

    def squash(
        self, golden_path: GoldenPath, stage: Stage, oldest: Version
    ) -> list[WrittenGolden]:
        """Forget what only torches before `oldest` use: what that version uses becomes the oldest golden."""
        with self._goldens.locked(self._shared(golden_path.folder)):
            old = [path for since, path in self._own(golden_path) if since <= oldest]
            if len(old) < 2:
                return []
            used = self._read(old[-1], stage)
            facts = evidence_file.of(self._goldens, used.path)
            removed = [self._remove(path) for path in old[1:]]
            head = replace(used.header, changes=())
            written = self._write(
                golden_path.versionless, stage, head, used.body, facts
            )
            return [*removed, written, *self.tidy(golden_path, stage)]

    def _say_changes(self, golden_path: GoldenPath, stage: Stage) -> None:
        """Make the header of each of the target's own overlays say what it changes in the golden that it overlays."""
        own = {
            path
            for since, path in self._own(golden_path)
            if since != OLDEST and not evidence_file.holds(path)
        }
        for (_, under), (_, over) in itertools.pairwise(self._stack(golden_path)):
            if over in own:
                golden = self._read(over, stage)
                changes = codes(stage, self._read(under, stage).body, golden.body)
                if golden.header.changes != changes:
                    self._write_file(
                        over,
                        replace(golden.header, changes=changes),
                        stage,
                        golden.body,
                    )

    def _tidy_above(self, golden_path: GoldenPath, stage: Stage) -> list[WrittenGolden]:
        """Tidy the targets that have this one as a base, nearest first."""
        removed = []
        for folder in self.bases.above(golden_path.folder):
            # A damaged golden of another target is reported by that target's case.
            with suppress(GoldenError):
                removed += self.tidy(replace(golden_path, folder=folder), stage)
        return removed

    def _bodies(
        self,
        stack: list[tuple[Version, PurePosixPath]],
        since: Version,
        until: Version | None,
        stage: Stage,
    ) -> list[str]:
        """All bodies in `stack` for versions from `since` to before `until`; ABSENT where it has no golden."""
        first = _at(stack, since)
        later = [
            path
            for version, path in stack
            if version > since and (until is None or version < until)
        ]
        return [
            ABSENT if path is None else self._read(path, stage).body
            for path in (first, *later)
        ]

    def _stack(self, golden_path: GoldenPath) -> list[tuple[Version, PurePosixPath]]:
        """The goldens that count for `golden_path`, oldest first, each with the version that it counts from."""
        return stacked(
            self._own(golden_path), self._below(golden_path), lambda golden: golden[0]
        )

    def _below(self, golden_path: GoldenPath) -> list[tuple[Version, PurePosixPath]]:
        bases = self.bases.below(golden_path.folder)
        return self._stack(replace(golden_path, folder=bases[0])) if bases else []

    def _own(self, golden_path: GoldenPath) -> list[tuple[Version, PurePosixPath]]:
        """The target's own goldens, oldest first."""
        first = golden_path.versionless
        if evidence_file.holds(first):
            names = [
                path.name
                for path in evidence_file.held(self._goldens, golden_path.folder)
            ]
            is_there = self._exists(first)
        else:
            names = self._goldens.names_in(golden_path.folder)
            is_there = first.name in names
        overlays = []
        for name in names:
            release = golden_path.release_of(name)
            if release is not None:
                try:
                    overlays.append((parse_version(release), golden_path.folder / name))
                except GoldenError:
                    raise GoldenError(
                        f"{self.root / golden_path.folder / name}: {release!r} is not a torch version. "
                        "Rename or delete it."
                    ) from None
        return [(OLDEST, first), *sorted(overlays)] if is_there else sorted(overlays)

    def _exists(self, path: PurePosixPath) -> bool:
        if not evidence_file.holds(path):
            # A dangling symlink is not read as no golden at all: it is refused.
            return self._goldens.read(path) is not None
        try:
            return bool(evidence_file.facts_of(self._goldens, path))
        except DamagedGolden:
            return True  # and reading it says so
        except GoldenError:
            return False

    def _read(self, path: PurePosixPath, stage: Stage) -> StoredGolden:
        if evidence_file.holds(path) and (
            facts := evidence_file.facts_of(self._goldens, path)
        ):
            return self._checked(
                path,
                stage,
                *evidence_file.golden(self.root, path, facts),
                _digest(facts.encode()),
            )
        where = self.root / path
        data = self._goldens.read(path)
        if data is None:
            raise GoldenError(
                f"golden {where} is gone. Restore it, or delete the overlays (@torch-...) beside it too."
            )
        return self._checked(
            path, stage, *parse_bytes(data, stage.comment, where), _digest(data)
        )

    def _checked(
        self,
        path: PurePosixPath,
        stage: Stage,
        head: Header,
        body: str,
        fingerprint: str,
    ) -> StoredGolden:
        if head.stage != stage.name:
            raise GoldenError(
                f"{self.root / path} holds a golden of {head.stage}, not of {stage.name}. Move it where it belongs."
            )
        if head.normaliser > format_version.NORMALISER:
            raise GoldenError(
                f"{self.root / path} was written by a newer pytest-compile-golden (normaliser {head.normaliser}, "
                f"but this is {format_version.NORMALISER}). Upgrade pytest-compile-golden."
            )
        return StoredGolden(
            path,
            head,
            format_version.upgraded(stage.name, body, head.normaliser),
            fingerprint,
        )

    def known(
        self, golden: StoredGolden, torch: str | None, *, kept: bool
    ) -> str | None:
        """What is known about a golden, for a report on a version of torch; None if the golden was edited since.

        kept: whether evidence is kept of such texts.
        """
        known = evidence_file.of(self._goldens, golden.path) if kept else ""
        if known and not fits(known, golden.body):
            return None
        return (
            known
            if golden.header.torch == torch
            else of_torch(known, golden.header.torch)
        )

    def _add_evidence(
        self, golden_path: GoldenPath, golden: StoredGolden, facts: str, wrote: Header
    ) -> None:
        """Keep the evidence of a golden that stays as it is, unless another version's is there and fits."""
        own = golden.path.parent == golden_path.folder
        same_release = release_name(golden.torch) == release_name(
            parse_version(wrote.torch)
        )
        if (
            facts
            and own
            and (
                same_release
                or not fits(evidence_file.of(self._goldens, golden.path), golden.body)
            )
        ):
            with self._listing(evidence_file.file_of(golden.path)):
                evidence_file.put(self._goldens, golden.path, facts, wrote)

    def _write(
        self, path: PurePosixPath, stage: Stage, head: Header, body: str, facts: str
    ) -> WrittenGolden:
        existed = self._exists(path)
        if evidence_file.holds(path):
            with self._listing(evidence_file.file_of(path)):
                evidence_file.put_golden(self._goldens, path, head, body)
        else:
            self._write_file(path, head, stage, body, facts)
        return WrittenGolden("updated" if existed else "new", path)

    def _write_file(
        self,
        path: PurePosixPath,
        head: Header,
        stage: Stage,
        body: str,
        facts: str | None = None,
    ) -> None:
        """Write a golden that has a file of its own, and with `facts` its evidence; nothing if it is not readable."""
        data = golden_bytes(head, stage.comment, body, self.root / path)
        if facts is not None:
            with self._listing(evidence_file.file_of(path)):
                evidence_file.put(self._goldens, path, facts, head)
        with self._listing(path):
            self._goldens.write(path, data)

    def _remove(self, path: PurePosixPath) -> WrittenGolden:
        with self._listing(path), self._listing(evidence_file.file_of(path)):
            self._goldens.remove(path)
            evidence_file.put(self._goldens, path, "")
        return WrittenGolden("removed", path)

    @contextmanager
    def _listing(self, path: PurePosixPath) -> Iterator[None]:
        """Add to `changed_files` what becomes of a file, however the block ends."""
        before = self._goldens.read(path)
        try:
            yield
        finally:
            after = self._goldens.read(path)
            if after != before:
                action: Action = (
                    "removed"
                    if after is None
                    else "new"
                    if before is None
                    else "updated"
                )
                self._note(path, action)

    def _note(self, path: PurePosixPath, action: Action) -> None:
        earlier = self.changed_files.pop(path, None)
        if earlier == "new" and action == "updated":
            action = "new"
        elif earlier == "removed":
            action = "updated"
        if (earlier, action) != ("new", "removed"):
            self.changed_files[path] = action


def _digest(data: bytes) -> str:
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def codes(stage: Stage, old: str, new: str) -> tuple[str, ...]:
    """The codes of how one golden differs from another."""
    if not old or not new:
        return ("stage-gone",) if old else ()
    if stage.format.numbers(old) is not None:
        return ("metric-changed",)
    return tuple(
        sorted({edit.code for edit in labels(stage.format, stage.comment, old, new)})
    )


def _at(
    stack: list[tuple[Version, PurePosixPath]], running: Version
) -> PurePosixPath | None:
    """The golden of `stack` that a run on this version uses."""
    return next((path for since, path in reversed(stack) if since <= running), None)


def same_behaviour(stage: Stage, one: str, other: str) -> bool:
    """Whether two bodies of `stage` are equal in everything that counts and that the first, the golden, can contain."""
    if one == other:
        return True
    if ABSENT in (one, other):
        return False
    return _same_behaviour(stage.format, one, other)


# What is accepted is compared with its golden more than once.
@lru_cache(maxsize=64)
def _same_behaviour(form: Format, one: str, other: str) -> bool:
    name = name_of(form)
    key = None if name is None else disk_cache.key("same", name, one, other)

    def are_same() -> bool:
        comparable = form.without_newer_parts(one, other)
        mine = _canonical(form.canonical, one)
        return bool(mine == _canonical(form.canonical, comparable))

    same: bool = disk_cache.found(key, are_same, msgspec.json.encode, _BOOL.decode)
    return same


@lru_cache(maxsize=256)
def _canonical(canonical: Callable[[str], object], text: str) -> object:
    """Cached, because comparing and then accepting an artifact needs the same forms twice."""
    try:
        return canonical(text)
    except (RecursionError, MemoryError):  # the parser's own limit is a MemoryError
        return text  # nested more deeply than Python reads: it is only equal to itself
