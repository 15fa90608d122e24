"""The table of verdicts: a line for each case that differs between two sides, and one for each of its artifacts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from benchmarks.price import weighed_pairs
from benchmarks.verdicts.planted import Planted
from pytest_compile_golden.changes.change import Severities
from pytest_compile_golden.common.garbage_collection import gc_paused
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.severity import codes
from pytest_compile_golden.recordings import compare_cases
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.model import CaseReport

_WHOLE = "-"
"""In the column of artifacts: the case as a whole."""
_AND = " | "
_NAME = re.compile(r"\w+(?:[._]\w+)+")
_CASES = "cases/"
_OUTCOMES = ("changed", "noted")
_OF_EACH = 2
"""How many cases of each planted change are kept."""


@dataclass(frozen=True)
class Row:
    """The verdict on one artifact, or on one case, between two sides."""

    case: str
    artifact: str
    """Its file name without the version and the file type; `-` for the case."""
    between: str
    """`2.13-2.15`, or the planted change; a line of a file has all for which the rest is the same."""
    verdict: str
    """The kind of the difference and its severity; of a case, the outcome."""
    codes: str = ""
    """Of the changes in the artifact; of a case, those that are asked about, in order."""
    stage: str = ""
    """Of a case: the stage of its first divergence."""
    words: str = ""
    """Of a case: what its first divergence is, and where."""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.case, self.artifact, self.between

    @property
    def subject(self) -> frozenset[str]:
        """What the first divergence is about: the functions, operators and options that its words name."""
        return frozenset(_NAME.findall(self.words)) or frozenset([self.words])


@dataclass(frozen=True)
class Table:
    """Rows, and a line about each pair of sides as a whole."""

    rows: tuple[Row, ...]
    summaries: tuple[str, ...] = ()


def of_goldens(goldens: Goldens, old: str, new: str) -> Table:
    """What is said of the goldens of two versions of torch."""
    sides = [goldens.recording(version) for version in (old, new)]
    between = "-".join(version.rpartition(".")[0] for version in (old, new))
    before, after = ({case.folder: case for case in side.cases} for side in sides)
    aside = compare_cases.not_in_both(sides[0].run, sides[1].run)
    reports: list[CaseReport] = []
    rows: list[Row] = []
    with gc_paused():
        for folder in sorted(before.keys() & after.keys()):
            case = after[folder]
            pairs = compare_cases.compared(before[folder], case, old, aside)
            report, found = _rows(str(folder), case.nodeid, case.target, between, pairs)
            reports.append(report)
            rows += found
    outcomes = [report.outcome for report in reports]
    counts = ", ".join(
        f"{outcomes.count(outcome)} {outcome}" for outcome in sorted({*outcomes})
    )
    questions = sum(group.is_change for group in grouped(reports))
    return Table(tuple(rows), (f"{between}: {counts}; {questions} questions",))


def of_planted(cases: Iterable[Planted]) -> Table:
    """What is said of cases captured under planted changes."""
    return Table(tuple(row for case in cases for row in _of_planted(case)[1]))


def telling(cases: Iterable[Planted]) -> list[Planted]:
    """Of each planted change the first two cases that fail; if fewer do, ones noted, or that only look otherwise."""
    by_change: dict[str, list[tuple[int, Planted]]] = {}
    for case in cases:
        outcome = _of_planted(case)[0].outcome
        weight = _OUTCOMES.index(outcome) if outcome in _OUTCOMES else len(_OUTCOMES)
        by_change.setdefault(case.change, []).append((weight, case))
    return [
        case
        for weighed in by_change.values()
        for _, case in sorted(weighed, key=lambda pair: pair[0])[:_OF_EACH]
    ]


def _of_planted(case: Planted) -> tuple[CaseReport, list[Row]]:
    return _rows(case.folder, case.nodeid, case.target, case.change, case.compared())


def _rows(
    folder: str, nodeid: str, target: str, between: str, pairs: Sequence[Compared]
) -> tuple[CaseReport, list[Row]]:
    """The report of a case, and its rows; none if each text is the same on both sides."""
    weighed = list(weighed_pairs(pairs, Severities(), target))
    report = case_report(nodeid, target, weighed, detail="terse")
    differing = [pair for pair in weighed if pair.old != pair.new]
    if not differing:
        return report, []
    case = folder.removeprefix(_CASES)
    rows = [
        Row(
            case,
            pair.stem,
            between,
            f"{pair.kind} {pair.severity}" if pair.fails else pair.kind,
            " ".join(sorted(codes(pair))),
        )
        for pair in differing
    ]
    whole = Row(
        case,
        _WHOLE,
        between,
        report.outcome,
        " ".join(change.code for change in report.changes),
    )
    first = report.divergence
    if first is not None:
        words = f"{first.text} @ {first.where}" if first.where else first.text
        whole = replace(whole, stage=first.stage, words=words)
    return report, [whole, *rows]


def render(table: Table) -> str:
    """The table as text, sorted; rows that say the same between several sides are one line."""
    same: dict[Row, list[str]] = {}
    for row in table.rows:
        same.setdefault(replace(row, between=""), []).append(row.between)
    lines = []
    for row, between in same.items():
        columns = (
            row.case,
            row.artifact,
            _AND.join(sorted(between)),
            row.verdict,
            row.codes,
            row.stage,
            row.words,
        )
        lines.append("\t".join(columns).rstrip("\t"))
    summaries = [f"# {summary}" for summary in table.summaries]
    return "".join(f"{line}\n" for line in (*summaries, *sorted(lines)))


def parse(text: str) -> Table:
    """The table that `render` wrote."""
    rows: list[Row] = []
    summaries: list[str] = []
    for line in text.splitlines():
        if line.startswith("# "):
            summaries.append(line[2:])
            continue
        case, artifact, between, *rest = line.split("\t")
        rows += [Row(case, artifact, each, *rest) for each in between.split(_AND)]
    return Table(tuple(rows), tuple(summaries))


def differences(old: Table, new: Table) -> Iterator[str]:
    """What one table says otherwise than another, a line each; last, how many rows are as before, by what differs."""
    for before, after in zip_longest(old.summaries, new.summaries):
        if before != after:
            yield from (f"- # {before}", f"+ # {after}")
    rows = [{row.key: row for row in table.rows} for table in (old, new)]
    keys = sorted({*rows[0], *rows[1]})
    changed = [key for key in keys if rows[0].get(key) != rows[1].get(key)]
    for key in changed:
        for sign, by_key in zip("-+", rows, strict=True):
            if key in by_key:
                yield f"{sign} {render(Table((by_key[key],)))[:-1]}"
    if not changed:
        return
    cases = [[by_key.get(key) for by_key in rows] for key in keys if key[1] == _WHOLE]
    alike = {
        name: sum(
            getattr(before, name, None) == getattr(after, name, None)
            for before, after in cases
        )
        for name in ("verdict", "stage", "subject", "words", "codes")
    }
    yield f"of {len(cases)} cases as before: {', '.join(f'{name} {count}' for name, count in alike.items())}"
    artifacts = [key for key in keys if key[1] != _WHOLE]
    same = sum(rows[0].get(key) == rows[1].get(key) for key in artifacts)
    yield f"of {len(artifacts)} artifacts as before: {same}"
