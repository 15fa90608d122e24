"""What each side of a comparison is doing, on stderr while it runs."""

from __future__ import annotations

import threading

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.environments import sides
from pytest_compile_golden.environments.sides import Side
from pytest_compile_golden.errors import CompileGoldenError, UnknownName
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report.styled_lines import printable, printable_lines


class SideProgress:
    """Progress on stderr: a bar per side on a terminal, else a line whenever something changes."""

    def __init__(self) -> None:
        self._to = Console(stderr=True, soft_wrap=True, highlight=False)
        self._bars: Progress | None = None
        self._tasks: dict[Side, TaskID] = {}
        self._shown: dict[Side, str] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> SideProgress:
        if self._to.is_terminal:
            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[count]}"),
            )
            self._bars = Progress(
                *columns, TimeElapsedColumn(), console=self._to, transient=True
            )
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    def say(self, side: Side, text: str) -> None:
        """Show what a side is doing: beside its bar, or in a line unless its last line says the same."""
        with self._lock:
            if self._bars is not None:
                self._bars.update(
                    self._task(side),
                    description=escape(printable(f"{side.label}: {text}")),
                )
            elif self._shown.get(side) != text:
                self._shown[side] = text
                self._to.print(escape(printable_lines(f"{side.label}: {text}")))

    def count(self, side: Side, done: int, total: int | None) -> None:
        """Show how many cases are done, if there are bars: a line for each case would hide all others.

        total: None if it is not known.
        """
        with self._lock:
            if self._bars is not None:
                count = f"{done}/{total}" if total else f"{done} cases"
                self._bars.update(
                    self._task(side), completed=done, total=total, count=count
                )

    def ended(self, side: Side, result: Recording | CompileGoldenError) -> None:
        """Remove a side's bar and print what became of it, unless the command says that once for all sides."""
        if isinstance(result, UnknownName) or (
            not sides.runs(side) and isinstance(result, Recording)
        ):
            return  # the command says it once, whatever the number of sides
        if isinstance(result, CompileGoldenError):
            text = f"failed: {result}"
        else:
            seconds = result.run.seconds
            text = f"{quantity(len(result.cases), 'case')} on torch {result.run.torch}"
            text += "" if seconds is None else f" in {seconds:.0f} s"
            text += f"; {result.partial}" if result.partial else ""
        with self._lock:
            if self._bars is not None:
                self._bars.remove_task(self._task(side))
                del self._tasks[side]
            self._to.print(escape(printable_lines(f"{side.label}: {text}")))

    def _task(self, side: Side) -> TaskID:
        assert self._bars is not None
        if side not in self._tasks:
            self._tasks[side] = self._bars.add_task(
                escape(side.label), total=None, count=""
            )
        return self._tasks[side]
