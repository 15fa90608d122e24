"""A changed case as a person reads it: where it diverged, what followed, numbers, a short diff, how to accept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_compile_golden.golden.cause import cause, named
from pytest_compile_golden.golden.compare import Change, first_divergence, in_pipeline_order
from pytest_compile_golden.report.diff import diff
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.report.metrics import table
from pytest_compile_golden.stages.registry import stages

_DIFF_LINES = 24


@dataclass(frozen=True)
class Failure:
    """What a report of one changed case is made from."""

    nodeid: str
    torch: str | None
    changes: Sequence[Change]
    accept: str
    """The command that accepts the change."""
    ci: bool = False


def headline(failure: Failure) -> str:
    """One line for pytest's short summary."""
    found = cause(failure.changes)
    if found is None:
        return "changed"
    if all(change.kind == "new" for change in failure.changes):
        return f"missing golden{' in CI' if failure.ci else ''}: {', '.join(_names(failure.changes))}"
    return f"first divergence {found.text}"


def render(failure: Failure, verbosity: int = 0) -> list[Line]:
    """The whole report. `verbosity` 1 shows every stage's diff, 2 shows them in full."""
    ordered = in_pipeline_order(failure.changes)
    changed = [change for change in ordered if change.kind != "new"]
    new = [change for change in ordered if change.kind == "new"]
    first = first_divergence(changed)
    lines = [_title(failure, first)]
    if first is not None:
        found = cause(changed)
        text, where, shown = (found.text, found.where, found.change) if found else (named(first), None, first)
        lines.append(("", _entry("first divergence", f"{text}   {where}" if where else text)))
        then = [named(change) for change in changed if change is not shown]
        if then:
            lines.append(("", _entry("then", ", ".join(then))))
    if new:
        label = "missing in CI" if failure.ci else "missing"
        lines.append(("", _entry(label, f"no golden yet for {', '.join(_names(new))}")))
    rows = [row for change in changed for row in table(change.metrics)]
    lines += [(style, _entry("metrics" if at == 0 else "", row)) for at, (style, row) in enumerate(rows)]
    lines += _diffs(changed, first, verbosity)
    lines.append(("", _entry("accept", failure.accept)))
    return lines


def _title(failure: Failure, first: Change | None) -> Line:
    facts = [] if failure.torch is None else [f"torch {failure.torch}"]
    if first is not None and first.golden_version is not None:
        facts.append(f"golden since {first.golden_version}")
    return "title", f"{printable(failure.nodeid)}          {', '.join(facts)}".rstrip()


def _entry(label: str, text: str) -> str:
    return f"  {label:<16}  {text}"


def _names(changes: Sequence[Change]) -> list[str]:
    return list(dict.fromkeys(change.stage for change in changes))


def _diffs(changes: Sequence[Change], first: Change | None, verbosity: int) -> list[Line]:
    """The first divergence's diff alone unless asked for more: the others follow from it."""
    lines: list[Line] = []
    for change in changes:
        if change.kind != "structural" or (change is not first and verbosity < 1):
            continue
        lines.append(("title", f"  {change.path.name}"))
        shown = diff(*_texts(change), limit=None if verbosity > 1 else _DIFF_LINES)
        lines += [(style, f"    {text}") for style, text in shown]
    return lines


def _texts(change: Change) -> tuple[str, str]:
    """The two texts to show, made alike where they differ cosmetically."""
    shown = next((stage.shown for stage in stages() if stage.name == change.stage), None)
    if shown is not None:
        old, new = shown(change.golden_text, change.actual_text)
        if old != new:
            return "\n".join(old), "\n".join(new)
    return change.golden_text, change.actual_text
