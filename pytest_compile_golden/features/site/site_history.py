"""What a site knows about its recordings, kept beside its pages: adding a recording takes one comparison."""

from __future__ import annotations

import io
import lzma
import shutil
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import msgspec

from pytest_compile_golden.common import files, json_files
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.errors import GoldenError, ReportError
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report import cases_in_full, compare_recordings
from pytest_compile_golden.report.metric_columns import step
from pytest_compile_golden.report.model import CaseReport, Outcome, Report, Value
from pytest_compile_golden.report.run_summary import Counts, headline
from pytest_compile_golden.report.terminal_report import describe
from pytest_compile_golden.report.version_matrix import numbers

FORMAT = 1
_DATA = "site.json.xz"
"""Compressed too: entries tell what changed in nearly the same words, and this is a twentieth of them."""
_UNCOMPRESSED = "site.json"
"""The history of a site that an earlier version made."""
_NEWEST = "newest.tar.xz"
"""Compressed as a whole: cases have most of their lines in common."""
_PRESET = 6
"""A fifth of the size of a compressed archive, for 4 ms a case; it sees 8 MiB at once, which lower ones do not."""
_WHAT = "site"
Compare = Callable[[Recording, Recording, str, str], Report]
Series = tuple[tuple[int, Value], ...]
"""A metric's value from each entry's index up to the next one; None if the case has no such metric."""


@dataclass(frozen=True)
class SiteChange:
    """A distinct change from one recording to the next."""

    outcome: Outcome
    text: str
    where: str | None
    edits: tuple[str, ...]
    cases: int
    first: str
    """The node ID of one of its cases."""


@dataclass(frozen=True)
class SiteCase:
    """A case that is not as before."""

    number: int
    """The case's index in the report."""
    text: str
    """The first divergence, or the first line of an error."""
    metrics: tuple[str, ...] = ()
    """Each metric that changed: `kernels 2 -> 3 REGRESSION`."""
    in_full: bool = True
    """Whether the report tells it in full; a case that none does has no page of its own."""


@dataclass(frozen=True)
class HistoryEntry:
    """One recording, compared with the one before it."""

    label: str
    torch: str | None
    triton: str | None
    started: str
    """When the run started, in UTC, ISO 8601; empty if the goldens of a version are used in place of a run."""
    cases: int
    headline: str
    """The verdict in one line; for the first recording, the number of cases."""
    changes: tuple[SiteChange, ...] = ()
    changed: Mapping[str, SiteCase] = field(default_factory=dict)
    """The cases that are not as before, by node ID."""
    regressions: int = 0
    wins: int = 0
    """Cases that got worse, and better."""
    partial: str | None = None
    """Why the run is incomplete."""
    notes: tuple[str, ...] = ()
    """What else the report says about all of it."""
    report: str | None = None
    """The report's file, relative to the site's folder; None for the first recording."""

    @property
    def run(self) -> tuple[str | None, str | None, str, str]:
        """Equal for two readings of one run."""
        return self.torch, self.triton, self.started, "" if self.started else self.label


@dataclass(frozen=True)
class History:
    """All recordings of a site, oldest first."""

    title: str
    entries: tuple[HistoryEntry, ...] = ()
    metrics: Mapping[str, Mapping[str, Series]] = field(default_factory=dict)
    """Each case's metrics: by node ID, then by metric name."""


@dataclass(frozen=True)
class _RecordingFacts:
    format: int
    history: History


_DOCUMENT = json_files.Document(
    _RecordingFacts,
    FORMAT,
    ReportError,
    outdated="Build the site again, in an empty folder.",
    advice="Build the site again, in an empty folder.",
)


def read(folder: Path, title: str) -> History:
    """The history of the site in `folder`; if there is none, an empty history called `title`.

    Raises ReportError if the folder contains something else, a site of an earlier version, or a damaged one.
    """
    path = folder / _DATA
    if not path.is_file():
        if (folder / _UNCOMPRESSED).is_file():
            raise ReportError(
                f"{folder} is a site that an earlier version made, whose history is not compressed. Build the site "
                "again, in an empty folder."
            )
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ReportError(
                f"{folder} exists but is not a site. Name a new folder for --into."
            )
        return History(title)
    try:
        data = lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError) as error:
        raise ReportError(
            f"cannot read {path} ({error}). Build the site again, in an empty folder."
        ) from None
    return _DOCUMENT.parse(data, str(path), lambda facts: facts.history)


def write(folder: Path, history: History) -> None:
    """Write the history. Raises GoldenError if it cannot be written."""
    plain = msgspec.to_builtins(_RecordingFacts(FORMAT, history))
    data = lzma.compress(json_files.line(plain).encode(), preset=_PRESET)
    files.write(folder / _DATA, data, _WHAT)


def read_newest(folder: Path, scratch: Path) -> Recording:
    """The last recording that was added, unpacked into `scratch`, an empty folder from which its texts are read.

    Raises ReportError if it is gone, GoldenError if it is damaged.
    """
    try:
        with tarfile.open(folder / _NEWEST, "r|xz") as archive:
            for member in archive:
                path = files.inside(scratch, PurePosixPath(member.name))
                path.parent.mkdir(parents=True, exist_ok=True)
                # Of anything but a file there is nothing to copy.
                if (packed := archive.extractfile(member)) is not None:
                    with packed, path.open("wb") as file:
                        shutil.copyfileobj(packed, file)
        return recording.read(scratch)
    except (OSError, EOFError, lzma.LZMAError, tarfile.TarError) as error:
        raise ReportError(
            f"cannot read {folder / _NEWEST} ({error}), which the next recording is compared with. Build the site "
            "again, in an empty folder."
        ) from None


def write_newest(folder: Path, newest: Recording) -> None:
    """Keep `newest` to compare the next recording with. Raises GoldenError if it cannot be written."""
    path = folder / _NEWEST
    try:
        with (
            lzma.open(path, "wb", preset=_PRESET) as packed,
            tarfile.open(fileobj=packed, mode="w") as archive,
        ):
            for name, text in recording.packed(newest):
                data = text.encode("utf-8")
                entry = tarfile.TarInfo(str(name))
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
    except OSError as error:
        raise GoldenError(
            f"cannot write {path}: {error.strerror}. Check space and permissions."
        ) from None


def with_recording(
    history: History,
    before: Recording | None,
    added: Recording,
    label: str,
    compare: Compare = compare_recordings.report,
) -> tuple[History, Report | None]:
    """`history` with one more recording, and the report of how it differs from the one `before` it.

    compare: makes the report, from the two recordings and their labels.
    The history is returned unchanged if it already contains this run.
    """
    run, cases = added.run, len(added.cases)
    entry = HistoryEntry(
        label,
        run.torch,
        run.triton,
        run.started,
        cases,
        quantity(cases, "case"),
        partial=added.partial,
    )
    if any(earlier.run == entry.run for earlier in history.entries):
        return history, None
    number, report = len(history.entries), None
    if before is not None:
        report = compare(before, added, history.entries[-1].label, label)
        entry = _compared(entry, report, number)
    return replace(
        history,
        entries=(*history.entries, entry),
        metrics=_metrics(history, added, number),
    ), report


def _compared(entry: HistoryEntry, report: Report, number: int) -> HistoryEntry:
    in_full = cases_in_full.chosen(report.cases, report.groups)
    changed = {
        case.nodeid: _case(case, number, case.nodeid in in_full)
        for number, case in enumerate(report.cases)
        if not case.as_before
    }
    verdicts = Counts.of(report).verdicts
    return replace(
        entry,
        headline=headline(report),
        notes=report.notes,
        changes=tuple(
            SiteChange(
                group.outcome,
                describe(group),
                group.where,
                group.edits,
                len(group.members),
                group.members[0],
            )
            for group in report.groups
            if group.members[0]
            in changed  # not those that failed before in the same way
        ),
        changed=changed,
        regressions=verdicts["REGRESSION"],
        wins=verdicts["WIN"],
        report=f"reports/{number}.html",
    )


def _case(case: CaseReport, number: int, in_full: bool) -> SiteCase:
    first = (
        case.divergence.text
        if case.divergence
        else next(iter(split_lines(case.error or "")), case.outcome)
    )
    metrics = tuple(
        f"{metric.name} {step(metric.name, metric.old, metric.new)} {metric.verdict}"
        for metric in case.metrics
        if metric.verdict != "same"
    )
    return SiteCase(number, first, metrics, in_full)


def _metrics(
    history: History, added: Recording, number: int
) -> dict[str, dict[str, Series]]:
    """Each series, extended by the value at entry `number` if it differs from the one before."""
    current: dict[str, dict[str, Value]] = {
        case.nodeid: dict(numbers(case)) for case in added.cases
    }
    metrics: dict[str, dict[str, Series]] = {}
    for nodeid in sorted({*history.metrics, *current}):
        old, new = history.metrics.get(nodeid, {}), current.get(nodeid, {})
        metrics[nodeid] = {name: old.get(name, ()) for name in sorted({*old, *new})}
        for name, series in metrics[nodeid].items():
            if not series or series[-1][1] != new.get(name):
                metrics[nodeid][name] = (*series, (number, new.get(name)))
    return metrics
