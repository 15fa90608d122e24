"""A changed case as a person reads it: where it diverged, what followed, numbers, a short diff, how to accept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_compile_golden.golden.compare import Change, first_divergence, in_pipeline_order
from pytest_compile_golden.golden.ledger import MADE_BY, divergence
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
    first = first_divergence(failure.changes)
    if first is None:
        return "changed"
    if all(change.kind == "new" for change in failure.changes):
        return f"missing golden{' in CI' if failure.ci else ''}: {', '.join(_names(failure.changes))}"
    return f"first divergence {_cause(failure.changes, first)[0]}"


def render(failure: Failure, verbosity: int = 0) -> list[Line]:
    """The whole report. `verbosity` 1 shows every stage's diff, 2 shows them in full."""
    ordered = in_pipeline_order(failure.changes)
    changed = [change for change in ordered if change.kind != "new"]
    new = [change for change in ordered if change.kind == "new"]
    first = first_divergence(changed)
    lines = [_title(failure, first)]
    if first is not None:
        cause, where, consequences = _cause(changed, first)
        lines.append(("", _entry("first divergence", f"{cause}   {where}" if where else cause)))
        then = [_named(change) for change in consequences]
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


def _cause(changes: Sequence[Change], first: Change) -> tuple[str, str | None, list[Change]]:
    """What to name as the first divergence, where it stands, and the changes that follow from it.

    The ledger tells the pass; a stage that comes before the graph that this pass works on was there first.
    """
    ledger = next((change for change in changes if change.stage == "passes" and change.kind == "structural"), None)
    found = divergence(ledger.golden_text, ledger.actual_text) if ledger is not None else None
    if found is None or found.phase not in MADE_BY or not _not_before(first.stage, MADE_BY[found.phase]):
        return _named(first), None, [change for change in changes if change is not first]
    return found.text, found.where, [change for change in changes if change is not ledger]


def _not_before(stage: str, other: str) -> bool:
    names = [each.name for each in stages()]
    return stage == "passes" or stage not in names or names.index(stage) >= names.index(other)


def _title(failure: Failure, first: Change | None) -> Line:
    facts = [] if failure.torch is None else [f"torch {failure.torch}"]
    if first is not None and first.golden_version is not None:
        facts.append(f"golden since {first.golden_version}")
    return "title", f"{printable(failure.nodeid)}          {', '.join(facts)}".rstrip()


def _entry(label: str, text: str) -> str:
    return f"  {label:<16}  {text}"


def _named(change: Change) -> str:
    if change.kind == "absent":
        return f"{change.stage} (gone: this compile has none)"
    # `post_grad_graph (graph)` would say it twice.
    return f"{change.stage} ({change.depth})" if change.depth not in change.stage else change.stage


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
