"""`compile-golden review`: go through the pending changes, one keystroke per distinct change."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

import click
from rich.console import Console

from pytest_compile_golden.cli.accept import accept_all, listed, result_line
from pytest_compile_golden.cli.console import console, show, show_group, show_refused
from pytest_compile_golden.cli.pending import Entry, Filters, Pending, selecting
from pytest_compile_golden.goldens.change_groups import ChangeGroup
from pytest_compile_golden.goldens.store import Written
from pytest_compile_golden.report.counts import count

_KEYS = "a accept   r reject   s skip   d whole diff   n next case's diff   q quit"


@click.command(short_help="Accept or reject pending changes one by one.")
@selecting
@click.option("--reason", metavar="TEXT", help="Why; recorded next to each metric that is accepted.")
@click.option("--message", is_flag=True, help="Ask nothing; print a commit message for accepting what is pending.")
def review(waiting: Pending, filters: Filters, reason: str | None, message: bool) -> None:
    """Show each distinct change that fails a case once, with its cases, and ask whether to accept it.

    The case that changed least comes first. What is only noted is accepted along with it, and never asked about.

    A case is accepted once all of its changes are, along with what follows from them: its trail, ledger and metrics.
    Cosmetic differences need no decision and are only shown with --kind cosmetic.
    """
    if message:
        click.echo(commit_message(waiting.choose(filters).groups))
        return
    if not sys.stdin.isatty():
        raise click.ClickException(
            f"review needs a terminal. Use `compile-golden show{waiting.option}`, and accept or reject with --group."
        )
    chosen = waiting.choose(filters)
    cosmetic = filters.kind == "cosmetic"
    groups = [group for group in chosen.groups if cosmetic or not (group.kind == "cosmetic" or group.noted)]
    walk = Walk(waiting, groups, chosen.total - chosen.noted, reason)
    walk.run()
    show_refused(walk.to, chosen.refused + walk.failed, waiting.errors)
    show(walk.to, [*listed(waiting.store), ("", walk.summary())])
    if any(entry.artifact.noted for entry in waiting.entries):
        show(walk.to, [("", f"`compile-golden accept --notes{waiting.option}` accepts what is only noted.")])


def commit_message(groups: Sequence[ChangeGroup[Entry]]) -> str:
    """What torch changed, by code: what fails first, then what is noted, the most frequent first."""
    changes: Counter[tuple[bool, str]] = Counter()
    cases: dict[tuple[bool, str], set[PurePosixPath]] = {}
    for group in groups:
        for change in group.changes if group.kind != "cosmetic" else ():
            changes[group.noted, change.what.code] += 1
            cases.setdefault((group.noted, change.what.code), set()).update(
                entry.case.folder for entry in group.members
            )
    versions = sorted({entry.case.torch for group in groups for entry in group.members})
    lines = [
        f"{'noted: ' * noted}{code}: {count(changes[noted, code], 'change')} in {count(len(found), 'case')}"
        for (noted, code), found in sorted(cases.items(), key=lambda item: (item[0][0], -len(item[1])))
    ]
    return (
        "\n".join([f"Accept what torch {', '.join(versions)} changes", "", *lines]) if lines else "nothing is pending."
    )


@dataclass
class Walk:
    """One pass over the groups; each decision takes effect immediately, so quitting or a crash loses none."""

    _waiting: Pending
    _groups: list[ChangeGroup[Entry]]
    _total: int
    _reason: str | None
    to: Console = field(default_factory=console)
    failed: list[Entry] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    _accepted: int = 0
    _rejected: int = 0

    def run(self) -> None:
        queue = list(self._groups)
        while queue:
            group = queue.pop(0)
            key = self._ask(group)
            if key == "q":
                return
            if key == "r":
                self._waiting.drop(group.members)
                self._rejected += len(group.members)
                # These artifacts are decided, whatever else changed in them.
                gone = set(group.members)
                left = [replace(later, members=tuple(m for m in later.members if m not in gone)) for later in queue]
                queue = [later for later in left if later.members]
            elif key == "a":
                self._accept(group)

    def summary(self) -> str:
        parts = [result_line(self._accepted, self.written) if self._accepted else ""]
        parts.append(f"rejected {self._rejected}." if self._rejected else "")
        asked = {entry for group in self._groups for entry in group.members}
        left = len({entry for entry in self._waiting.entries if entry in asked})
        parts.append(f"{left} still pending." if left else "")
        return " ".join(part for part in parts if part) or "nothing to review."

    def _accept(self, group: ChangeGroup[Entry]) -> None:
        entries = self._waiting.settled([group])
        written, failed = accept_all(self._waiting, entries, self._reason)
        self.written += written
        self.failed += failed
        self._accepted += len(entries) - len(failed)

    def _ask(self, group: ChangeGroup[Entry]) -> str:
        shown, full = 0, False
        while True:
            show_group(self.to, group, self._total, full=full, shown=shown)
            show(self.to, [("dim", _KEYS)])
            key = ""
            # Any other key is ignored without printing the group again, as text may have been pasted.
            while key not in ("a", "r", "s", "d", "n", "q"):
                try:
                    key = click.getchar()
                except (KeyboardInterrupt, EOFError):
                    key = "q"
            if key == "d":
                full = True
            elif key == "n":
                shown += 1
            else:
                return key
