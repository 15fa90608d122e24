"""Rows for FX graphs."""

from __future__ import annotations

from pytest_compile_golden.changes import graphs
from pytest_compile_golden.changes.graphs import CONSTANT, INPUT
from pytest_compile_golden.words.english import arrow, counted, listed, number, summed
from pytest_compile_golden.words.table import say


def _type(change: graphs.TypeChanged) -> tuple[str, str]:
    subject = change.subject
    if subject not in (INPUT, CONSTANT):
        subject = f"{'results' if change.also else 'result'} of {listed((subject, *change.also), 4)}"
    return subject, f"{change.part} {change.before} -> {change.after}".strip()


def _argument(change: graphs.ArgumentsChanged) -> str:
    inside = f" in argument {change.inside}" if change.inside else ""
    if change.gone and change.come:
        return f"{change.operator} is given {change.come} instead of {change.gone}{inside}"
    return f"{change.operator} {'gains' if change.come else 'loses'} {change.come or change.gone}{inside}"


def _operand(change: graphs.OperandChanged) -> str:
    subject = f"{change.operator} reads" if change.operator else "the graph returns"
    if change.before == change.after:
        return f"{subject} another {change.after}"
    return f"{subject} {_of(change.after)} instead of {_of(change.before)}"


def _of(maker: str) -> str:
    return f"{'an' if maker == INPUT else 'a'} {maker}" if maker in (INPUT, CONSTANT) else f"the result of {maker}"


def _folded(change: graphs.Folded) -> str:
    how = "is folded into a constant" if change.folded else "is computed, no longer folded into a constant"
    return f"{summed(change.operators)} {how}"


say(graphs.AttentionBackendChanged, "attention backend", "{before} -> {after}")
say(graphs.OperatorsChanged, lambda change: arrow(change.gone, change.come))
say(
    graphs.GraphsChanged,
    lambda change: (
        f"{number(change.after, 'graph')} instead of {change.before}",
        arrow(*(((), change.operators) if change.more else (change.operators, ()))),
    ),
)
say(graphs.Folded, _folded)
say(graphs.ReplacedByEqual, lambda change: f"{summed(change.operators)} moved within torch's sources")
say(graphs.SameGraph, "the same graph, spelled otherwise")
say(graphs.FiniteCheckAdded, lambda change: ("a check that inputs are finite is added", summed(change.operators)))
say(graphs.TypeChanged, _type)
say(graphs.OperandChanged, _operand)
say(graphs.InputsReordered, "the same inputs in another order")
say(
    graphs.InputsChanged,
    lambda change: (f"inputs {'added' if change.added else 'removed'}", ", ".join(counted(change.types))),
)
say(graphs.ArgumentsChanged, _argument)
