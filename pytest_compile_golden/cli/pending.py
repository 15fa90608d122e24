"""What `accept`, `reject`, `review` and `show` have in common: their options, and the pending artifacts they choose."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import click

from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import acceptance, grouping, moved
from pytest_compile_golden.goldens.cause import cause
from pytest_compile_golden.goldens.compare import Change
from pytest_compile_golden.goldens.grouping import Group
from pytest_compile_golden.goldens.manifest import PendingArtifact, PendingCase
from pytest_compile_golden.goldens.matching import matches
from pytest_compile_golden.goldens.pending import PendingStore
from pytest_compile_golden.goldens.store import Store, Written
from pytest_compile_golden.goldens.verdicts import judged
from pytest_compile_golden.vocabulary import UPDATE_KINDS, update_kind

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Entry:
    """One pending artifact; `refused` says why it no longer fits the goldens."""

    case: PendingCase
    artifact: PendingArtifact
    change: Change | None
    """How it differs from the golden in use; None where it was accepted meanwhile, or is refused."""
    refused: str | None = None

    @property
    def name(self) -> str:
        return f"{self.case.folder / self.artifact.stem}.{self.artifact.extension}"


@dataclass(frozen=True)
class Filters:
    """Which of the pending artifacts a command is about; empty means all."""

    case: str | None = None
    stage: str | None = None
    kind: str | None = None
    groups: tuple[int, ...] = ()

    def match(self, entry: Entry) -> bool:
        kind = update_kind(entry.artifact.kind if entry.change is None else entry.change.kind)
        return (
            (self.case is None or matches(self.case, entry.case.nodeid, str(entry.case.folder)))
            and self.stage in (None, entry.artifact.stage)
            and self.kind in (None, kind)
        )


class Pending:
    """A pending store beside the goldens it is compared with."""

    def __init__(self, pending: Path | None, goldens: Path | None) -> None:
        project = find_project()
        self.root = project.root
        self.folder = pending or project.pending
        self.store = Store((goldens or project.goldens).absolute())
        self._pending = PendingStore(self.folder.absolute())
        self._goldens_given = goldens is not None
        cases, self.errors = self._pending.read() if self.folder.is_dir() else ([], [])
        self._cases = {case.folder: case for case in cases}
        compared = ([self._entry(case, artifact) for artifact in case.artifacts] for case in cases)
        self.entries = [entry for entries in compared for entry in _judged(entries)]

    def _entry(self, case: PendingCase, artifact: PendingArtifact) -> Entry:
        # Where goldens are is for the person here to say, never for a file that may have been downloaded.
        there = self.root / case.goldens
        if not self._goldens_given and there != self.store.root:
            return Entry(
                case, artifact, None, f"{case.nodeid} was compared with goldens in {case.goldens}. Name them: --goldens"
            )
        try:
            return Entry(case, artifact, acceptance.check(case, artifact, self.store))
        except GoldenError as error:
            return Entry(case, artifact, None, str(error))

    def groups(self) -> list[Group[Entry]]:
        """All that can be accepted, grouped by what changed. Numbers do not depend on any filter."""
        return grouping.group((entry.change, entry) for entry in self.entries if entry.change is not None)

    def total(self, filters: Filters) -> int:
        """The number of groups that a person is asked about: cosmetic ones, which come last, by their kind only."""
        groups = self.groups()
        return len(groups) if filters.kind == "cosmetic" else sum(each.way.kind != "cosmetic" for each in groups)

    def choose(self, filters: Filters) -> list[Group[Entry]]:
        """The groups, each with those of its members that the filters let through. Raises ClickException."""
        groups = self.groups()
        unknown = [number for number in filters.groups if not 0 < number <= len(groups)]
        if unknown:
            raise click.ClickException(f"there is no group {unknown[0]}; `compile-golden show` shows {len(groups)}.")
        chosen = []
        for group in groups:
            members = tuple(entry for entry in group.members if filters.match(entry))
            if members and (not filters.groups or group.number in filters.groups):
                chosen.append(Group(group.number, group.way, members))
        return chosen

    def refused(self, filters: Filters) -> list[Entry]:
        """What the filters let through but no longer fits; in no group."""
        if filters.groups:
            return []
        return [entry for entry in self.entries if entry.refused is not None and filters.match(entry)]

    def stale(self, filters: Filters) -> list[Entry]:
        """What was accepted meanwhile by other means."""
        return [entry for entry in self.entries if entry.change is None and not entry.refused and filters.match(entry)]

    def move(self, filters: Filters) -> tuple[list[tuple[PendingCase, list[Written]]], list[Entry]]:
        """Make the goldens of cases that got another name theirs; what was pending for them is then decided.

        Gives for each case what was written, and one entry for each that could not be done.
        """
        done, failed = [], []
        for case in list(self._cases.values()):
            entries = [entry for entry in self.entries if entry.case.folder == case.folder and filters.match(entry)]
            if case.moved_from is None or not entries:
                continue
            try:
                if not self._goldens_given and self.root / case.goldens != self.store.root:
                    raise GoldenError(
                        f"{case.nodeid} was compared with goldens in {case.goldens}. Name them: --goldens"
                    )
                texts = {case.place(each): (each.stage, each.text) for each in case.artifacts if each.kind == "new"}
                if moved.origin(self.store, texts, case.torch, [case.moved_from]) is None:
                    raise GoldenError(f"{case.moved_from} is not what {case.nodeid} looked like. Run the case again.")
                done.append((case, moved.move(self.store, case.moved_from, case.folder)))
            except GoldenError as error:
                failed.append(replace(entries[0], refused=str(error)))
                continue
            self.drop([entry for entry in self.entries if entry.case.folder == case.folder])
        return done, failed

    def drop(self, entries: Iterable[Entry]) -> None:
        """Forget entries, whatever became of them. Raises GoldenError where the store cannot be written."""
        gone: dict[PurePosixPath, list[Entry]] = {}
        for entry in entries:
            gone.setdefault(entry.case.folder, []).append(entry)
        for folder, dropped in gone.items():
            # Not the entries' own record of the case: it may be older than the last drop.
            case, stems = self._cases[folder], {entry.artifact.stem for entry in dropped}
            self._pending.drop(case, [each for each in case.artifacts if each.stem in stems])
            self._cases[folder] = replace(case, artifacts=tuple(e for e in case.artifacts if e.stem not in stems))
            self.entries = [
                entry for entry in self.entries if entry.case.folder != folder or entry.artifact.stem not in stems
            ]

    def drop_damaged(self) -> int:
        """Forget cases that cannot be read; gives how many."""
        return self._pending.clear_damaged()


def _judged(entries: list[Entry]) -> list[Entry]:
    """The entries of one case, with verdicts on its metrics where torch is the cause."""
    changes = [entry.change for entry in entries if entry.change is not None and entry.change.kind != "new"]
    if not any(change.metrics for change in changes):
        return entries
    found = cause(changes)
    return [
        entry
        if entry.change is None or not entry.change.metrics
        else replace(entry, change=replace(entry.change, metrics=judged(entry.change.metrics, found, changes)))
        for entry in entries
    ]


def options(command: Command) -> Command:
    """The options of every command that works on the pending store."""
    folder = click.Path(file_okay=False, path_type=Path)
    for option in (
        click.option("--goldens", type=folder, help="The goldens folder (default: the project's)."),
        click.option("--pending", type=folder, help="The pending folder, CI's download (default: pytest's cache)."),
        click.option(
            "--kind",
            type=click.Choice(UPDATE_KINDS),
            help="Only changes of this kind.",
        ),
        click.option("--stage", metavar="NAME", help="Only artifacts of this stage."),
        click.option("--case", metavar="GLOB", help="Only cases whose id or folder is like this; * for any text."),
    ):
        command = option(command)
    return command


def group_option(command: Command) -> Command:
    return click.option(
        "--group", "groups", type=int, multiple=True, metavar="N", help="Only this group, as `show` numbers it."
    )(command)
