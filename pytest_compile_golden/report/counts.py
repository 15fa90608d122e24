"""How many cases had which outcome: counted here, and worded the same in every format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_compile_golden.changes.change import MINOR
from pytest_compile_golden.changes.numbers import MetricChanged
from pytest_compile_golden.goldens.change_groups import group
from pytest_compile_golden.goldens.ranking import Cost, costs
from pytest_compile_golden.report.case_groups import changes_of
from pytest_compile_golden.report.metrics import difference
from pytest_compile_golden.report.model import CaseReport, DistinctChange, MetricReport, Outcome, Report

_WORDS: dict[Outcome, str] = {
    "changed": "changed",
    "noted": "noted",
    "error": "failed",
    "failing": "failed before too",
    "fixed": "fixed",
    "new": "new",
    "missing": "gone",
}
_ALIKE: dict[Outcome, str] = {"changed": "distinct change", "noted": "distinct change", "error": "distinct error"}
_VERDICTS = (("REGRESSION", "regression"), ("WIN", "win"))


@dataclass
class Counts:
    """Outcome counts, filled case by case."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    changes: dict[Outcome, list[tuple[Sequence[DistinctChange], Sequence[DistinctChange]]]] = field(
        default_factory=dict
    )
    """For changed and failed cases: their own changes, and those that may follow from them."""
    metrics: list[MetricReport] = field(default_factory=list)
    """The metrics of all changed cases."""
    unchecked: int = 0
    """Cases that passed and compared nothing with a golden."""
    skipped: int = 0
    uncollected: int = 0
    """Test files that could not be collected."""

    @classmethod
    def of(cls, report: Report) -> Counts:
        counts = cls()
        for case in report.cases:
            if case.target:
                counts.add_case(case)
            else:
                counts.uncollected += 1
        return counts

    @property
    def cases(self) -> int:
        """The number of cases that ran."""
        return sum(self.outcomes.values()) + self.unchecked

    @property
    def good(self) -> bool:
        return not (self.outcomes["changed"] or self.outcomes["error"] or self.uncollected)

    def add_case(self, case: CaseReport) -> None:
        self.add(case.outcome, changes_of(case), case.secondary, case.metrics)

    def add(
        self,
        outcome: Outcome,
        own: Sequence[DistinctChange] = (),
        secondary: Sequence[DistinctChange] = (),
        metrics: Sequence[MetricReport] = (),
    ) -> None:
        """Add one case, with its own changes and those that may follow from them."""
        self.outcomes[outcome] += 1
        if own:
            self.changes.setdefault(outcome, []).append((own, secondary))
        if outcome == "changed":
            self.metrics += metrics

    def headline(self, before: str = "as before", cosmetic: bool = False, width: int | None = None) -> str:
        """`78 cases: 74 as before, 4 changed (1 distinct change), 1 win (kernels -1)`.

        before: the wording for cases with nothing to report. cosmetic: also say how many differ only cosmetically.
        width: the available columns; if there are too few, the sizes of regressions and wins are left out.
        """
        full = self._headline(before, cosmetic, True)
        return full if width is None or len(full) < width else self._headline(before, cosmetic, False)

    def _headline(self, before: str, cosmetic: bool, sizes: bool) -> str:
        text = f"{count(self.cases, 'case')}: {self.outcomes['same'] + self.outcomes['cosmetic']} {before}"
        if cosmetic and self.outcomes["cosmetic"]:
            text += f" ({self.outcomes['cosmetic']} with cosmetic differences only)"
        # If goldens were compared, "0 changed" is worth saying.
        shown = [
            outcome for outcome in _WORDS if self.outcomes[outcome] or (outcome == "changed" and before != "recorded")
        ]
        parts = [text, *map(self._text, shown), *self._costs(sizes)]
        parts += [f"{self.unchecked} without a golden"] if self.unchecked else []
        parts += [f"{self.skipped} skipped"] if self.skipped else []
        parts += [f"{count(self.uncollected, 'file')} not collected"] if self.uncollected else []
        return ", ".join(parts)

    def _text(self, outcome: Outcome) -> str:
        own = self.changes.get(outcome, ()) if outcome in _ALIKE else ()
        alike = [changes for changes, _ in group((None, *changes) for changes in own)]
        minor = sum(all(map(_minor, changes)) for changes in alike)
        distinct = count(len(alike), _ALIKE.get(outcome, "")) + (
            f", {minor} only of accounting or spelling" * (minor > 0)
        )
        return f"{self.outcomes[outcome]} {_WORDS[outcome]}{f' ({distinct})' if alike else ''}"

    def _costs(self, sizes: bool) -> list[str]:
        """Regressions and wins of compiled programs, then by how much guards changed, which counts as neither."""
        shown, summed = [], costs(self.metrics)
        for verdict, noun in _VERDICTS:
            metrics = [metric for metric in summed if metric.verdict == verdict and metric.weighs]
            if metrics:
                how = f" ({', '.join(map(_difference, metrics))})" if sizes else ""
                shown.append(count(sum(metric.cases for metric in metrics), noun) + how)
        guards: Counter[str] = Counter()
        for metric in summed:
            if not metric.weighs:
                guards[metric.name] += int(metric.new - metric.old)
        return shown + [f"{name} {difference(name, change)}" for name, change in guards.items() if change]


def _minor(change: DistinctChange) -> bool:
    """Whether a change leaves what runs as it is; a number may be the only sign of one that does not."""
    return change.kind in MINOR and change.code != MetricChanged.code


def _difference(metric: Cost) -> str:
    return f"{metric.name} {difference(metric.name, metric.new - metric.old)}"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
