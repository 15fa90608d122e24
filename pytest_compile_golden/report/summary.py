"""A run in a few lines: how many cases, what changed, what was written, what this torch cannot show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_compile_golden.report import document
from pytest_compile_golden.report.case_groups import common_failures
from pytest_compile_golden.report.counts import Counts, count
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.report.model import CaseReport

_WEIGHTS = {"note": "noted, and written by the next --snapshot-update", "off": "ignored"}
_NAMED = 5


@dataclass
class Summary:
    """Adds up the data in each case's report; works the same in one process and with xdist."""

    recorded: bool = False
    """Whether the run only recorded, without comparing anything."""
    verbose: bool = False
    uncollected: int = 0
    """Test files that could not be collected."""
    _cases: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _crashed: dict[str, CaseReport] = field(default_factory=dict)

    def add(self, nodeid: str, case: Mapping[str, Any]) -> None:
        """Add one case's data (see `plugin.outcome`). If a case ran again, its last run counts."""
        self._cases[nodeid] = case

    def crashed(self, case: CaseReport) -> None:
        """Add a case that crashed its process, and so has no data of its own."""
        self._crashed[case.nodeid] = case

    def lines(self) -> list[Line]:
        """The summary; empty if no case ran."""
        reports = list(self._crashed.values())
        counts, written = Counts(uncollected=self.uncollected), Counter[str]()
        unavailable: Counter[tuple[str, str]] = Counter()
        weights = {severity: Counter[str]() for severity in _WEIGHTS}
        torch, pending = None, False
        left_out: set[str] = set()
        unchecked: list[str] = []
        remarks: dict[str, list[str]] = {}
        passes: dict[str, set[str]] = {"more": set(), "fewer": set()}
        for nodeid, case in self._cases.items():
            if nodeid in self._crashed:
                continue
            torch = case["torch"] or torch
            pending = pending or case["pending"]
            if case["outcome"] is None:
                counts.skipped += 1
            elif case["outcome"] == "same" and not case["compared"] and not self.recorded:
                unchecked.append(nodeid)
            else:
                case_report = None if case["changes"] is None else document.case(case["changes"])
                reports.append(case_report or CaseReport(nodeid, case["target"], case["outcome"]))
                counts.add(
                    case["outcome"],
                    *((case_report.changes, case_report.secondary, case_report.metrics) if case_report else ()),
                )
            written.update(case["written"])
            unavailable.update(case["unavailable"].items())
            for severity, codes in case["weights"].items():
                weights[severity].update(codes)
            left_out.update(case["left_out"])
            for remark in case["remarks"]:
                remarks.setdefault(remark, []).append(nodeid)
            for which, names in passes.items():
                names.update(case["passes"][which])
        for crash in self._crashed.values():
            counts.add_case(crash)
        counts.unchecked = len(unchecked)
        if not counts.cases and not counts.skipped:
            return []
        before = "recorded" if self.recorded else "accepted or as before" if written else "as before"
        review = " compile-golden review" if pending else ""
        headline = counts.headline(before, cosmetic=self.verbose)
        lines: list[Line] = [("good" if counts.good else "bad", f"{headline}.{review}")]
        # A project may do without goldens; where some cases have them, one without may be an oversight.
        if unchecked and {*counts.outcomes} - {"error"}:
            named = unchecked if self.verbose else unchecked[:_NAMED]
            more = f" and {len(unchecked) - len(named)} more" if len(unchecked) > len(named) else ""
            lines.append(("", f"compared nothing with a golden: {', '.join(map(printable, named))}{more}."))
        if written:
            done = [f"{written[action]} {action}" for action in ("new", "updated", "removed") if written[action]]
            lines.append(("", f"golden files: {', '.join(done)}."))
        for severity, words in _WEIGHTS.items():
            if weights[severity]:
                each = (f"{code} in {count(cases, 'case')}" for code, cases in sorted(weights[severity].items()))
                lines.append(("", f"{words}: {', '.join(each)}."))
        lines += [("bad", f"{printable(common.text)}.") for common in common_failures(reports)]
        for (stage, reason), number in sorted(unavailable.items()):
            lines.append(("", f"{stage} is unavailable on torch {torch}: {reason} ({count(number, 'case')})."))
        lines += [("", f"goldens leave out {name}.") for name in sorted(left_out)]
        for remark, nodeids in sorted(remarks.items()):
            cases = ", ".join(nodeids) if self.verbose else count(len(nodeids), "case")
            lines.append(("", f"{remark}: {cases}."))
        for which, names in passes.items():
            if names:
                lines.append(("", f"passes: torch {torch} runs {len(names)} {which}: {', '.join(sorted(names))}."))
        return lines
