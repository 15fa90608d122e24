"""Our text in the place where pytest prints a failing test's traceback."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from _pytest._code.code import TerminalRepr

from pytest_compile_golden.report.lines import write


class CaseRepr(TerminalRepr):
    """A report as pytest's `longrepr`: printed with colour where there is a terminal, plain as a string."""

    def __init__(self, lines: Sequence[Sequence[str]], headline: str) -> None:
        self.lines = lines
        # What pytest's short summary and junitxml look for.
        self.reprcrash = SimpleNamespace(message=headline)

    def toterminal(self, tw: Any) -> None:
        write(tw, self.lines)
