"""`compile-golden review`: go through the pending changes, one keystroke per distinct change."""

from __future__ import annotations

import functools
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

import click
from rich.console import Console

from pytest_compile_golden.cli.accept import accept_all, listed, result_line
from pytest_compile_golden.cli.choose_pending import (
    Filters,
    Pending,
    PendingEntry,
    pending_option,
)
from pytest_compile_golden.cli.console import (
    console,
    group_lines,
    show,
    show_group,
    show_refused,
)
from pytest_compile_golden.cli.pending_options import selecting
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.goldens.change_groups import ChangeGroup
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.golden_store import WrittenGolden
from pytest_compile_golden.report.failure_text import change_to_show
from pytest_compile_golden.report.styled_lines import Line, printable

DIFF_TOOL = "COMPILE_GOLDEN_DIFF"
_KEYS = "a accept   r reject   s skip   d full diff   n diff of the next case   u undo   ? help   q quit"
_HELP = (
    (
        "a",
        "accept this change: its goldens are written, once all changes of a case are accepted",
    ),
    ("A", "accept this change and all that are left"),
    ("r", "reject it: the goldens stay, and its cases are no longer pending"),
    ("s", "skip it: it stays pending"),
    (
        "d",
        "show the full diff of the case that is shown: with $COMPILE_GOLDEN_DIFF, else here or in $PAGER",
    ),
    ("n", "show the next case that has this change"),
    ("u", "undo the last of these decisions, and ask about its change again"),
    ("q", "quit; what was decided stays so"),
)


def _in_a_terminal(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which says that it needs a terminal before it reads the pending store, if it is to ask."""

    @functools.wraps(command)
    def asking(message: bool, pending: Path | None, **values: Any) -> None:
        if not (message or sys.stdin.isatty()):
            shows, accepts = (
                f"compile-golden {verb}{pending_option(pending)}"
                for verb in ("show", "accept")
            )
            raise click.ClickException(
                f"review needs a terminal; in scripts, use `{shows}` and `{accepts} --group N`."
            )
        command(message=message, pending=pending, **values)

    return asking


@click.command(short_help="Accept or reject pending changes one by one.")
@_in_a_terminal
@selecting
@click.option(
    "--reason",
    metavar="TEXT",
    help="Why; recorded next to each metric that is accepted.",
)
@click.option(
    "--message",
    is_flag=True,
    help="Print a commit message for accepting what is pending, without asking.",
)
def review(
    waiting: Pending, filters: Filters, reason: str | None, message: bool
) -> None:
    """Show each distinct change that fails a case once, with its cases, and ask whether to accept it.

    The case that changed least comes first. What is only noted is accepted along with it, and never asked about.

    A case is accepted once all of its changes are, along with what follows from them: its trail, ledger and metrics.
    Cosmetic differences need no decision and are only shown with --kind cosmetic.
    """
    if message:
        click.echo(commit_message(waiting.choose(filters).groups))
        return
    chosen = waiting.choose(filters)
    cosmetic = filters.kind == "cosmetic"
    groups = [
        group
        for group in chosen.groups
        if cosmetic or not (group.kind == "cosmetic" or group.noted)
    ]
    walk = Walk(waiting, groups, chosen.total - chosen.noted, reason)
    walk.run()
    show_refused(walk.to, chosen.refused + walk.failed, waiting.errors)
    show(walk.to, [*listed(waiting.store), ("", walk.summary())])
    if any(entry.artifact.noted for entry in waiting.entries):
        show(
            walk.to,
            [
                (
                    "",
                    f"`compile-golden accept --notes{waiting.option}` accepts what is only noted.",
                )
            ],
        )


def commit_message(groups: Sequence[ChangeGroup[PendingEntry]]) -> str:
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
        f"{'noted: ' if noted else ''}{code}: {quantity(changes[noted, code], 'change')}"
        f" in {quantity(len(found), 'case')}"
        for (noted, code), found in sorted(
            cases.items(), key=lambda item: (item[0][0], -len(item[1]))
        )
    ]
    return (
        "\n".join([f"Accept what torch {', '.join(versions)} changes", "", *lines])
        if lines
        else "nothing is pending."
    )


@dataclass
class Walk:
    """One pass over the groups; each decision takes effect immediately, so quitting or a crash loses none."""

    _waiting: Pending
    _groups: list[ChangeGroup[PendingEntry]]
    _total: int
    _reason: str | None
    to: Console = field(default_factory=console)
    failed: list[PendingEntry] = field(default_factory=list)
    written: list[WrittenGolden] = field(default_factory=list)
    _accepted: int = 0
    _rejected: int = 0

    def run(self) -> None:
        """Ask about each change until all are decided or the user quits, and do at once what is answered."""
        queue = list(self._groups)
        undos: list[Callable[[], list[ChangeGroup[PendingEntry]]]] = []
        while queue:
            group, *later = queue
            key = self._ask(group, bool(undos))
            if key == "q":
                return
            if key == "u":
                queue = undos.pop()()
                continue
            undos.append(self._undoing(queue, queue if key == "A" else [group]))
            queue = later
            if key == "r":
                self._waiting.drop(group.members)
                self._rejected += len(group.members)
                # These artifacts are decided, whatever else changed in them.
                gone = set(group.members)
                left = [
                    replace(
                        each, members=tuple(m for m in each.members if m not in gone)
                    )
                    for each in later
                ]
                queue = [each for each in left if each.members]
            elif key == "a":
                self._accept([group])
            elif key == "A":
                self._accept([group, *later])
                show(
                    self.to,
                    [
                        ("good", "all that was left is accepted."),
                        ("dim", "u undo   q quit"),
                    ],
                )
                queue = undos.pop()() if _key() == "u" else []

    def _undoing(
        self,
        queue: list[ChangeGroup[PendingEntry]],
        decided: Sequence[ChangeGroup[PendingEntry]],
    ) -> Callable[[], list[ChangeGroup[PendingEntry]]]:
        """What undoes a decision that is about to be made, and returns what is then left to ask about."""
        undo = self._waiting.undoing(decided)
        written, failed, counts = (
            list(self.written),
            list(self.failed),
            (self._accepted, self._rejected),
        )

        def undone() -> list[ChangeGroup[PendingEntry]]:
            undo()
            self.written, self.failed = written, failed
            self._accepted, self._rejected = counts
            return queue

        return undone

    def summary(self) -> str:
        """What was accepted and rejected, and what is left, in a line."""
        parts = [result_line(self._accepted, self.written) if self._accepted else ""]
        parts.append(f"rejected {self._rejected}." if self._rejected else "")
        asked = {entry for group in self._groups for entry in group.members}
        left = len({entry for entry in self._waiting.entries if entry in asked})
        parts.append(f"{left} still pending." if left else "")
        return " ".join(part for part in parts if part) or "nothing to review."

    def _accept(self, groups: Sequence[ChangeGroup[PendingEntry]]) -> None:
        entries = self._waiting.decided(groups)
        written, failed = accept_all(self._waiting, entries, self._reason)
        self.written += written
        self.failed += failed
        self._accepted += len(entries) - len(failed)

    def _ask(self, group: ChangeGroup[PendingEntry], can_undo: bool) -> str:
        """The key of a decision on a group: `a`, `A`, `r`, `s`, `u` or `q`."""
        shown = 0
        self._show(group, shown)
        wrong = False
        while True:
            key = _key()
            if key in ("a", "A", "r", "s", "q") or (key == "u" and can_undo):
                return key
            if key == "d":
                self._show_whole(group, shown)
            elif key == "n":
                shown, wrong = shown + 1, False
                self._show(group, shown)
                continue
            elif key == "u":
                show(self.to, [("", "there is no decision to undo.")])
            elif key == "?":
                show(self.to, [("", f"  {name}  {what}") for name, what in _HELP])
            elif wrong:  # text may have been pasted: of many wrong keys, one is enough
                continue
            else:
                show(self.to, [("bad", f"there is no key {printable(key)!r}.")])
            wrong = key not in ("d", "u", "?")
            show(self.to, [("dim", _KEYS)])

    def _show(self, group: ChangeGroup[PendingEntry], shown: int) -> None:
        show_group(self.to, group, self._total, shown=shown)
        show(self.to, _places(self._waiting, group, shown))
        show(self.to, [("dim", _KEYS)])

    def _show_whole(self, group: ChangeGroup[PendingEntry], shown: int) -> None:
        if tool := shlex.split(os.environ.get(DIFF_TOOL, "")):
            _, change = _shown(group, shown)
            failed = _show_with(tool, change)
            show(self.to, [("bad", printable(failed))] if failed else [])
            return
        lines = group_lines(group, self._total, full=True, shown=shown)
        if len(lines) < self.to.height:
            show(self.to, lines)
            return
        with self.to.capture() as captured:
            show(self.to, lines)
        click.echo_via_pager(captured.get())


def _show_with(tool: list[str], change: Compared) -> str:
    """Have a program show a golden and what is pending, as two files; returns why it could not, else an empty text."""
    name = PurePosixPath(change.path).name
    with tempfile.TemporaryDirectory(prefix="compile-golden-") as folder:
        files = []
        for side, text in (("golden", change.old), ("pending", change.new)):
            files.append(Path(folder, side, name))
            files[-1].parent.mkdir()
            files[-1].write_text(text, encoding="utf-8")
        try:
            # Programs that compare files exit with 1 if they differ.
            subprocess.run([*tool, *map(str, files)], check=False)
        except OSError as error:
            return f"{DIFF_TOOL} names a program that cannot be run: {error}. Without it, d shows the diff here."
    return ""


def _key() -> str:
    try:
        return click.getchar()
    except (KeyboardInterrupt, EOFError):
        return "q"


def _shown(group: ChangeGroup[PendingEntry], shown: int) -> tuple[str, Compared]:
    """The case whose diff is shown, by its test's id, with what changed in it."""
    members = [
        (entry.case.nodeid, entry.change)
        for entry in group.members
        if entry.change is not None
    ]
    return change_to_show(group, members, shown)


def _places(
    waiting: Pending, group: ChangeGroup[PendingEntry], shown: int
) -> list[Line]:
    """Where the test is whose diff is shown, and the first line of its golden that differs: `file:line`."""
    nodeid, change = _shown(group, shown)
    places = []
    file, _, test = nodeid.partition("::")
    path = waiting.root / file
    if path.is_file():
        name = test.partition("[")[0].rpartition("::")[2]
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        at = (
            number
            for number, line in enumerate(lines, 1)
            if re.match(rf"\s*(async )?def {re.escape(name)}\b", line)
        )
        places.append(f"{os.path.relpath(path)}:{next(at, 1)}")
    golden = waiting.store.root / change.path
    if golden.is_file():
        old, new = split_lines(change.old), split_lines(change.new)
        same = next(
            (
                at
                for at, pair in enumerate(zip(old, new, strict=False))
                if pair[0] != pair[1]
            ),
            len(old),
        )
        header = len(
            split_lines(golden.read_text(encoding="utf-8", errors="replace"))
        ) - len(old)
        places.append(f"{os.path.relpath(golden)}:{header + min(same + 1, len(old))}")
    return [("dim", f"  {printable(place)}") for place in places]
