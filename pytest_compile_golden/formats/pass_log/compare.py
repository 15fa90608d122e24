"""Two pass ledgers, read as runs of passes and compared in order: the first that did something different.

A pass is given what those before it left, so whatever a later one does differently may follow from the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from types import MappingProxyType

from pytest_compile_golden.changes.change import Divergence, counts
from pytest_compile_golden.changes.common_types import Replaced
from pytest_compile_golden.changes.graphs import PassChanged
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.pass_log.from_record import all_rows
from pytest_compile_golden.formats.pass_log.printed import PassRow, Pattern

# The scheduler step before which `lowered_ir` is taken (torch/_inductor/scheduler.py: Scheduler._init).
_FUSION = "fuse_nodes"
_SCHEDULER = "scheduler"
UNOBSERVED = "(unobserved)"
"""The ledger's name for a change that no known pass made."""


@dataclass(frozen=True)
class PassRun:
    """A row of a ledger, with what else is known about that run of the pass."""

    row: PassRow
    left: str | None = None
    """A digest of the graph as the pass left it, if the trail has one."""
    pre_fusion: bool = False
    """Whether it is a scheduler step before `lowered_ir` is taken."""
    after: str = ""
    """The pass of the same phase that ran before it."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What runs of the same pass have in common on both sides."""
        return self.row.graph, self.row.phase, self.row.name

    @property
    def phase(self) -> str:
        """The phase that a change of this pass belongs to, as named in the pipeline's table."""
        return "pre_fusion" if self.pre_fusion else self.row.phase

    @property
    def effect(self) -> object:
        """What it did, regardless of the size of the graph."""
        grown = None if self.row.nodes is None else self.row.nodes.grown
        return (
            grown,
            {pattern.name: pattern.count for pattern in self.row.patterns},
            self.row.operators_text,
        )

    @property
    def summary(self) -> str:
        """What it did, with a line for the nodes, for each pattern and for the operators; empty if nothing."""
        lines = [] if self.row.nodes is None else [f"{self.row.nodes} nodes"]
        lines += [
            f"{pattern.name}: matched {pattern.count}" for pattern in self.row.patterns
        ]
        return "\n".join([*lines, *filter(None, [self.row.operators_text])])


def runs(
    text: str, known: str = "", places: Mapping[str, str] = MappingProxyType({})
) -> list[PassRun]:
    """The runs of a ledger; empty if the text is not one.

    known: its evidence, which names passes that did nothing. places: where those are defined (`ran.place`).
    """
    try:
        rows = all_rows(text, known, places)
    except Unreadable:
        return []
    ran: list[PassRun] = []
    fusing = False
    for row in rows:
        fusing = row.phase == _SCHEDULER and (fusing or row.name == _FUSION)
        after = ran[-1].row.name if ran and ran[-1].row.phase == row.phase else ""
        ran.append(
            PassRun(row, pre_fusion=row.phase == _SCHEDULER and not fusing, after=after)
        )
    return ran


def with_digests(runs: Sequence[PassRun], left: Sequence[PassRun]) -> list[PassRun]:
    """The runs of a ledger, each with the digest that the trail has of what it left."""
    completed: list[PassRun] = []
    following = iter(left)
    next_one = next(following, None)
    for run in runs:
        if (
            next_one is not None
            and run.row.nodes is not None
            and run.key == next_one.key
        ):
            completed.append(replace(run, left=next_one.left))
            next_one = next(following, None)
        else:
            completed.append(run)
    return completed


def divergence(
    old_runs: Sequence[PassRun], new_runs: Sequence[PassRun]
) -> Divergence | None:
    """The first pass whose effect differs; None if every pass did the same to its graph as before.

    Also None if a graph enters its first pass that did something with a different number of nodes: then the change
    happened before that pass.
    """
    # A renamed pass is remembered only, since it changes nothing: the first pass that does something else goes first.
    renamed: Divergence | None = None
    for old, new in pairs(old_runs, new_runs):
        if (
            old is not None
            and new is not None
            and old.key != new.key
            and renamed is None
        ):
            change = Replaced(
                "pass-renamed", old.row.name, new.row.name, subject=new.row.phase
            )
            renamed = Divergence(new.phase, change, new.row.where)
        if old is None or new is None:
            run = old or new
            if run is None or run.row.idle:
                continue
            return _divergence(old, new)
        before, after = old.row.nodes, new.row.nodes
        if _other(old, new):
            # It was given another graph, so that something before it, which this ledger does not list, is to blame.
            if (
                before is not None
                and after is not None
                and before.before != after.before
            ):
                return None
            came, comes = _came_in(old, old_runs), _came_in(new, new_runs)
            if (
                old.pre_fusion
                and came is not None
                and comes is not None
                and came != comes
            ):
                return None
            return _divergence(old, new)
        if before is not None and after is not None and before != after:
            return None
    return renamed


def _divergence(old: PassRun | None, new: PassRun | None) -> Divergence:
    run = new or old
    assert run is not None
    change = pass_change(old, new)
    return Divergence(run.phase, change, change.where)


def _other(old: PassRun, new: PassRun) -> bool:
    """Whether a pass did something different; the graph that it left counts more than how often patterns matched."""
    if old.left and new.left:
        did, does = ((run.row.nodes, run.row.operators_text) for run in (old, new))
        return old.left != new.left or did != does
    return old.effect != new.effect


def pairs(
    old: Sequence[PassRun], new: Sequence[PassRun]
) -> Iterator[tuple[PassRun | None, PassRun | None]]:
    """Pairs of runs of the same pass, in the order in which they ran, including passes that were renamed."""
    matcher = SequenceMatcher(
        None, [run.key for run in old], [run.key for run in new], autojunk=False
    )
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if kind == "equal":
            yield from zip(old[old_from:old_to], new[new_from:new_to], strict=True)
        else:
            # Keys hold the name, so that a renamed pass stands in a block of its own, gone and new: what it did tells.
            unpaired = list(new[new_from:new_to])
            for run in old[old_from:old_to]:
                successor = next(
                    (
                        candidate
                        for candidate in unpaired
                        if _in_place_of(run, candidate)
                    ),
                    None,
                )
                unpaired = [
                    candidate for candidate in unpaired if candidate is not successor
                ]
                yield run, successor
            yield from ((None, run) for run in unpaired)


def _in_place_of(old: PassRun, new: PassRun) -> bool:
    """Whether a pass does under another name what a removed one did."""
    if old.row.idle or (old.row.graph, old.row.phase) != (new.row.graph, new.row.phase):
        return False
    same_graph = not (old.left and new.left) or old.left == new.left
    return same_graph and old.row.nodes == new.row.nodes and old.effect == new.effect


def _came_in(run: PassRun, runs: Sequence[PassRun]) -> int | None:
    """How many nodes a pass was given; if it did nothing, as many as the next one that did something to that graph.

    None if none did.
    """
    for later in runs[
        next(at for at, candidate in enumerate(runs) if candidate is run) :
    ]:
        if (
            later.row.graph == run.row.graph
            and later.row.phase == run.row.phase
            and later.row.nodes is not None
        ):
            return later.row.nodes.before
    return None


def pass_change(old: PassRun | None, new: PassRun | None) -> PassChanged:
    """How two runs of one pass differ; at most one of them is None, for a pass that does not run."""
    run = new or old
    assert run is not None
    rows = [None if side is None else side.row for side in (old, new)]
    before, after = map(_operators, rows)
    more, less = (
        bool((+one - +other) | (-one - -other))
        for one, other in ((after, before), (before, after))
    )
    pattern, matched = _pattern(rows[0], rows[1], more and not less)
    made, unmade, removed, kept = (
        +after - +before,
        +before - +after,
        -after - -before,
        -before - -after,
    )
    if matched is not None and matched[0] < matched[1] and _matches_alone(*rows):
        # What it takes away may be what another pattern makes as before.
        made, removed = (
            Counter(dict(sorted(both.items())))
            for both in (made + kept, removed + unmade)
        )
        unmade, kept = Counter(), Counter()
    unobserved = run.row.name == UNOBSERVED
    return PassChanged(
        run.row.phase,
        "" if unobserved else run.row.name,
        run.after if unobserved else "",
        pattern.name if pattern else "",
        matched,
        nodes=(_nodes(rows[0]), _nodes(rows[1])),
        ran=old is not None,
        runs=new is not None,
        made=counts(made),
        unmade=counts(unmade),
        removed=counts(removed),
        kept=counts(kept),
        where=_where(run.row, rows, pattern),
    )


def first_changed(
    old: Sequence[PassRun], new: Sequence[PassRun], change: PassChanged
) -> PassChanged | None:
    """The first run of the same pass that does something different according to two ledgers; None if they show none."""
    for before, after in pairs(old, new):
        if before is None or after is None or before.effect != after.effect:
            found = pass_change(before, after)
            if (found.phase, found.name, found.ran_after) == (
                change.phase,
                change.name,
                change.ran_after,
            ):
                return found
    return None


def _operators(row: PassRow | None) -> Counter[str]:
    """How many of each operator were added; negative if removed."""
    added: Counter[str] = Counter()
    for entry in () if row is None else row.operators:
        added[short(entry.operator)] += (
            entry.times if entry.sign == "+" else -entry.times
        )
    return added


def _nodes(row: PassRow | None) -> tuple[int, int] | None:
    return (
        None
        if row is None or row.nodes is None
        else (row.nodes.before, row.nodes.after)
    )


def _pattern(
    old: PassRow | None, new: PassRow | None, does_more: bool
) -> tuple[Pattern | None, tuple[int, int] | None]:
    """The pattern that matches more or less often, with how often; else the only one that matches.

    Patterns that no longer match come first: others may match in their place. does_more: whether their pass only does
    more than before, which is by one that matches more often, if one does.
    """
    before, after = (
        {} if row is None else {each.name: each for each in row.patterns}
        for row in (old, new)
    )
    differ = [
        (was, now)
        for name in sorted(
            dict.fromkeys((*before, *after)), key=lambda name: name in after
        )
        for was, now in [
            (before.get(name, Pattern(name, 0)), after.get(name, Pattern(name, 0)))
        ]
        if was.count != now.count
    ]
    more_often = [(was, now) for was, now in differ if was.count < now.count]
    for was, now in (does_more and more_often) or differ:
        return (now if now.where else was), (was.count, now.count)
    return (next(iter(after.values())) if len(after) == 1 else None), None


def _matches_alone(old: PassRow | None, new: PassRow | None) -> bool:
    """Whether one pattern matches more or less often, and all others as often."""
    before, after = (
        {} if row is None else {each.name: each.count for each in row.patterns}
        for row in (old, new)
    )
    return len(dict(before.items() ^ after.items())) == 1


def _where(
    row: PassRow, rows: list[PassRow | None], pattern: Pattern | None
) -> str | None:
    """The pattern's handler, or else the pass. The older torch's line is not that of the newer one."""
    if pattern is not None and pattern.where is not None:
        return pattern.where
    return row.where or next(
        (side.where for side in rows if side is not None and side.where), None
    )
