"""What differs between the goldens of two versions and no change that a report tells covers:
`python -m benchmarks.untold [OLD NEW] [--examples N]`.

For each two adjacent versions with goldens, or for two recordings: of every case that differs, the parts of its graphs
that do, the edits of its schedules, of each kernel of groups that do the same as before, and of every other text;
without those that its own changes are about, or that may follow from them. They are counted by kind, the most frequent
first. What is left is told by nothing, or proves that a rule is missing here. It compiles nothing, and needs no torch.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.price import VERSIONS
from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import AttributeChanged, Exchanged
from pytest_compile_golden.changes.graphs import PassChanged
from pytest_compile_golden.changes.kernels import ValueChanged
from pytest_compile_golden.changes.schedules import OperationsMoved
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.constants import KERNEL_STAGES
from pytest_compile_golden.common.garbage_collection import gc_paused
from pytest_compile_golden.formats.graphs import GraphFormat
from pytest_compile_golden.formats.graphs.equivalence import Pairs, independent
from pytest_compile_golden.formats.graphs.printed import PrintedNode
from pytest_compile_golden.formats.pass_log import compare as ledger
from pytest_compile_golden.goldens import kernel_changes
from pytest_compile_golden.goldens.case_changes import (
    CaseChanges,
    case_changes,
    told_calls,
)
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    change_edits,
)
from pytest_compile_golden.goldens.consequences import base, schedule_edits, subjects
from pytest_compile_golden.goldens.distinct_change import DistinctChange
from pytest_compile_golden.goldens.first_divergence import cause, passes_of
from pytest_compile_golden.goldens.pass_changes import changed_passes
from pytest_compile_golden.goldens.same_nodes import differing_nodes, of_same_nodes
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.recordings import compare_cases, recording
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report.case_report import with_what_is_known
from pytest_compile_golden.stages import rank

_LAUNCHING = frozenset(
    {
        "copy_if_misaligned",
        "empty_strided_cpu",
        "empty_strided_cuda",
        "get_raw_stream",
        "run",
        "stream",
    }
)
"""What wrapper code calls around kernels, which follows from what these are made of."""
_NEEDED_BY_LIBRARIES = frozenset({"constant_pad_nd", "expand", "slice"})
"""What a mask goes through before a library for attention takes it (torch/_meta_registrations.py)."""
_TOKENS = frozenset({"_make_token", "_sink_tokens", "with_effects"})
"""What keeps a call in its place that has effects, which is told by its name."""
_CASTS = frozenset({"_to_copy", "convert_element_type"})
"""What a cast is before it is decomposed, and after."""
_CONSTANT = frozenset({"arange", "full", "iota", "lift_fresh_copy", "scalar_tensor"})
"""What a value that is the same each time comes from."""
_CAST = re.compile(r"\.to\(tl\.\w+\)")
_ORDERED = ("calls-ordered", "ordered-after", "ordered-before")
_OF_ALL = ("cost", "trail", "passes", "metrics")
"""Stages that say of others what they show themselves."""


@dataclass(frozen=True)
class Untold:
    """A difference that no change of its case covers."""

    kind: str
    """The stage, with the code of the edit if there is one."""
    case: str
    words: str


def untold(old: Recording, new: Recording) -> list[Untold]:
    """Those of every case that both sides have."""
    before, after = ({case.folder: case for case in side.cases} for side in (old, new))
    aside = compare_cases.not_in_both(old.run, new.run)
    found: dict[str, tuple[list[Compared], CaseChanges]] = {}
    for folder in sorted(before.keys() & after.keys()):
        sides = before[folder], after[folder]
        pairs = compare_cases.compared(*sides, old.run.torch, aside)
        compared = [part for artifact in pairs for part in artifact.parts]
        known = with_what_is_known(compared)
        if any(change.fails for change in known):
            first = cause([one for one in known if one.kind != "new"])
            same = [one for one in compared if not one.differs]
            changes = case_changes([*known, *same], first)
            found[str(folder).removeprefix("cases/")] = compared, changes
    # What may follow counts for a case, too, if another one has it on its own.
    every = {change.key for _, changes in found.values() for change in changes.own}
    return [
        Untold(kind, name, words)
        for name, (compared, changes) in found.items()
        for told in [
            [
                *changes.own,
                *(change for change in changes.secondary if change.key in every),
            ]
        ]
        for kind, words in left(compared, told)
    ]


def left(
    compared: Sequence[Compared], own: Sequence[DistinctChange]
) -> Iterator[tuple[str, str]]:
    """The kind, and words for, what differs in a case and none of its changes covers.

    compared: also what is the same on both sides.
    """
    told = {change.what.key for change in own}
    about = {
        name
        for change in own
        for name in (*subjects(change.what), *map(base, change.what.touches))
    }
    about |= {f"{name}_" for name in about}
    if any(change.code == "attention-backend" for change in own):
        about |= {
            f"_scaled_dot_product_{library}_attention{backward}"
            for library in ("cudnn", "efficient", "flash", "fused", "math")
            for backward in ("", "_backward")
        } | _NEEDED_BY_LIBRARIES
    if about:
        about |= _TOKENS
    if not about.isdisjoint(_CASTS):
        about |= _CASTS
    if any(change.code in _ORDERED for change in own):
        about |= {"control_deps", *_passed_on(compared)}
    for each in own:
        if isinstance(each.what, PassChanged):
            about |= set(_operators_of_pass(each.what, compared))
    calls = told_calls(own)
    if any(rank(change.stage) < rank("codegen") for change in own):
        calls |= _LAUNCHING
    moved = any(isinstance(change.what, OperationsMoved) for change in own)
    differing = set[str]()
    for change in compared:
        if not change.fails or not isinstance(change.declared.format, GraphFormat):
            continue
        if any(edit.code == "same-graph" for edit in change_edits(change)):
            continue
        for pairs in change.graph_pairs.values():
            alone = _alone(pairs)
            for operators in _parts(pairs):
                differing |= operators
                beside = not operators.isdisjoint(about)
                not_named = (operators & alone if beside else operators) - about
                if not_named - _CONSTANT:
                    kind = f"{change.stage}{' (beside what is told)' * beside}"
                    yield kind, " + ".join(sorted(not_named))
                # Later graphs are made of this one.
                about |= operators
    for edits in schedule_edits(compared).values():
        for edit in _not_told(edits, told):
            names = {*subjects(edit), *map(base, edit.touches)}
            if names.isdisjoint(about | differing):
                yield f"scheduler_nodes {edit.code}", sentence(edit)
    for change in compared:
        if change.kind != "structural" or isinstance(
            change.declared.format, GraphFormat
        ):
            continue
        if change.stage in KERNEL_STAGES:
            for edit in _of_kernels(change, compared, told, about):
                yield f"{change.stage} {edit.code}", sentence(edit)
        elif change.stage not in (*_OF_ALL, "scheduler_nodes"):
            for edit in _not_told(change_edits(change), told):
                # What runs while something is sent follows from the order.
                if not (
                    (isinstance(edit, Exchanged) and _called(edit) <= calls)
                    or (isinstance(edit, ValueChanged) and subjects(edit) <= calls)
                    or (moved and change.stage == "collectives")
                ):
                    yield f"{change.stage} {edit.code}", sentence(edit)


def _operators_of_pass(
    told: PassChanged, compared: Sequence[Compared]
) -> Iterator[str]:
    """What a pass does something to: all of it, if it only does so more or less often."""
    for made, operators in changed_passes(compared):
        if (made.phase, made.name) == (told.phase, told.name):
            yield from operators
    for change in compared if told.matched and not told.names[2:] else ():
        for pair in (
            ledger.pairs(*passes_of(change)) if change.stage == "passes" else ()
        ):
            for run in filter(None, pair):
                if (run.row.phase, run.row.name) == (told.phase, told.name):
                    yield from (base(each.operator) for each in run.row.operators)


def _passed_on(compared: Sequence[Compared]) -> Iterator[str]:
    """What is given values that a call which is kept in its place hands on."""
    for change in compared:
        if not isinstance(change.declared.format, GraphFormat):
            continue
        for pairs in change.graph_pairs.values():
            for makers in pairs.makers:
                for node in makers.values():
                    of = [makers[name] for name in node.reads if name in makers]
                    handed = [makers.get(one.reads[0]) for one in of if one.is_element]
                    if any(
                        one and base(one.target) == "control_deps" for one in handed
                    ):
                        yield base(node.target)


def _called(edit: Exchanged) -> set[str]:
    return {name for name, _ in (*edit.gone, *edit.come)}


def _parts(pairs: Pairs) -> Iterator[set[str]]:
    """The operators of each part of a graph that has to do with no other part that differs."""
    targets = {
        makers[name].target
        for makers, names in zip(pairs.makers, pairs.differ, strict=True)
        for name in names
        if name in makers and makers[name].target
    }
    for part in independent([pairs], targets):
        yield set(map(base, part))


def _alone(pairs: Pairs) -> set[str]:
    """The operators of nodes without a counterpart, or with one that is called or typed otherwise."""
    alike = [
        {side[which].name for side in pairs.nodes if _said(side[0]) == _said(side[1])}
        for which in (0, 1)
    ]
    return {
        base(makers[name].target)
        for makers, names, same in zip(pairs.makers, pairs.differ, alike, strict=True)
        for name in names - same
        if name in makers and makers[name].target
    }


def _said(node: PrintedNode) -> tuple[str, str]:
    return node.type, node.text


def _of_kernels(
    change: Compared, compared: Sequence[Compared], told: set[str], about: set[str]
) -> Iterator[Change]:
    """The edits of each kernel of groups that do the same, of nodes that are the same; those that follow from others as
    well, if none is told."""
    nodes = differing_nodes(compared)
    for graph, several in kernel_changes.named_pairs(change, compared).items():
        for old, new in several:
            if old.work == new.work and (
                graph not in nodes or of_same_nodes((old, new), nodes[graph])
            ):
                edits = kernel_changes.edits_of_kernels(change, graph, [(old, new)])
                covered = any(edit.key in told for edit in edits if not edit.follows)
                for edit in edits:
                    if (
                        edit.key not in told
                        and not (covered and edit.follows)
                        and not _of_told(edit, about)
                    ):
                        yield edit


def _of_told(edit: Change, about: set[str]) -> bool:
    """Whether an edit of a kernel says again what is told: an option of its template, or a cast of its loop body."""
    if isinstance(edit, AttributeChanged):
        return any(f"'{name}'" in edit.name for name in about)
    return (
        isinstance(edit, ValueChanged)
        and "to_dtype" in about
        and _CAST.sub("", edit.before) == _CAST.sub("", edit.after)
    )


def _not_told(edits: Sequence[Change], told: set[str]) -> Iterator[Change]:
    for edit in edits:
        if edit.key not in told and not edit.follows:
            yield edit


def _print(found: Sequence[Untold], examples: int) -> None:
    kinds: dict[str, list[Untold]] = {}
    for each in found:
        kinds.setdefault(each.kind, []).append(each)
    cases = len({each.case for each in found})
    print(f"{len(found)} differences in {cases} cases")
    for kind, several in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"{len(several):5} in {len({one.case for one in several}):3}  {kind}")
        for one in several[:: max(1, len(several) // max(examples, 1))][:examples]:
            print(f"{'':16}{one.case}: {one.words}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.untold", description=__doc__
    )
    parser.add_argument("sides", nargs="*", help="two versions, or two recordings")
    parser.add_argument("--examples", type=int, default=3)
    given = parser.parse_args()
    project = find_project(Path(__file__).parent)
    goldens = Goldens(project.goldens, project.bases)
    moves = [tuple(given.sides)] if given.sides else list(pairwise(VERSIONS))
    with gc_paused():
        for move in moves:
            old, new = (
                recording.read(Path(side))
                if recording.is_recording(Path(side))
                else goldens.recording(side)
                for side in move
            )
            print(" -> ".join(move))
            _print(untold(old, new), given.examples)


if __name__ == "__main__":
    main()
