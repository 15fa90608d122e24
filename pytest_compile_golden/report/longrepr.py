"""Our text in place of the traceback that pytest prints for a failing test."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from _pytest._code.code import TerminalRepr

from pytest_compile_golden.report.lines import write


class CaseRepr(TerminalRepr):
    """A report as pytest's `longrepr`: coloured on a terminal, plain as a string."""

    def __init__(self, lines: Sequence[Sequence[str]], headline: str) -> None:
        self.lines = lines
        # Read by pytest's short summary and junitxml.
        self.reprcrash = SimpleNamespace(message=headline)

    def toterminal(self, tw: Any) -> None:
        write(tw, self.lines)
