"""Whether the installed torch can be read, found out beside the cases of a run that is the first with it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_compile_golden.api.compat_check import kept_readings
from pytest_compile_golden.api.compat_check.kept_readings import Asked
from pytest_compile_golden.api.compat_check.reading import Reading, merged
from pytest_compile_golden.report.styled_lines import Line, printable


class CompatCheck:
    """Registered in the controller, never in xdist workers."""

    def __init__(self, targets: Sequence[str]) -> None:
        self._targets = kept_readings.can_try(targets)
        self._asked: list[Asked] = []
        self._started = False
        self.reading: Reading | None = None
        """What is known when the run has ended; None if nothing could be tried."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not self._started and hasattr(report, "compile_golden"):
            self._started = True
            unknown = (
                []
                if kept_readings.tried_already()
                else [
                    each for each in self._targets if kept_readings.known(each) is None
                ]
            )
            self._asked = kept_readings.ask(unknown)

    # First: the report that is written then says it.
    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.INTERRUPTED:
            for asked in self._asked:
                asked.process.kill()
        new = {
            reading.targets[0]: reading
            for asked in self._asked
            for reading in asked.wait()
        }
        known = [
            new.get(target) or kept_readings.known(target)
            for target in self._targets
            if self._started
        ]
        self.reading = merged(reading for reading in known if reading is not None)

    def lines(self) -> list[Line]:
        """What to say about it; nothing if all of this torch can be read."""
        if self.reading is None or not self.reading.unread:
            return []
        return [
            ("bad", self.reading.title),
            *(("", printable(f"  {reason}")) for reason in self.reading.reasons),
        ]
