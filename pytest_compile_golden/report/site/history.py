"""What a site knows of its recordings, kept beside its pages: one more recording is one comparison."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_compile_golden import documents
from pytest_compile_golden.errors import GoldenError, ReportError
from pytest_compile_golden.goldens import files
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report import comparing
from pytest_compile_golden.report.case_groups import verdicts
from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.matrix import numbers
from pytest_compile_golden.report.metrics import step
from pytest_compile_golden.report.model import CaseReport, Outcome, Report, Value
from pytest_compile_golden.report.overview import told
from pytest_compile_golden.report.words import headline

FORMAT = 1
_DATA = "site.json"
_NEWEST = "newest.zip"
_WHAT = "site"
Series = tuple[tuple[int, Value], ...]
"""A metric's value from an entry's number on, until the next one's; None where the case has no such number."""


@dataclass(frozen=True)
class SiteChange:
    """A distinct change from one recording to the next."""

    outcome: Outcome
    text: str
    where: str | None
    edits: tuple[str, ...]
    cases: int
    first: str
    """The nodeid of one of its cases."""


@dataclass(frozen=True)
class SiteCase:
    """A case that is not as before."""

    number: int
    """In the report."""
    text: str
    """What it began with: the first divergence, or an error's first line."""
    metrics: tuple[str, ...] = ()
    """Each that changed: `kernels 2 -> 3 REGRESSION`."""


@dataclass(frozen=True)
class Entry:
    """One recording, compared with the one before it."""

    label: str
    torch: str | None
    triton: str | None
    started: str
    """UTC, ISO 8601; empty where the goldens of a version stand for a run."""
    cases: int
    headline: str
    """The verdict in one line; of the first recording how many cases it has."""
    changes: tuple[SiteChange, ...] = ()
    changed: Mapping[str, SiteCase] = field(default_factory=dict)
    """The cases that are not as before, by nodeid."""
    regressions: int = 0
    wins: int = 0
    """Metrics that got worse, and better, over all cases."""
    partial: str | None = None
    """Why this is not all there is to the run."""
    report: str | None = None
    """The report's file, below the site's folder; None for the first recording."""

    @property
    def run(self) -> tuple[str | None, str | None, str, str]:
        """Equal for two readings of one run."""
        return self.torch, self.triton, self.started, "" if self.started else self.label


@dataclass(frozen=True)
class History:
    """All recordings of a site, oldest first."""

    title: str
    entries: tuple[Entry, ...] = ()
    metrics: Mapping[str, Mapping[str, Series]] = field(default_factory=dict)
    """For each case, by nodeid, each of its metrics."""


@dataclass(frozen=True)
class _Facts:
    format: int
    history: History


_DOCUMENT = documents.Document(
    _Facts,
    FORMAT,
    ReportError,
    outdated="Make the site anew, in an empty folder.",
    advice="Make the site anew, in an empty folder.",
)


def read(folder: Path, title: str) -> History:
    """The history of the site in `folder`; one called `title` without recordings where there is none.

    Raises ReportError for a folder that holds something else, or a damaged site.
    """
    data = files.read(folder / _DATA) if folder.is_dir() else None
    if data is None:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ReportError(f"{folder} holds something that is not a site. Name a new folder for --into.")
        return History(title)
    return _DOCUMENT.parse(data, str(folder / _DATA), lambda facts: facts.history)


def write(folder: Path, history: History) -> None:
    """Raises GoldenError where that is not possible."""
    files.write(folder / _DATA, documents.render(_Facts(FORMAT, history)), _WHAT)


def read_newest(folder: Path) -> Recording:
    """The last recording that was added. Raises ReportError where it is gone, GoldenError where it is damaged."""
    try:
        with zipfile.ZipFile(folder / _NEWEST) as archive, tempfile.TemporaryDirectory() as scratch:
            archive.extractall(scratch)
            return recording.read(Path(scratch))
    except (OSError, zipfile.BadZipFile) as error:
        raise ReportError(
            f"cannot read {folder / _NEWEST} ({error}), which the next recording is compared with. Make the site anew, "
            "in an empty folder."
        ) from None


def write_newest(folder: Path, newest: Recording) -> None:
    """Keep `newest` for the comparison with the next one. Raises GoldenError where that is not possible."""
    path = folder / _NEWEST
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in recording.packed(newest):
                archive.writestr(str(name), text.encode("utf-8"))
    except OSError as error:
        raise GoldenError(f"cannot write {path}: {error.strerror}. Check space and permissions.") from None


def with_recording(
    history: History, before: Recording | None, added: Recording, label: str
) -> tuple[History, Report | None]:
    """`history` with one more recording, and the report of what it does differently than the one `before` it.

    The history as it is where this run is in it already.
    """
    run, cases = added.run, len(added.cases)
    entry = Entry(label, run.torch, run.triton, run.started, cases, count(cases, "case"), partial=added.partial)
    if any(earlier.run == entry.run for earlier in history.entries):
        return history, None
    number, report = len(history.entries), None
    if before is not None:
        report = comparing.report(before, added, history.entries[-1].label, label)
        entry = _compared(entry, report, number)
    return replace(history, entries=(*history.entries, entry), metrics=_metrics(history, added, number)), report


def _compared(entry: Entry, report: Report, number: int) -> Entry:
    counts = verdicts(metric for case in report.cases for metric in case.metrics)
    return replace(
        entry,
        headline=headline(report),
        changes=tuple(
            SiteChange(group.outcome, told(group), group.where, group.edits, len(group.members), group.members[0])
            for group in report.groups
        ),
        changed={
            case.nodeid: _case(case, number)
            for number, case in enumerate(report.cases)
            if case.outcome not in ("same", "cosmetic")
        },
        regressions=counts["REGRESSION"],
        wins=counts["WIN"],
        report=f"reports/{number}.html",
    )


def _case(case: CaseReport, number: int) -> SiteCase:
    first = case.divergence.text if case.divergence else next(iter(split_lines(case.error or "")), case.outcome)
    metrics = tuple(
        f"{metric.name} {step(metric.name, metric.old, metric.new)} {metric.verdict}"
        for metric in case.metrics
        if metric.verdict != "same"
    )
    return SiteCase(number, first, metrics)


def _metrics(history: History, added: Recording, number: int) -> dict[str, dict[str, Series]]:
    """Each series with the value of entry `number` where it is another than before."""
    current: dict[str, dict[str, Value]] = {case.nodeid: dict(numbers(case)) for case in added.cases}
    metrics: dict[str, dict[str, Series]] = {}
    for nodeid in sorted({*history.metrics, *current}):
        old, new = history.metrics.get(nodeid, {}), current.get(nodeid, {})
        metrics[nodeid] = {name: _longer(old.get(name, ()), new.get(name), number) for name in sorted({*old, *new})}
    return metrics


def _longer(series: Series, value: Value, number: int) -> Series:
    return series if series and series[-1][1] == value else (*series, (number, value))
