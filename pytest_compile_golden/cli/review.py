"""`compile-golden review`: walk through what is pending, one keystroke for each distinct change."""

from __future__ import annotations

import sys

import click
from rich.console import Console

from pytest_compile_golden.cli.accept import accept_all, listed, result_line
from pytest_compile_golden.cli.console import console, show, show_group, show_refused
from pytest_compile_golden.cli.pending import Entry, Filters, Pending, options
from pytest_compile_golden.goldens.change_groups import ChangeGroup
from pytest_compile_golden.goldens.store import Written

_KEYS = "a accept   A accept all alike   r reject   s skip   d whole diff   n next case's diff   q quit"


@click.command()
@options
@click.option("--reason", metavar="TEXT", help="Why: kept beside each metric that is accepted.")
def review(waiting: Pending, filters: Filters, reason: str | None) -> None:
    """Ask for each group of identical changes, shown once with its cases, whether to accept it.

    "Accept all alike" also takes every later group in which nothing changed but what was accepted before. Cosmetic
    differences have nothing to decide and are asked for with --kind cosmetic only.
    """
    if not sys.stdin.isatty():
        raise click.ClickException("review asks at a terminal; here, use diff, and accept or reject with --group.")
    chosen = waiting.choose(filters)
    groups = [group for group in chosen.groups if filters.kind == "cosmetic" or group.distinct.kind != "cosmetic"]
    walk = Walk(waiting, groups, chosen.total, reason)
    walk.run()
    show_refused(walk.to, chosen.refused + walk.failed, waiting.errors)
    show(walk.to, [*listed(walk.written), ("", walk.summary())])


class Walk:
    """One pass over the groups; every verdict is carried out at once, so that quitting or a crash loses none."""

    def __init__(self, waiting: Pending, groups: list[ChangeGroup[Entry]], total: int, reason: str | None) -> None:
        self.to: Console = console()
        self.failed: list[Entry] = []
        self._waiting = waiting
        self._groups = groups
        self._total = total
        self._reason = reason
        self.written: list[Written] = []
        self._accepted = self._rejected = self._left = 0
        self._known: set[tuple[str, str, str]] = set()

    def run(self) -> None:
        rest = list(self._groups)
        while rest:
            group = rest.pop(0)
            key = self._ask(group)
            if key == "q":
                self._left += len(group.members) + sum(len(each.members) for each in rest)
                return
            if key == "r":
                self._waiting.drop(group.members)
                self._rejected += len(group.members)
            elif key == "s":
                self._left += len(group.members)
            else:
                self._accept(group)
                if key == "A":
                    alike = [each for each in rest if each.distinct.parts <= self._known]
                    for each in alike:
                        self._accept(each)
                    rest = [each for each in rest if each not in alike]

    def summary(self) -> str:
        parts = [result_line(self._accepted, self.written) if self._accepted else ""]
        parts.append(f"rejected {self._rejected}." if self._rejected else "")
        parts.append(f"{self._left} still pending." if self._left else "")
        return " ".join(part for part in parts if part) or "nothing to review."

    def _accept(self, group: ChangeGroup[Entry]) -> None:
        written, failed = accept_all(self._waiting, group.members, self._reason)
        self._known |= group.distinct.parts
        self.written += written
        self.failed += failed
        self._accepted += len(group.members) - len(failed)

    def _ask(self, group: ChangeGroup[Entry]) -> str:
        shown, full = 0, False
        while True:
            show_group(self.to, group, self._total, full=full, shown=shown)
            show(self.to, [("dim", _KEYS)])
            key = ""
            # Anything else is asked again without printing the group once more: pasted text decides nothing.
            while key not in ("a", "A", "r", "s", "d", "n", "q"):
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
