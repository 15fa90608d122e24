"""The pending artifacts that `accept`, `reject`, `review` and `show` choose from, move and drop."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

import msgspec

from pytest_compile_golden.changes.change import CODES, check_codes
from pytest_compile_golden.cli.find_cases import named
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common import disk_cache, files, name_matching
from pytest_compile_golden.common.constants import update_kind
from pytest_compile_golden.common.name_matching import chosen
from pytest_compile_golden.errors import GoldenError, UnknownName
from pytest_compile_golden.goldens import pending_store, unused_goldens
from pytest_compile_golden.goldens.change_groups import (
    CaseFound,
    ChangeGroup,
    Waiting,
    change_groups,
    digest,
)
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.distinct_change import DistinctChange
from pytest_compile_golden.goldens.golden_history import golden_files, stem_of
from pytest_compile_golden.goldens.golden_store import Store, WrittenGolden
from pytest_compile_golden.goldens.metric_history import Thresholds, thresholds
from pytest_compile_golden.goldens.pending_store import PendingCase, PendingStore
from pytest_compile_golden.goldens.pending_verdicts import (
    ArtifactFacts,
    CaseFacts,
    case_facts,
    contents_of,
    waiting,
)
from pytest_compile_golden.goldens.severity import codes
from pytest_compile_golden.stages import stages


@dataclass(frozen=True, eq=False)
class PendingEntry:
    """One pending artifact; `refused` says why it no longer fits the goldens.

    Each is itself only: to compare or hash its texts whenever it is looked up would take longer than all the rest.
    """

    case: CaseFacts
    artifact: ArtifactFacts
    change: Compared | None
    """How it differs from the golden in use; None if it has been accepted in the meantime or is refused."""
    refused: str | None = None

    @property
    def kind(self) -> str:
        """The kind by which --kind selects it."""
        return update_kind(
            self.artifact.kind if self.change is None else self.change.kind
        )


@dataclass(frozen=True)
class Filters:
    """Which pending artifacts a command applies to; empty means all."""

    case: str | None = None
    stage: str | None = None
    kind: str | None = None
    groups: tuple[int, ...] = ()
    changes: tuple[str, ...] = ()
    """Digests of distinct changes, as shown in an HTML report."""
    codes: tuple[str, ...] = ()
    """Codes of distinct changes; * matches any text."""
    notes: bool = False
    """Only what does not fail its case; no metrics of a case that fails for something else."""
    proved: bool = False
    """Only what is proved to compute the same, in cases where nothing else changed."""

    @property
    def given(self) -> str:
        """As they were typed."""
        options = {"case": self.case, "stage": self.stage, "kind": self.kind}
        named = [
            f"--{name} {value}" for name, value in options.items() if value is not None
        ]
        numbered = [f"--group {number}" for number in self.groups]
        coded = (
            [f"--code {code}" for code in self.codes]
            + ["--notes"] * self.notes
            + ["--proved"] * self.proved
        )
        return " ".join(
            [
                *named,
                *numbered,
                *(f"--change {change}" for change in self.changes),
                *coded,
            ]
        )

    @property
    def by_change(self) -> bool:
        """Whether individual distinct changes are selected."""
        return bool(self.groups or self.changes or self.codes)

    def names(self, change: DistinctChange) -> bool:
        """Whether a distinct change is one of those selected by digest or code."""
        coded = any(fnmatchcase(change.what.code, code) for code in self.codes)
        return coded or digest(change.key) in self.changes


@dataclass(frozen=True)
class Chosen:
    """What a command applies to."""

    groups: list[ChangeGroup[PendingEntry]]
    """What can be accepted: each group with those of its members that were selected."""
    refused: list[PendingEntry]
    """Entries that no longer fit the goldens; in no group."""
    stale: list[PendingEntry]
    """Entries that have been accepted by other means in the meantime."""
    total: int
    """The number of groups that are shown."""
    noted: int = 0
    """How many of these, the last ones, no review asks about."""

    @property
    def entries(self) -> list[PendingEntry]:
        """All entries that can be accepted, each once even if it has several of the changes."""
        return list(
            dict.fromkeys(entry for group in self.groups for entry in group.members)
        )


def pending_option(pending: Path | None) -> str:
    """What a command about the same artifacts needs."""
    return f" --pending {shlex.quote(str(pending))}" if pending else ""


class Pending:
    """A pending store, together with the goldens it is compared with."""

    def __init__(self, pending: Path | None, goldens: Path | None) -> None:
        project = find_project()
        self.root = project.root
        self.folder = pending or project.pending
        self.option = pending_option(pending)
        self.store = Store(
            (goldens or project.goldens).absolute(), find_project(goldens).bases
        )
        self._pending = PendingStore(self.folder.absolute())
        self._goldens_given = goldens is not None
        self.errors: list[GoldenError] = []
        self.entries: list[PendingEntry] = []
        self._cases: dict[PurePosixPath, CaseFacts] = {}
        self._waiting: dict[PurePosixPath, Waiting[PendingEntry]] = {}
        folders = self._pending.folders() if self.folder.is_dir() else []
        if folders:
            disk_cache.find_in_forks(self._known, folders)
        for folder in folders:
            try:
                self._add(*self._known(folder))
            except GoldenError as error:
                self.errors.append(error)

    def _known(self, folder: PurePosixPath) -> tuple[CaseFacts, CaseFound]:
        return case_facts(self._pending, folder, self.store, self._usual)

    def _add(self, case: CaseFacts, found: CaseFound) -> None:
        self._cases[case.folder] = case
        elsewhere = self._elsewhere(case)
        entries = [
            PendingEntry(
                case,
                artifact,
                None if elsewhere else self._change(case, artifact),
                elsewhere or artifact.refused,
            )
            for artifact in case.artifacts
        ]
        self.entries += entries
        self._waiting[case.folder] = _waiting(entries)
        if not elsewhere:
            self._waiting[case.folder].found = found

    def _elsewhere(self, case: CaseFacts) -> str | None:
        """Why the case's goldens may be elsewhere; None if they are here."""
        # The user decides where the goldens are, never a file that may have been downloaded.
        if self._goldens_given or self.root / case.goldens == self.store.root:
            return None
        return f"{case.nodeid} was compared with goldens in {case.goldens}. Pass --goldens."

    def _change(self, case: CaseFacts, artifact: ArtifactFacts) -> Compared | None:
        """How an artifact differs, whose texts are read when they are asked for."""
        if artifact.change is None:
            return None

        def read() -> Compared:
            return self._read(case.folder)[artifact.stem]

        def part(number: int) -> Compared:
            return read().parts[number]

        change = artifact.change.unread(read)
        parts = [
            facts.unread(functools.partial(part, number))
            for number, facts in enumerate(artifact.parts)
        ]
        change.parts = tuple(parts) or (change,)
        return change

    @functools.cached_property
    def _read(self) -> Callable[[PurePosixPath], dict[str, Compared]]:
        return functools.lru_cache(maxsize=1)(self._compared)

    def _compared(self, folder: PurePosixPath) -> dict[str, Compared]:
        """What differs in a case with its texts, by stem. Raises GoldenError if anything changed since it was read."""
        case, changes = self.whole(folder), {}
        for artifact in case.artifacts:
            change = pending_store.check(case, artifact, self.store)
            if change is not None:
                changes[artifact.stem] = change
        return changes

    def whole(self, folder: PurePosixPath) -> PendingCase:
        """A case with its texts, as it was read. Raises GoldenError if it is another one now."""
        case, known = self._pending.case(folder), self._cases[folder]
        if contents_of(self._pending, folder) != known.contents:
            raise GoldenError(
                f"{known.nodeid} has been run again, or changed, since it was read here. Run this command again."
            )
        return case

    @functools.cached_property
    def _usual(self) -> Thresholds:
        return thresholds(self.store.root)

    def choose(self, filters: Filters) -> Chosen:
        """The entries that match the filters; without filters, empty if nothing is pending.

        Raises UnknownName if a filter names something that does not exist, or if together they match nothing.
        """
        name_matching.check(
            "stage",
            [] if filters.stage is None else [filters.stage],
            self._stages(filters.stage),
        )
        self._require_entries(filters)
        if not self.entries:
            return Chosen([], [], [], 0)
        groups = self.groups()
        self._check(filters, groups)
        wanted = dict.fromkeys(self._wanted(filters))
        matching = []
        for group in groups:
            members = tuple(entry for entry in group.members if entry in wanted)
            marked = tuple(change for change in group.changes if filters.names(change))
            if members and (not filters.by_change or group.number in filters.groups):
                matching.append(replace(group, members=members))
            elif members and marked:
                # Only the named ones of the changes that the same cases have.
                matching.append(replace(group, members=members, changes=marked))
        without_change = (
            []
            if filters.by_change
            else [entry for entry in wanted if entry.change is None]
        )
        if not matching and not without_change:
            raise UnknownName(f"nothing pending matches {filters.given}.")
        refused = [entry for entry in without_change if entry.refused is not None]
        # Cosmetic groups come last, and are only asked about with --kind cosmetic.
        total = len(groups) if filters.kind == "cosmetic" else _asked(groups)
        stale = [entry for entry in without_change if entry.refused is None]
        return Chosen(
            matching, refused, stale, total, sum(group.noted for group in groups)
        )

    def _require_entries(self, filters: Filters) -> None:
        if filters.given and not (self.entries or self.errors):
            raise UnknownName("nothing is pending.")

    def _wanted(self, filters: Filters) -> list[PendingEntry]:
        if not self.entries:
            return []
        cases = {
            entry.case.folder: (entry.case.nodeid, str(entry.case.folder))
            for entry in self.entries
        }
        wanted = [] if filters.case is None else [named(filters.case, self.store.root)]
        selected = frozenset(chosen(wanted, cases, " with pending changes"))
        # Whether something is proved is found in its texts, which are read for it.
        unproved = {
            entry.case.folder
            for entry in self.entries
            if filters.proved and not _is_proved(entry)
        }
        failing = {entry.case.folder for entry in self.entries if _fails(entry)}
        return [
            entry
            for entry in self.entries
            if entry.case.folder in selected
            and filters.stage in (None, entry.artifact.stage)
            and filters.kind in (None, entry.kind)
            and (not filters.notes or _is_note(entry, failing))
            and entry.case.folder not in unproved
        ]

    def _check(self, filters: Filters, groups: list[ChangeGroup[PendingEntry]]) -> None:
        if filters.stage is not None:
            there = (entry.artifact.stage for entry in self.entries)
            name_matching.check("pending artifact of stage", [filters.stage], there)
        if filters.kind is not None:
            name_matching.check(
                "pending artifact of kind",
                [filters.kind],
                (entry.kind for entry in self.entries),
            )
        for number in filters.groups:
            if not 0 < number <= len(groups):
                cosmetic = len(groups) - _asked(groups)
                besides = (
                    f", and {cosmetic} with cosmetic differences" if cosmetic else ""
                )
                shows = f"`compile-golden show{self.option}` shows {_asked(groups)}{besides}"
                raise UnknownName(f"there is no change {number}; {shows}.")

        check_codes(filters.codes)
        digests = {change for group in groups for change in group.digests}
        for change in filters.changes:
            if change not in digests:
                raise UnknownName(
                    f"nothing pending has the change {change}: it has already been accepted or rejected, or the report "
                    f"is from another run. `compile-golden show{self.option}` shows what is pending."
                )

    def _stages(self, wanted: str | None) -> list[str]:
        """The stages that are known without loading any conftest.py."""
        known = [stage.name for stage in stages()] + [
            entry.artifact.stage for entry in self.entries
        ]
        if wanted not in (None, *known):
            stems = (stem_of(path.name) for path in golden_files(self.store.root))
            known += [stem.partition(".")[0] for stem in stems if stem is not None]
        return known

    def groups(self) -> list[ChangeGroup[PendingEntry]]:
        """Everything that can be accepted, grouped by what changed. The numbers do not depend on any filter."""
        return self._grouped()[0]

    def _grouped(
        self,
    ) -> tuple[list[ChangeGroup[PendingEntry]], dict[PendingEntry, frozenset[str]]]:
        cases: dict[PurePosixPath, list[PendingEntry]] = {}
        for entry in self.entries:
            if entry.change is not None:
                cases.setdefault(entry.case.folder, []).append(entry)
        for folder, entries in cases.items():
            # A review groups again after each decision: only what it changed is compared again.
            known, now = self._waiting.get(folder), _waiting(entries)
            if known is None or known.changes != now.changes:
                known = self._waiting[folder] = now
            known.accepted = frozenset(self._cases[folder].accepted)
        return change_groups(self._waiting[folder] for folder in cases)

    def decided(
        self, groups: Sequence[ChangeGroup[PendingEntry]]
    ) -> list[PendingEntry]:
        """Mark `groups` as accepted; returns those of their members whose case has no change left to accept.

        The other cases remember it, and are decided once the rest of their changes are accepted.
        """
        needed = self._grouped()[1]
        digests: dict[PurePosixPath, set[str]] = {}
        for group in groups:
            for entry in group.members:
                digests.setdefault(
                    entry.case.folder, set(self._cases[entry.case.folder].accepted)
                ).update(group.digests)
        done = []
        for entry in dict.fromkeys(
            entry for group in groups for entry in group.members
        ):
            if needed.get(entry, frozenset()) <= digests[entry.case.folder]:
                done.append(entry)
        whole = {entry.case.folder for entry in done}
        for folder, accepted in digests.items():
            if folder not in whole and accepted != set(self._cases[folder].accepted):
                try:
                    self._keep(folder, accepted=tuple(sorted(accepted)))
                except GoldenError as error:
                    self.errors.append(error)
        return done

    def move(
        self, filters: Filters
    ) -> tuple[list[tuple[PendingCase, list[WrittenGolden]]], list[PendingEntry]]:
        """Move the goldens of renamed cases to their new names, and drop what was pending for these cases.

        Returns what was written for each case, and one entry, with the reason, for each case that could not be moved.
        Raises UnknownName for filters that match nothing.
        """
        self._require_entries(filters)
        wanted = {entry.case.folder: entry for entry in reversed(self._wanted(filters))}
        done, failed = [], []
        # Bases first: a target whose goldens are all its base's is moved along with them.
        for folder, entry in sorted(
            wanted.items(), key=lambda item: len(self.store.bases.below(item[0]))
        ):
            known = self._cases[folder]
            origin = known.moved_from
            if origin is None:
                continue
            try:
                if elsewhere := self._elsewhere(known):
                    raise GoldenError(elsewhere)
                case = self.whole(folder)
                texts = {
                    case.golden_path(artifact): (artifact.stage, artifact.text)
                    for artifact in case.artifacts
                    if artifact.kind == "new"
                }
                if (
                    unused_goldens.origin(self.store, texts, case.torch, [origin])
                    is None
                ):
                    raise GoldenError(
                        f"{case.nodeid} no longer looks like {origin}. Run the case again."
                    )
                done.append(
                    (case, unused_goldens.move(self.store, origin, case.folder))
                )
            except GoldenError as error:
                failed.append(replace(entry, refused=str(error)))
                continue
            self.drop(
                [
                    moved_entry
                    for moved_entry in self.entries
                    if moved_entry.case.folder == folder
                ]
            )
        return done, failed

    def drop(self, entries: Iterable[PendingEntry]) -> None:
        """Drop entries, whatever was decided about them; what stays, as the store cannot be written, is in `errors`."""
        gone: dict[PurePosixPath, list[PendingEntry]] = {}
        done: dict[PurePosixPath, set[str]] = {}
        for entry in entries:
            gone.setdefault(entry.case.folder, []).append(entry)
        for folder, dropped in gone.items():
            # Not `entry.case`, which may be older than the last drop.
            case = self._cases[folder]
            stems = {entry.artifact.stem for entry in dropped}
            left = [each for each in case.artifacts if each.stem not in stems]
            try:
                # If only cosmetic differences are left, there is nothing to decide.
                if all(artifact.kind == "cosmetic" for artifact in left):
                    self._pending.clear(folder)
                    self._cases[folder] = msgspec.structs.replace(
                        case, artifacts=tuple(left)
                    )
                else:
                    self._keep(folder, without=stems)
            except GoldenError as error:
                self.errors.append(error)
                continue
            done[folder] = stems
        self.entries = [
            entry
            for entry in self.entries
            if entry.artifact.stem not in done.get(entry.case.folder, frozenset())
        ]

    def _keep(
        self,
        folder: PurePosixPath,
        accepted: tuple[str, ...] | None = None,
        without: Collection[str] = (),
    ) -> None:
        """Write a case with other changes marked as accepted, or without some of its artifacts. Raises GoldenError."""
        case, known = self.whole(folder), self._cases[folder]
        marked = known.accepted if accepted is None else accepted
        artifacts, facts = (
            tuple(each for each in every if each.stem not in without)
            for every in (case.artifacts, known.artifacts)
        )
        self._pending.keep(
            msgspec.structs.replace(case, accepted=marked, artifacts=artifacts)
        )
        self._cases[folder] = msgspec.structs.replace(
            known,
            accepted=marked,
            artifacts=facts,
            contents=contents_of(self._pending, folder),
        )

    def undoing(
        self, groups: Iterable[ChangeGroup[PendingEntry]]
    ) -> Callable[[], None]:
        """What puts back all that a decision on `groups` changes: goldens, pending files, and what waits here.

        It raises GoldenError for a file that cannot be written.
        """
        cases = dict.fromkeys(
            entry.case.folder for group in groups for entry in group.members
        )
        bases = self.store.bases
        folders = [(self._pending.root, case) for case in cases]
        for case in cases:
            folders += [
                (self.store.root, one)
                for one in (case, *bases.below(case), *bases.above(case))
            ]
        there = [root.joinpath(*case.parts) for root, case in dict.fromkeys(folders)]
        before = {
            path: files.read(path) for folder in there for path in _files_in(folder)
        }
        waiting, entries = dict(self._waiting), list(self.entries)
        known, errors, changed = (
            dict(self._cases),
            list(self.errors),
            dict(self.store.changed_files),
        )

        def undo() -> None:
            for folder in there:
                for path in _files_in(folder):
                    if path not in before:
                        files.remove(path)
            for path, data in before.items():
                if data is not None and files.read(path) != data:
                    files.write(path, data)
            for root, case in folders:
                files.remove_empty(root.joinpath(*case.parts), root)
            self._waiting, self.entries, self._cases, self.errors = (
                waiting,
                entries,
                known,
                errors,
            )
            self.store.changed_files = changed

        return undo

    def drop_damaged(self) -> int:
        """Drop cases that cannot be read; returns how many."""
        return self._pending.clear_damaged()


def _waiting(entries: Iterable[PendingEntry]) -> Waiting[PendingEntry]:
    return waiting(
        (entry.change, entry) for entry in entries if entry.change is not None
    )


def _files_in(folder: Path) -> list[Path]:
    return [folder / name for name in files.names_in(folder, only_files=True)]


def _asked(groups: Sequence[ChangeGroup[PendingEntry]]) -> int:
    return sum(group.kind != "cosmetic" for group in groups)


def _fails(entry: PendingEntry) -> bool:
    """Whether its case fails as long as it is pending."""
    accepted = entry.change is None and entry.refused is None
    return not (entry.artifact.noted or accepted or entry.kind == "cosmetic")


def _is_note(entry: PendingEntry, failing: Collection[PurePosixPath]) -> bool:
    """Whether it is noted. Metrics follow from texts: they are accepted no sooner than what fails their case."""
    return entry.artifact.noted and not (
        entry.kind == "metric" and entry.case.folder in failing
    )


def _is_proved(entry: PendingEntry) -> bool:
    """Whether it computes the same, or follows from what does; what looks different computes the same."""
    follows = entry.artifact.stage == "trail" or entry.kind == "metric"
    return entry.kind == "cosmetic" or (
        entry.artifact.noted
        and entry.change is not None
        and (
            follows
            or all(CODES[code].kind == "spelling" for code in codes(entry.change))
        )
    )
