"""The run as the process that reports sees it: progress on the terminal while it runs, and a summary at the end."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import IO, Any

import pytest

from pytest_compile_golden.common.name_matching import without_path
from pytest_compile_golden.plugin.run_compat_check import CompatCheck
from pytest_compile_golden.report.model import CaseReport
from pytest_compile_golden.report.run_summary import Summary
from pytest_compile_golden.report.styled_lines import Line, printable, write

LINE_EVERY_S = 15.0
LIVE_EVERY_S = 1.0
# pytest's own progress output owns the cursor position: save it, write after it, and restore it.
_SAVE, _RESTORE, _CLEAR = "\x1b7", "\x1b8", "\x1b[K"


class RunReport:
    """Hooks for a run with the plugin enabled; registered in the controller, never in xdist workers."""

    def __init__(
        self,
        cases: Mapping[str, str],
        lines: Sequence[Line],
        compat: CompatCheck,
        recorded: bool,
        verbose: bool,
    ) -> None:
        """`cases` are all that there are, by node ID with their folders, and `lines` what the run says besides, both as
        they are when it ends."""
        self._cases = cases
        self._lines = lines
        self._compat = compat
        self._summary = Summary(recorded, verbose)
        self._crashes: dict[str, str] = {}
        self._progress: Progress | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            self._progress = Progress(reporter, lambda: session.testscollected)
            self._progress.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self._progress is not None:
            self._progress.started(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        if self._progress is not None:
            self._progress.finished(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        case = getattr(report, "compile_golden", None)
        if case is not None:
            self._summary.add(report.nodeid, case)
        elif str(report.when) == "???":
            # xdist's own report for a test that crashed its worker.
            self._crashes[report.nodeid] = str(report.longrepr)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._summary.uncollected += report.failed

    # Last, so that the verdict is at the end, where people look.
    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        self._close()
        for case in self.crashed():
            self._summary.crashed(case)
        lines = [*self._summary.lines(), *self._compat.lines(), *self._lines]
        if lines:
            terminalreporter.write_sep("-", "compile-golden")
            write(terminalreporter._tw, lines)

    def pytest_sessionfinish(self) -> None:
        self._close()

    def crashed(self) -> Iterator[CaseReport]:
        """The cases that crashed their worker."""
        for nodeid, error in self._crashes.items():
            folder = self._cases.get(nodeid)
            if folder is not None:
                yield CaseReport(
                    nodeid, PurePosixPath(folder).name, "error", error=error
                )

    def _close(self) -> None:
        if self._progress is not None:
            self._progress.close()
            self._progress = None


class Progress:
    """Watches the running tests of all workers and periodically reports which one is running."""

    def __init__(self, reporter: Any, total: Callable[[], int]) -> None:
        """`total` returns the number of tests, which is known only after collection."""
        self._reporter = reporter
        self._total = total
        self._done = 0
        self._running: dict[str, float] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._out = _real_stream(reporter)
        self._live = bool(
            self._out and reporter.isatty and os.environ.get("TERM") != "dumb"
        )
        self._shown = False
        self._thread = threading.Thread(
            target=self._run, name="compile-golden-progress", daemon=True
        )

    def start(self) -> None:
        """Begin to say, from time to time, which case is running."""
        if self._out is not None:
            self._thread.start()

    def close(self) -> None:
        """Stop for good and release the terminal."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)
        with self._lock:
            self._wipe()
            if self._out is not None:
                self._out.close()
                self._out = None

    def started(self, nodeid: str) -> None:
        """A case has begun."""
        with self._lock:
            self._running[nodeid] = time.monotonic()

    def finished(self, nodeid: str) -> None:
        """A case has ended."""
        with self._lock:
            if self._running.pop(nodeid, None) is not None:
                self._done += 1
            self._wipe()

    def text(self) -> str | None:
        """The progress message; None if nothing is running."""
        if not self._running:
            return None
        # The test that has been running longest is the one people wonder about.
        nodeid, since = next(iter(self._running.items()))
        count = f"{self._done}/{self._total() or '?'}"
        others = f" and {len(self._running) - 1} more" if len(self._running) > 1 else ""
        name = printable(without_path(nodeid))
        return f"compile-golden: {count}, running {name}{others}, {time.monotonic() - since:.0f} s"

    def _run(self) -> None:
        while not self._stop.wait(LIVE_EVERY_S if self._live else LINE_EVERY_S):
            with self._lock:
                text = self.text()
                if text is not None and self._out is not None:
                    self._say(text)

    def _say(self, text: str) -> None:
        assert self._out is not None
        if not self._live:
            self._put(f"\n{text}\n")
            return
        room = (
            self._reporter._tw.fullwidth - self._reporter._tw.width_of_current_line - 2
        )
        if room >= 20:
            self._put(f"{_SAVE} {text[:room]}{_CLEAR}{_RESTORE}")
            self._shown = True

    def _wipe(self) -> None:
        if self._shown:
            self._put(f"{_SAVE}{_CLEAR}{_RESTORE}")
            self._shown = False

    def _put(self, text: str) -> None:
        if self._out is None:
            return
        try:
            self._out.write(text)
            self._out.flush()
        except (OSError, ValueError):
            self._stop.set()  # the terminal went away


def _real_stream(reporter: Any) -> IO[str] | None:
    """Our own stream to pytest's output: while a test runs, pytest captures the process's stdout."""
    try:
        return os.fdopen(
            os.dup(reporter._tw._file.fileno()), "w", encoding="utf-8", errors="replace"
        )
    except (AttributeError, OSError, ValueError):
        return None
