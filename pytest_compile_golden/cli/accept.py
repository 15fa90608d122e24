"""`compile-golden accept`: turn pending artifacts into goldens, without torch."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import click
from rich.console import Console

from pytest_compile_golden.cli.choose_pending import Filters, Pending, PendingEntry
from pytest_compile_golden.cli.console import console, show, show_refused
from pytest_compile_golden.cli.pending_options import group_option, selecting
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import pending_store
from pytest_compile_golden.goldens.golden_store import Store, WrittenGolden
from pytest_compile_golden.report.styled_lines import Line, printable

_TOGETHER = 32
"""So many cases are written together."""


@click.command(short_help="Accept the artifacts that failing cases left.")
@selecting
@group_option
@click.option(
    "--change",
    "changes",
    multiple=True,
    metavar="KEY",
    help="Only the distinct change with this key, as an HTML report shows it.",
)
@click.option(
    "--code",
    "codes",
    multiple=True,
    metavar="CODE",
    help="Only distinct changes with this code, as `compile-golden changes` lists them; * matches any text.",
)
@click.option(
    "--notes",
    is_flag=True,
    help="Accept notes only: changes that do not fail a case; no metrics of a case that fails.",
)
@click.option("--proved", is_flag=True, help="Only cases that are proved equivalent.")
@click.option(
    "--moved",
    is_flag=True,
    help="Only move the goldens of cases that look renamed or moved.",
)
@click.option(
    "--reason", metavar="TEXT", help="Why; recorded next to each metric that changes."
)
def accept(waiting: Pending, filters: Filters, moved: bool, reason: str | None) -> None:
    """Accept the artifacts that failing cases left in the pending store: all of them, or those that the options select.

    Exits with 1 if something was refused or there was nothing to accept, and with 2 if an option matches nothing.
    """
    to = console()
    if moved:
        sys.exit(_move(to, waiting, filters))
    chosen = waiting.choose(filters)
    entries = waiting.decided(chosen.groups) if filters.by_change else chosen.entries
    written, failed = accept_all(waiting, entries, reason)
    waiting.drop(chosen.stale)
    show_refused(to, chosen.refused + failed, waiting.errors)
    show(
        to,
        [
            *listed(waiting.store),
            (
                "good" if entries else "",
                result_line(len(entries) - len(failed), written),
            ),
        ],
    )
    waits = len(
        {entry.case.folder for entry in chosen.entries}
        - {entry.case.folder for entry in entries}
    )
    if waits:
        have = "has" if waits == 1 else "have"
        show(
            to,
            [
                (
                    "",
                    f"{quantity(waits, 'case')} {have} other changes too and will be accepted once those are.",
                )
            ],
        )
    if chosen.stale:
        show(to, [("", f"{len(chosen.stale)} already accepted.")])
    sys.exit(
        1
        if chosen.refused
        or failed
        or waiting.errors
        or not (chosen.entries or chosen.stale)
        else 0
    )


def _move(to: Console, waiting: Pending, filters: Filters) -> int:
    done, failed = waiting.move(filters)
    show_refused(to, failed, waiting.errors)
    lines: list[Line] = []
    for case, written in done:
        old, new = (
            _from_here(waiting.store.root / str(folder))
            for folder in (case.moved_from, case.folder)
        )
        lines.append(
            (
                "good",
                f"moved {quantity(len(written) // 2, 'golden')} from {old} to {new}.",
            )
        )
    if done:
        lines.append(("", "The next run shows how the cases differ from them."))
    show(to, lines or [("", "no case looks renamed or moved.")])
    return 1 if failed or waiting.errors or not done else 0


def accept_all(
    waiting: Pending, entries: Sequence[PendingEntry], reason: str | None = None
) -> tuple[list[WrittenGolden], list[PendingEntry]]:
    """Accept entries and drop them from the store; returns what was written and the entries that were refused."""
    by_case: dict[PurePosixPath, list[PendingEntry]] = {}
    for entry in entries:
        by_case.setdefault(entry.case.folder, []).append(entry)
    cases = [*by_case.values()]
    all_of_it = _Accepted()
    try:
        for start in range(0, len(cases), _TOGETHER):
            some = cases[start : start + _TOGETHER]
            try:
                all_of_it += _accept(waiting, some, reason)
            except GoldenError:
                # Something cannot be written: of which case it is, each says alone.
                for of_case in some:
                    try:
                        all_of_it += _accept(waiting, [of_case], reason)
                    except GoldenError as error:
                        all_of_it.failed += [
                            replace(entry, refused=f"{entry.case.nodeid}: {error}")
                            for entry in of_case
                        ]
    finally:
        # However this ends, what was accepted is no longer pending.
        waiting.drop(all_of_it.done)
    return all_of_it.written, all_of_it.failed


@dataclass
class _Accepted:
    """What became of entries."""

    written: list[WrittenGolden] = field(default_factory=list)
    done: list[PendingEntry] = field(default_factory=list)
    failed: list[PendingEntry] = field(default_factory=list)
    """Those that were refused, each with the reason."""

    def __iadd__(self, other: _Accepted) -> _Accepted:
        self.written += other.written
        self.done += other.done
        self.failed += other.failed
        return self


def _accept(
    waiting: Pending, cases: Sequence[Sequence[PendingEntry]], reason: str | None
) -> _Accepted:
    """Accept entries by case. Raises GoldenError if something cannot be written, which leaves all as it was."""
    found = _Accepted()
    with waiting.store.together(entries[0].case.folder for entries in cases) as store:
        for entries in cases:
            try:
                case = waiting.whole(entries[0].case.folder)
            except GoldenError as error:
                found.failed += [replace(each, refused=str(error)) for each in entries]
                continue
            artifacts = {artifact.stem: artifact for artifact in case.artifacts}
            for entry in entries:
                artifact = artifacts[entry.artifact.stem]
                try:
                    found.written += pending_store.accept(case, artifact, store, reason)
                    found.done.append(entry)
                except pending_store.OutdatedArtifact as error:
                    found.failed.append(replace(entry, refused=str(error)))
                except GoldenError as error:
                    refused = f"{entry.case.nodeid}: {error}"
                    found.failed.append(replace(entry, refused=refused))
    return found


def listed(store: Store) -> list[Line]:
    """Every file of the goldens that was written or removed."""
    return [
        ("dim", f"{action:<7}  {_from_here(store.root / path)}")
        for path, action in store.changed_files.items()
    ]


def _from_here(path: Path) -> str:
    """A path as it can be typed in the current folder."""
    return printable(os.path.relpath(path))


def result_line(accepted: int, written: Sequence[WrittenGolden]) -> str:
    """The result in one line."""
    if not accepted:
        return "nothing to accept."
    actions = Counter(golden.action for golden in written)
    files = ", ".join(
        f"{actions[action]} {action}"
        for action in ("new", "updated", "removed")
        if actions[action]
    )
    return (
        f"accepted {quantity(accepted, 'artifact')} (goldens: {files or 'unchanged'})."
    )
