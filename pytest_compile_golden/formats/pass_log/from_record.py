"""A record's passes as the rows of a ledger; those that did nothing are named in its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pytest_compile_golden.common.constants import AOT_INDUCTOR, INDUCTOR
from pytest_compile_golden.common.name_matching import joined, near
from pytest_compile_golden.errors import UnknownPass
from pytest_compile_golden.facts.graphs import GraphKey, Pass
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.facts.trail import PassesRun
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.artifact import Answer, Artifact, of_those
from pytest_compile_golden.formats.known_names import check_pass, check_pattern
from pytest_compile_golden.formats.pass_log.printed import (
    NodeCounts,
    OperatorCount,
    PassRow,
    Pattern,
    read,
    write,
)


@dataclass(frozen=True, repr=False)
class PassesArtifact(Artifact):
    """Every pass of every phase, in the order it ran."""

    passes: tuple[Pass, ...]
    backend: str
    """What compiled the graphs, as the record names it."""
    inner: tuple[Pass, ...] = ()
    """Passes that the user's passes called, as a pass manager does; the text has only what torch calls."""

    @property
    def locations(self) -> tuple[tuple[str, str], ...]:
        """Where passes are defined: the text does not have those that did nothing."""
        return tuple(
            dict.fromkeys(
                (place(each.phase, each.name), each.where)
                for each in self.passes
                if each.where
            )
        )

    def ran(self, name: str, *, missing_ok: bool = False) -> Answer:
        """Whether a pass called `name` ran; for a custom pass, its slot or its own name is enough.

        A pass that another one calls, such as a pass manager, is known by its own name, too.

        Raises UnknownPass for a name that neither torch nor the user's files have, and for a pass of the user's that
        was not seen but that another one, or a backend, may have run, unless `missing_ok`.
        """
        return of_those(bool(self._runs(name, missing_ok)), self._names)

    def changed(self, name: str, *, missing_ok: bool = False) -> Answer:
        """Whether a pass called `name` changed a graph; names as for `ran`."""
        changed = any(row.changed for row in self._runs(name, missing_ok))
        all_changed = dict.fromkeys(
            row.name for row in (*self.passes, *self.inner) if row.changed
        )
        return Answer(changed, f"changed: {joined(all_changed)}")

    def around(self, name: str, graph: str | None = None) -> list[tuple[Pass, Pass]]:
        """The first and the last run of a pass called `name` on each graph that it ran on; names as for `ran`.

        graph: only on the graph of this name, `graph_0_forward`.

        Raises UnknownPass if no such pass ran, on that graph, or if it works on groups of operations, not on a graph.
        """
        runs = [row for row in (*self.passes, *self.inner) if row.is_called(name)]
        if not runs:
            own = dict.fromkeys(known.rpartition(" / ")[2] for known in self._names)
            raise UnknownPass(
                f"no pass {name!r} ran in this compile{near(name, {**own, **self._names})} "
                f"These ran: {joined(self._names)}."
            )
        on_graphs = [row for row in runs if row.graphs]
        if not on_graphs:
            raise UnknownPass(
                f"{name} works on the scheduler's groups, or makes other graphs of one: there is no graph before "
                "and after it. captured['pass_diffs'] has the groups before and after each step of the scheduler, and "
                "captured['forward_graph'] and captured['backward_graph'] what the partitioner makes."
            )
        there = dict.fromkeys(row.key.label for row in on_graphs)
        if graph is not None and graph not in there:
            raise UnknownPass(
                f"{name} did not run on {graph!r}{near(graph, there)} It ran on {joined(there)}."
            )
        by_graph: dict[tuple[GraphKey, int], list[Pass]] = {}
        for row in on_graphs:
            if graph in (None, row.key.label):
                by_graph.setdefault((row.key, row.part), []).append(row)
        return [(several[0], several[-1]) for several in by_graph.values()]

    @property
    def _names(self) -> dict[str, None]:
        return dict.fromkeys(row.name for row in (*self.passes, *self.inner))

    def matches(self, pattern: str, *, missing_ok: bool = False) -> Answer:
        """How often patterns whose name contains `pattern` matched, or those of a pass that is called so, as for `ran`.

        A pattern has the name of its function.

        Raises UnknownPass for a name that neither torch nor the user's files have, unless `missing_ok`.
        """
        there = dict.fromkeys(
            match.name for row in self.passes for match in row.patterns
        )
        number = sum(
            match.count
            for row in self.passes
            for match in row.patterns
            if pattern in match.name or row.is_called(pattern)
        )
        if number:
            return of_those(number, there)
        misses = {
            name: why
            for row in self.passes
            for name, why in row.missed.items()
            if pattern in name
        }
        nearest = [f"{name}: {why}" for name, why in misses.items()]
        ran = any(row.is_called(pattern) for row in self.passes)
        if not (misses or missing_ok or ran) and not check_pattern(pattern, there):
            nearest = ["no pass that ran has it: is yours in config=?"]
        return Answer(0, "; ".join([f"there are: {joined(there)}", *nearest]))

    def _runs(self, name: str, missing_ok: bool) -> list[Pass]:
        runs = [row for row in (*self.passes, *self.inner) if row.is_called(name)]
        if not runs and not missing_ok:
            unseen = dict.fromkeys(row.name for row in self.passes if row.slot)
            if self.backend not in (INDUCTOR, AOT_INDUCTOR):
                unseen[f"the backend {self.backend}"] = None
            check_pass(name, self._names, unseen)
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
        NodeCounts(run.before, run.after),
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
    rows = list(map(_row, passes))
    text = write(row for row in rows if not row.idle)
    return PassesArtifact(
        stage,
        text,
        tuple(passes),
        record.backend,
        tuple(record.get("inner_passes")),
        facts=tuple(facts(rows)),
    )


def facts(rows: Sequence[PassRow]) -> Iterator[PassesRun]:
    """Every pass, in the order in which they ran."""
    for at, ((graph, phase), several) in enumerate(
        groupby(rows, key=lambda row: (row.graph, row.phase))
    ):
        yield PassesRun(
            at, graph, phase, tuple(row.name if row.idle else "" for row in several)
        )


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
    for fact in sorted(evidence.read(known, text, PassesRun), key=lambda fact: fact.at):
        for name in fact.names:
            if name:
                merged.append(
                    PassRow(
                        fact.graph,
                        fact.phase,
                        name,
                        where=places.get(place(fact.phase, name)),
                    )
                )
            else:
                merged += rows[at : at + 1]
                at += 1
    return tuple(merged if merged and at == len(rows) else rows)


def _placed(row: PassRow, known: str) -> PassRow:
    patterns = tuple(
        replace(each, where=evidence.placed(each.where, known)) for each in row.patterns
    )
    return replace(row, where=evidence.placed(row.where, known), patterns=patterns)


def names(text: str, known: str) -> frozenset[str]:
    """The passes that ran, whether or not they did anything, by `place`; empty if the evidence does not say."""
    if not evidence.read(known, text, PassesRun):
        return frozenset()
    return frozenset(place(row.phase, row.name) for row in all_rows(text, known, {}))
