"""The run in a few lines: how many cases, what changed, what was written, what this torch cannot show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_compile_golden.report.lines import Line
from pytest_compile_golden.report.words import count


@dataclass
class Summary:
    """Adds up what each case's report carries; works the same in one process and behind xdist."""

    cases: int = 0
    compared: int = 0
    failed: int = 0
    """Cases that failed for another reason than a changed golden."""
    crashed: int = 0
    """Cases that took their process down, and have no report of their own."""
    changed: int = 0
    ways: set[str] = field(default_factory=set)
    """What the changed cases' artifacts differ in; as many groups as a review has."""
    cosmetic_only: int = 0
    written: Counter[str] = field(default_factory=Counter)
    unavailable: dict[tuple[str, str], int] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    """What artifacts leave out, in words."""
    torch: str | None = None
    recorded: bool = False
    """Whether the run recorded, and compared nothing."""

    def add(self, case: Mapping[str, Any], outcome: str) -> None:
        """Count one case from its report's data (see `plugin.case_data`)."""
        self.cases += 1
        self.torch = case["torch"] or self.torch
        if case["changed"]:
            self.changed += 1
            self.ways.update(case["ways"])
        elif outcome == "failed":
            self.failed += 1
        elif case["compared"]:
            self.compared += 1
            self.cosmetic_only += bool(case["cosmetic"]) and not case["accepted"]
        self.written.update(case["written"])
        self.left_out.update(case["left_out"])
        for stage, reason in case["unavailable"].items():
            self.unavailable[stage, reason] = self.unavailable.get((stage, reason), 0) + 1

    def lines(self) -> list[Line]:
        """The summary; empty where no case ran."""
        cases, failed = self.cases + self.crashed, self.failed + self.crashed
        if not cases:
            return []
        before = f"{self.compared} as before"
        if self.written["new"] or self.written["updated"] or self.written["removed"]:
            before = f"{self.compared} accepted or as before"
        if self.recorded:
            before = f"{self.compared} recorded"
        if self.cosmetic_only:
            before += f" ({self.cosmetic_only} with cosmetic differences only)"
        in_ways = f" in {count(len(self.ways), 'way')}" if self.ways else ""
        parts = [before] if self.recorded else [before, f"{self.changed} changed{in_ways}"]
        if failed:
            parts.append(f"{failed} failed")
        rest = cases - self.compared - self.changed - failed
        if rest:
            parts.append(f"{rest} {'skipped' if self.recorded else 'without a golden'}")
        style = "bad" if self.changed or failed else "good"
        lines: list[Line] = [
            (style, f"{count(cases, 'case')}: {', '.join(parts)}.{' compile-golden review' if self.ways else ''}")
        ]
        if self.written:
            done = [
                f"{self.written[action]} {action}" for action in ("new", "updated", "removed") if self.written[action]
            ]
            lines.append(("", f"golden files: {', '.join(done)}."))
        for (stage, reason), cases in sorted(self.unavailable.items()):
            lines.append(("", f"{stage} is unavailable on torch {self.torch}: {reason} ({count(cases, 'case')})."))
        lines += [("", f"goldens leave out {each}.") for each in sorted(self.left_out)]
        return lines
