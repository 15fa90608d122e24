"""How many cases had which outcome, a run in a few lines, and what every format says of a report in the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_compile_golden.changes.change import MINOR
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.formats.metrics.metric_table import GUARDED
from pytest_compile_golden.goldens.ranking import (
    COUNTED_OTHERWISE,
    CaseVerdict,
    costs,
    metric_name,
    whole,
)
from pytest_compile_golden.report import json_report
from pytest_compile_golden.report.case_groups import common_failures, grouped
from pytest_compile_golden.report.metric_columns import difference
from pytest_compile_golden.report.model import (
    CaseGroup,
    CaseReport,
    MetricReport,
    Outcome,
    Report,
    Side,
)
from pytest_compile_golden.report.styled_lines import Line, printable

_WORDS: dict[Outcome, str] = {
    "changed": "changed",
    "noted": "noted",
    "error": "failed",
    "failing": "failed before too",
    "fixed": "fixed",
    "new": "new",
    "missing": "gone",
}
_ALIKE: dict[Outcome, str] = {
    "changed": "distinct change",
    "noted": "distinct change",
    "error": "distinct error",
}
_VERDICTS: dict[CaseVerdict, tuple[str, str]] = {
    "REGRESSION": ("regression", "regressions"),
    "WIN": ("win", "wins"),
    "mixed": ("mixed", "mixed"),
    "small": ("small", "small"),
}
"""What cases are counted by besides their outcome, in words for one and for several."""
_LONGEST = 24
_WEIGHTS = {
    "note": "noted (does not fail; the next --snapshot-update records it)",
    "off": "ignored",
}


@dataclass
class Counts:
    """Outcome counts, filled case by case."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    groups: Sequence[CaseGroup] = ()
    """The distinct changes and errors of these cases, as reports list them."""
    verdicts: Counter[CaseVerdict] = field(default_factory=Counter)
    metrics: dict[CaseVerdict, list[MetricReport]] = field(default_factory=dict)
    """The metrics of all cases with this verdict."""
    nodeids: set[str] = field(default_factory=set)
    skipped: int = 0
    uncollected: int = 0
    """Test files that could not be collected."""

    @classmethod
    def of(cls, report: Report) -> Counts:
        """Those of a whole report."""
        counts = cls(groups=report.groups or grouped(report.cases))
        for case in report.cases:
            if case.target:
                counts.add_case(case)
            else:
                counts.uncollected += 1
        counts.skipped = len(report.skipped)
        return counts

    @property
    def cases(self) -> int:
        """The number of cases that ran."""
        return sum(self.outcomes.values())

    @property
    def good(self) -> bool:
        """Whether nothing changed or failed."""
        return not (
            self.outcomes["changed"] or self.outcomes["error"] or self.uncollected
        )

    def add_case(self, case: CaseReport) -> None:
        """Count one case more."""
        self.outcomes[case.outcome] += 1
        self.nodeids.add(case.nodeid)
        if case.outcome in ("changed", "noted"):
            self.verdicts[case.verdict] += 1
            self.metrics.setdefault(case.verdict, []).extend(
                map(_counted_as_before, case.metrics)
            )

    def headline(
        self,
        before: str = "unchanged",
        cosmetic: bool = False,
        width: int | None = None,
    ) -> str:
        """`78 cases: 74 unchanged, 4 changed (1 distinct change), 1 win (kernels -1)`.

        before: the wording for cases with nothing to report. cosmetic: also say how many differ only cosmetically.
        width: the available columns; if there are too few, the sizes of regressions and wins are left out.
        """
        full = self._headline(before, cosmetic, True)
        return (
            full
            if width is None or len(full) < width
            else self._headline(before, cosmetic, False)
        )

    def _headline(self, before: str, cosmetic: bool, sizes: bool) -> str:
        text = f"{quantity(self.cases, 'case')}: {self.outcomes['same'] + self.outcomes['cosmetic']} {before}"
        if cosmetic and self.outcomes["cosmetic"]:
            text += f" ({self.outcomes['cosmetic']} with cosmetic differences only)"
        # If goldens were compared, "0 changed" is worth saying.
        shown = [
            outcome
            for outcome in _WORDS
            if self.outcomes[outcome] or (outcome == "changed" and before != "recorded")
        ]
        parts = [text, *map(self._text, shown), *self._costs(sizes)]
        unchecked = self.outcomes["unchecked"]
        parts += [f"{unchecked} with assertions only"] if unchecked else []
        parts += [f"{self.skipped} skipped"] if self.skipped else []
        parts += (
            [f"{quantity(self.uncollected, 'file')} not collected"]
            if self.uncollected
            else []
        )
        return ", ".join(parts)

    def _text(self, outcome: Outcome) -> str:
        named = [
            group
            for group in self.groups
            if group.outcome == outcome and outcome in _ALIKE
        ]
        named = [group for group in named if not group.is_of_no_change]
        # A test file that could not be collected is in a group of its own, and is no case.
        alike = [group for group in named if not self.nodeids.isdisjoint(group.members)]
        # A number may be the only sign of what does not leave what runs as it is.
        minor = sum(
            group.kind in MINOR and group.code != "metric-changed" for group in alike
        )
        distinct = quantity(len(alike), _ALIKE.get(outcome, "")) + (
            f", {minor} in bookkeeping or notation only" * (minor > 0)
        )
        return f"{self.outcomes[outcome]} {_WORDS[outcome]}{f' ({distinct})' if alike else ''}"

    def _costs(self, sizes: bool) -> list[str]:
        """What changed cases come to, with what got better and worse, unless it is little; then by how much guards
        changed, which counts as neither."""
        shown = []
        for verdict, nouns in _VERDICTS.items():
            # Where there is no room for sizes, there is none for what is small.
            number = self.verdicts[verdict] if sizes or verdict != "small" else 0
            if number:
                sums = costs(self.metrics[verdict]) if sizes else []
                differences = (
                    f"{cost.name} {difference(cost.name, cost.new - cost.old)}"
                    for cost in sums
                )
                how = f" ({', '.join(differences)})" if sums else ""
                shown.append(f"{number} {nouns[number > 1]}{how}")
        guards: Counter[str] = Counter()
        for metric in (
            metric for metrics in self.metrics.values() for metric in metrics
        ):
            if (
                metric_name(metric) in GUARDED
                and isinstance(metric.old, int)
                and isinstance(metric.new, int)
            ):
                guards[metric_name(metric)] += metric.new - metric.old
        return shown + [
            f"{name} {difference(name, change)}"
            for name, change in guards.items()
            if change
        ]


def _counted_as_before(metric: MetricReport) -> MetricReport:
    """The number as its verdict takes it: without what torch only counts differently."""
    counted = sum(
        part.amount for part in metric.parts if part.change == COUNTED_OTHERWISE
    )
    if not counted or not isinstance(metric.new, (int, float)):
        return metric
    return replace(metric, new=whole(metric.new - counted))


def headline(
    report: Report, *, cosmetic: bool = False, width: int | None = None
) -> str:
    """`78 cases: 74 unchanged, 4 changed (1 distinct change)`, fitted to `width` columns as far as possible."""
    return Counts.of(report).headline(cosmetic=cosmetic, width=width)


def sides(report: Report) -> list[str]:
    """A line for each side that has something to report, and one for missing shards."""
    lines = [line for side in (report.old, report.new) if (line := _side(side))]
    if report.missing_shards:
        lines.append(f"missing shards: {', '.join(report.missing_shards)}")
    return lines


def unavailable(report: Report) -> list[str]:
    """What torch does not let us read: what the compatibility check found, and each stage that it cannot
    show, with the name it lacks."""
    counts = Counter(
        (stage.stage, stage.since or str(report.new.torch), stage.reason or "unknown")
        for case in report.cases
        for stage in case.stages
        if stage.kind == "unavailable"
    )
    found = (
        []
        if report.reading is None
        else [report.reading.title, *report.reading.reasons]
    )
    return [line for line in found if line] + [
        f"{stage} is unavailable on torch {torch}: {reason} ({quantity(number, 'case')})"
        for (stage, torch, reason), number in sorted(counts.items())
    ]


def issue_title(report: Report) -> str:
    """The title of the issue that a nightly job opens for the report, if it has to."""
    torch = f"torch {report.new.torch}"
    if report.reading is not None and report.reading.unread:
        return f"{torch}: {report.reading.title}"
    return f"torch.compile behaves differently on {torch}"


def names(report: Report) -> tuple[str, str]:
    """Short names for the two sides: their torch versions, or whatever else distinguishes them."""
    old, new = report.old, report.new
    if old.torch is None:
        return "golden", "this run"
    if old.torch != new.torch and new.torch is not None:
        public = old.torch.partition("+")[0], new.torch.partition("+")[0]
        return public if public[0] != public[1] else (old.torch, new.torch)
    return (
        (_last(old.label), _last(new.label))
        if old.label != new.label
        else ("before", "after")
    )


def _last(label: str) -> str:
    """The end of a label, which may be a path."""
    return label if len(label) <= _LONGEST else f"…{label[1 - _LONGEST :]}"


def _side(side: Side) -> str:
    facts = [
        f"{name} {value}"
        for name, value in (
            ("torch", side.torch),
            ("triton", side.triton),
            ("Python", side.python),
        )
        if value is not None
    ]
    if side.platform is not None:
        facts.append(side.platform)
    if side.error is not None:
        # One line: what it said in full stood there when it ended.
        facts.append(f"incomplete: {' '.join(side.error.split())}")
    # A label such as `goldens@2.13.0` already says it.
    known = facts == [f"torch {side.torch}"] and str(side.torch) in side.label
    return f"{side.label}: {', '.join(facts)}" if facts and not known else ""


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
        """Add one case's data (see `plugin.case_outcome`). If a case ran again, its last run counts."""
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
        torch, pending = None, ""
        left_out: set[str] = set()
        remarks: dict[str, list[str]] = {}
        passes: dict[str, set[str]] = {"more": set(), "fewer": set()}
        for nodeid, case in self._cases.items():
            if nodeid in self._crashed:
                continue
            torch = case["torch"] or torch
            pending = case["pending"] or pending
            if case["outcome"] is None:
                counts.skipped += 1
            else:
                of_changes = case["changes"]
                plain = CaseReport(nodeid, case["target"], case["outcome"])
                reports.append(
                    plain if of_changes is None else json_report.case(of_changes)
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
        counts.groups = grouped(reports)
        for report in reports:
            counts.add_case(report)
        unchecked = [
            report.nodeid for report in reports if report.outcome == "unchecked"
        ]
        if not counts.cases and not counts.skipped:
            return []
        before = (
            "recorded"
            if self.recorded
            else "passed or accepted"
            if written
            else "unchanged"
        )
        headline = counts.headline(before, cosmetic=self.verbose)
        lines: list[Line] = [
            ("good" if counts.good else "bad", f"{headline}. {pending}".rstrip())
        ]
        if unchecked and self.verbose:
            lines.append(
                (
                    "",
                    f"no golden comparison in: {', '.join(map(printable, unchecked))}.",
                )
            )
        if written:
            done = [
                f"{written[action]} {action}"
                for action in ("new", "updated", "removed")
                if written[action]
            ]
            lines.append(("", f"golden files: {', '.join(done)}."))
        for severity, words in _WEIGHTS.items():
            if weights[severity]:
                each = (
                    f"{code} in {quantity(cases, 'case')}"
                    for code, cases in sorted(weights[severity].items())
                )
                lines.append(("", f"{words}: {', '.join(each)}."))
        lines += [
            ("bad", f"{printable(common.text)}.") for common in common_failures(reports)
        ]
        for (stage, reason), number in sorted(unavailable.items()):
            lines.append(
                (
                    "",
                    f"{stage} is unavailable on torch {torch}: {reason} ({quantity(number, 'case')}).",
                )
            )
        lines += [("", f"goldens leave out {name}.") for name in sorted(left_out)]
        for remark, nodeids in sorted(remarks.items()):
            cases = (
                ", ".join(nodeids) if self.verbose else quantity(len(nodeids), "case")
            )
            lines.append(("", f"{remark}: {cases}."))
        for which, names in passes.items():
            if names:
                lines.append(
                    (
                        "",
                        f"passes: torch {torch} runs {len(names)} {which}: {', '.join(sorted(names))}.",
                    )
                )
        return lines
