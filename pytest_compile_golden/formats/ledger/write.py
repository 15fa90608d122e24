"""A record's passes as the rows of a ledger; those that did nothing are named in its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pytest_compile_golden.facts.graphs import Pass
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.facts.steps import Ran
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.artifact import Answer, Artifact, of_those
from pytest_compile_golden.formats.known_names import check_pass, check_pattern
from pytest_compile_golden.formats.ledger.printed import Nodes, OperatorCount, PassRow, Pattern, read, write
from pytest_compile_golden.names import joined
from pytest_compile_golden.vocabulary import AOT_INDUCTOR, INDUCTOR


@dataclass(frozen=True, repr=False)
class PassesArtifact(Artifact):
    """Every pass of every phase, in the order it ran."""

    passes: tuple[Pass, ...]
    backend: str
    """What compiled the graphs, as the record names it."""

    @property
    def locations(self) -> tuple[tuple[str, str], ...]:
        """Where passes are defined: the text does not have those that did nothing."""
        return tuple(dict.fromkeys((place(each.phase, each.name), each.where) for each in self.passes if each.where))

    def ran(self, name: str, *, missing_ok: bool = False) -> Answer:
        """Whether a pass called `name` ran; for a custom pass, its slot or its own name is enough.

        Raises UnknownPass for a name that neither torch nor the user's files have, and for a pass of the user's that is
        not in the ledger but may have run inside another one that is, unless `missing_ok`.
        """
        return of_those(bool(self._runs(name, missing_ok)), dict.fromkeys(row.name for row in self.passes))

    def changed(self, name: str, *, missing_ok: bool = False) -> Answer:
        """Whether a pass called `name` changed a graph; names as for `ran`."""
        changed = any(row.changed for row in self._runs(name, missing_ok))
        return Answer(changed, f"changed: {joined(dict.fromkeys(row.name for row in self.passes if row.changed))}")

    def matches(self, pattern: str, *, missing_ok: bool = False) -> Answer:
        """How often patterns whose name contains `pattern` matched; a pattern has the name of its function.

        Raises UnknownPass for a name that neither torch nor the user's files have, unless `missing_ok`.
        """
        there = dict.fromkeys(match.name for row in self.passes for match in row.patterns)
        number = sum(match.count for row in self.passes for match in row.patterns if pattern in match.name)
        if number:
            return of_those(number, there)
        misses = {name: why for row in self.passes for name, why in row.missed.items() if pattern in name}
        nearest = [f"{name}: {why}" for name, why in misses.items()]
        if not (misses or missing_ok) and not check_pattern(pattern, there):
            nearest = ["no pass that ran has it: is yours in config=?"]
        return Answer(0, "; ".join([f"there are: {joined(there)}", *nearest]))

    def _runs(self, name: str, missing_ok: bool) -> list[Pass]:
        runs = [row for row in self.passes if row.is_called(name)]
        if not runs and not missing_ok:
            unseen = dict.fromkeys(row.name for row in self.passes if row.slot)
            if self.backend not in (INDUCTOR, AOT_INDUCTOR):
                unseen[f"the backend {self.backend}"] = None
            check_pass(name, dict.fromkeys(row.name for row in self.passes), unseen)
        return runs


def _row(run: Pass) -> PassRow:
    if not run.changed and not run.patterns:
        return PassRow(run.key.label, run.phase, run.name, where=run.where)
    operators = (
        *(OperatorCount("-", name, times) for name, times in run.removed.items()),
        *(OperatorCount("+", name, times) for name, times in run.added.items()),
    )
    return PassRow(
        run.key.label,
        run.phase,
        run.name,
        Nodes(run.before, run.after),
        run.where,
        tuple(Pattern(match.name, match.count, match.where) for match in run.patterns),
        operators,
        # Scheduler steps work on groups, for which no operators are counted.
        rearranged=run.changed and not operators and run.phase != "scheduler",
    )


def render(record: Record, stage: str) -> PassesArtifact | None:
    """The passes that did something, over all graphs; None if no pass ran. Those that did nothing are its evidence."""
    passes: list[Pass] = record.get(stage)
    if not passes:
        return None
    rows = [*map(_row, passes)]
    text = write(row for row in rows if not row.idle)
    return PassesArtifact(stage, text, tuple(passes), record.backend, facts=tuple(facts(rows)))


def facts(rows: Sequence[PassRow]) -> Iterator[Ran]:
    """Every pass, in the order in which they ran."""
    for at, ((graph, phase), several) in enumerate(groupby(rows, key=lambda row: (row.graph, row.phase))):
        yield Ran(at, graph, phase, tuple(row.name if row.idle else "" for row in several))


def place(phase: str, name: str) -> str:
    """The name under which an artifact keeps where a pass is defined."""
    return f"{phase} / {name}"


def all_rows(text: str, known: str, places: Mapping[str, str]) -> tuple[PassRow, ...]:
    """The rows of a ledger, including those of passes that did nothing if its evidence names them. Raises Unreadable.

    places: where passes are defined, by `place`.
    """
    rows = [_placed(row, known) for row in read(text)]
    merged: list[PassRow] = []
    at = 0
    for fact in sorted(evidence.read(known, text, Ran), key=lambda fact: fact.at):
        for name in fact.names:
            if name:
                merged.append(PassRow(fact.graph, fact.phase, name, where=places.get(place(fact.phase, name))))
            else:
                merged += rows[at : at + 1]
                at += 1
    return tuple(merged if merged and at == len(rows) else rows)


def _placed(row: PassRow, known: str) -> PassRow:
    patterns = tuple(replace(each, where=evidence.placed(each.where, known)) for each in row.patterns)
    return replace(row, where=evidence.placed(row.where, known), patterns=patterns)


def names(text: str, known: str) -> frozenset[str]:
    """The passes that ran, whether or not they did anything, by `place`; empty if the evidence does not say."""
    if not evidence.read(known, text, Ran):
        return frozenset()
    return frozenset(place(row.phase, row.name) for row in all_rows(text, known, {}))
