"""Wording shared by every format: the verdict, the two sides, what this torch cannot show."""

from __future__ import annotations

from pytest_compile_golden.report.counts import Counts, count
from pytest_compile_golden.report.model import Report, Side

_LONGEST = 24


def headline(report: Report, *, cosmetic: bool = False, width: int | None = None) -> str:
    """`78 cases: 74 as before, 4 changed (1 distinct change)`, fitted to `width` columns as far as possible."""
    return Counts.of(report).headline(cosmetic=cosmetic, width=width)


def sides(report: Report) -> list[str]:
    """A line for each side that has something to report, and one for missing shards."""
    lines = [line for side in (report.old, report.new) if (line := _side(side))]
    if report.missing_shards:
        lines.append(f"missing shards: {', '.join(report.missing_shards)}")
    return lines


def unavailable(report: Report) -> list[str]:
    """What this torch does not let us read: what the canary found, and each stage that it cannot show, with the name it
    lacks."""
    counts: dict[tuple[str, str], int] = {}
    for case in report.cases:
        for stage in case.stages:
            if stage.kind == "unavailable":
                key = stage.stage, stage.reason or "unknown"
                counts[key] = counts.get(key, 0) + 1
    found = [] if report.reading is None else [report.reading.title, *report.reading.reasons]
    return [line for line in found if line] + [
        f"{stage} is unavailable on torch {report.new.torch}: {reason} ({count(number, 'case')})"
        for (stage, reason), number in sorted(counts.items())
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
    return (_last(old.label), _last(new.label)) if old.label != new.label else ("before", "after")


def _last(label: str) -> str:
    """The end of a label, which may be a path."""
    return label if len(label) <= _LONGEST else f"…{label[1 - _LONGEST :]}"


def _side(side: Side) -> str:
    facts = [
        f"{name} {value}"
        for name, value in (("torch", side.torch), ("triton", side.triton), ("Python", side.python))
        if value is not None
    ]
    if side.platform is not None:
        facts.append(side.platform)
    if side.error is not None:
        facts.append(f"incomplete: {side.error}")
    # A label such as `goldens@2.13.0` already says it.
    known = facts == [f"torch {side.torch}"] and str(side.torch) in side.label
    return f"{side.label}: {', '.join(facts)}" if facts and not known else ""
