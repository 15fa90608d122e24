"""A report as plain data: built once from a run or from two recordings, rendered by every format.

Each field is documented below it; `compile-golden report schema` is generated from this file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from pytest_compile_golden.api.compat_check.reading import Reading
from pytest_compile_golden.goldens.ranking import (
    COUNTED_OTHERWISE,
    UNEXPLAINED,
    CaseVerdict,
    case_verdict,
)
from pytest_compile_golden.messages.sentences import only_an_example

FORMAT = 8
"""Incremented when a field is removed or changes its meaning; a new field with a default does not increment it."""

Outcome = Literal[
    "same",
    "unchecked",
    "cosmetic",
    "noted",
    "changed",
    "new",
    "missing",
    "error",
    "failing",
    "fixed",
]
StageKind = Literal[
    "same", "cosmetic", "structural", "metric", "new", "absent", "unavailable"
]
Verdict = Literal["REGRESSION", "WIN", "small", "changed", "same"]
Value = int | float | str | bool | None


@dataclass(frozen=True)
class Side:
    """One of the two sides that are compared: a goldens folder, or a run."""

    label: str
    """What the user called it: `goldens`, `2.15.0`, the path of an interpreter or of a recording."""
    torch: str | None = None
    triton: str | None = None
    python: str | None = None
    platform: str | None = None
    targets: tuple[str, ...] = ()
    """Targets that this side's cases were compiled for."""
    error: str | None = None
    """Why this side could not run, or is not complete."""
    commit: str | None = None
    """The pytorch/pytorch commit that its torch was built from, if known."""


@dataclass(frozen=True)
class FirstDivergence:
    """The earliest point in the pipeline at which a case changed."""

    text: str
    """A pass and what it did before and does now, or a stage."""
    stage: str
    """The stage to look at."""
    where: str | None = None
    """File and line in torch or in the user's code, `torch/_inductor/fx_passes/post_grad.py:1720`; `...:1720@2.14.1` is
    a line of another torch version than the new side's."""
    then: tuple[str, ...] = ()
    """The stages that changed after it."""
    also: str | None = None
    """A second, independent divergence: the first lowering or scheduler step that took a different path although the
    graph, or the operations, had not changed. None if every change may follow from the first divergence."""
    also_where: str | None = None
    """File and line of the second divergence."""
    yours: bool = False
    """Whether the cause is the program, or a pass of its project, and not torch: metrics are then only `changed`."""


@dataclass(frozen=True)
class StageReport:
    """One artifact of a case on both sides."""

    stage: str
    file: str
    """Its file name: the stage, or the stage and a name if the case has several artifacts of one stage."""
    kind: StageKind
    """`new`: the old side has none. `absent`: the new side has none. `unavailable`: torch cannot show it."""
    about: str = ""
    """What a structural change is about, at most: `operators`, `fusion`, `hints`; empty if its edits do not say."""
    old: str | None = None
    """The old side's text. None if there is none, if it is the same on both sides, or if it is left out."""
    new: str | None = None
    """The new side's text. None if there is none or it is left out: unchanged cases are listed without texts."""
    since: str | None = None
    """The torch version that wrote the old text, or that of the old side if it alone cannot show the stage."""
    again: str = ""
    """The torch version before that whose behaviour the new side has again; empty if none is known."""
    edits: tuple[str, ...] = ()
    """What changed, a few words per edit; equal for artifacts that changed in the same way. Empty if no edit counts."""
    reason: str | None = None
    """Why the stage is unavailable, including the name that torch lacks."""
    old_evidence: str = ""
    """What is known about the old side's text besides, one fact a line, for machines; empty if nothing is."""
    new_evidence: str = ""
    """The same about the new side's text."""


@dataclass(frozen=True)
class Point:
    """A metric's value from one torch version onwards."""

    torch: str
    value: Value


@dataclass(frozen=True)
class Part:
    """By how much one change moves a metric."""

    change: str
    """The key of the change; `unexplained` for what none of the case's changes explains, and `counted otherwise` for
    what torch counts differently although the same runs."""
    amount: float
    """The new value less the old one, as far as it is the change's."""
    guessed: bool = False
    """Whether nothing connects the two but that there is no other change."""


@dataclass(frozen=True)
class MetricReport:
    """One metric on both sides."""

    name: str
    old: Value
    """None if only the new side has it."""
    new: Value
    """None if only the old side has it."""
    verdict: Verdict
    """`small`: a measured number that moves by less than a percent. `changed`: it has no better side."""
    history: tuple[Point, ...] = ()
    """The value across torch versions, oldest first, as far as known; empty if only the two sides are known."""
    parts: tuple[Part, ...] = ()
    """What moves it, if it differs: together as much as it moves."""


@dataclass(frozen=True)
class LedgerRow:
    """One pass on both sides."""

    graph: str
    phase: str
    name: str
    where: str | None
    old: str | None
    """What it did: one line each for the nodes, every pattern and the operators. Empty if nothing, None if it did not
    run."""
    new: str | None
    changed: bool


@dataclass(frozen=True)
class ReportedKernel:
    """A kernel on one side with all its launches, or the library calls that compute the same thing."""

    kind: str
    """`pointwise`, `reduction`, `template`, `extern`, `pointwise + reduction` ...; empty if it is not known what the
    kernel computes."""
    name: str = ""
    """Its name in the source; empty for a library call, or if it could be any of several kernels."""
    computes: tuple[str, ...] = ()
    """Operators of the post-grad graph, for example `aten.mul.Tensor x2`."""
    launches: int | None = None
    """How often it runs in one call of the graph. None if it is not known what the kernel computes."""
    bytes: int | None = None
    """Bytes read and written by all launches. Like all costs, None if the stage `cost` was not recorded."""
    flops: int | None = None
    """Also None if the number is unknown."""
    least_ns: int | None = None
    """The least time the target needs for all launches, in nanoseconds."""


@dataclass(frozen=True)
class KernelRow:
    """One kernel on both sides."""

    graph: str
    old: ReportedKernel | None
    """None if the old side has no such kernel."""
    new: ReportedKernel | None
    """None if the new side has no such kernel."""
    changed: bool
    """Whether what it does, or how it does it, changed; a different name alone is not a change."""
    why: tuple[str, ...] = ()
    """What it was merged into or split off from, and the scheduler's reason for each pair that only one side kept
    apart."""


@dataclass(frozen=True)
class ReportedChange:
    """One change in torch or in the program, which several cases may share."""

    stage: str
    """The stage in which it first shows."""
    text: str
    """A description in a few words."""
    key: str
    """Equal for the same change in another case."""
    topic: str
    """What it is about: `fusion`, `guards`, `hints` ..."""
    where: str | None = None
    """File and line in torch or in the user's code, if known."""
    defined: str | None = None
    """File and line in torch of the step that shows it, of which nothing says that it changed."""
    code: str = ""
    """The code of its type, as `compile-golden changes` lists them: `fusion-lost`, `hints-changed` ..."""
    kind: str = "code"
    """What such a change is: `decision`, `code`, `hint`, `accounting` or `spelling`."""
    example: str = ""
    """The description of several cases that have it in different ways, with this one as an example; empty if it is
    `text` and says no more than that this is an example."""
    names: tuple[str, ...] = ()
    """The functions and operators that it is about."""
    apart: bool = False
    """Whether it cannot follow from what changed before it in its case."""

    @property
    def wording(self) -> str:
        """Its sentence, as of every change that is grouped."""
        return self.text

    def as_example(self) -> ReportedChange:
        """The same, described as an example."""
        words = self.example or only_an_example(self.text)
        return replace(self, text=words, example=words)


@dataclass(frozen=True)
class CaseReport:
    """A test on a target, on both sides."""

    nodeid: str
    """pytest's node ID of the test, which includes the target: it is unique to the case."""
    target: str
    outcome: Outcome
    """`unchecked`: it passed, and compared nothing with a golden. `new`: the old side lacks the case, or one of its
    stages. `missing`: the new side lacks it. `noted`: it passes
    with changes that do not fail it. `error`: it fails now. `failing`: it failed before too. `fixed`: it failed
    before."""
    stages: tuple[StageReport, ...] = ()
    """In pipeline order."""
    divergence: FirstDivergence | None = None
    """None if there are only cosmetic differences and new goldens, or none at all."""
    changes: tuple[ReportedChange, ...] = ()
    """The case's own changes; the first is where it changed first."""
    secondary: tuple[ReportedChange, ...] = ()
    """Changes that may follow from those. They count as changes of this case too if other cases have them on their
    own."""
    metrics: tuple[MetricReport, ...] = ()
    verdict: CaseVerdict = ""
    """What its numbers come to, of a case that is `changed` or `noted`: `mixed` if some got better and others worse,
    `small` if none moved by a percent. It follows from `metrics`."""
    why: str = ""
    """Why its numbers are neither a regression nor a win, as far as known."""
    uncoalesced: tuple[str, ...] = ()
    """The accesses of a fused kernel that were not coalesced and are now, if that is why."""
    ledger: tuple[LedgerRow, ...] = ()
    """Every pass of the case, in execution order; only if the case changed."""
    kernels: tuple[KernelRow, ...] = ()
    """Every kernel and library call, in the order in which they first run; only if the case changed."""
    reproduce: str | None = None
    """The command that runs this case again."""
    accept: str | None = None
    """The command that makes the new side the golden."""
    error: str | None = None
    """What failed, and on which side, if the outcome is `error`, `failing` or `fixed`."""
    raised_in: str = ""
    """The line of torch, Triton or this package that raised that error; empty if a line of the project's did, and for
    failed assertions and missing packages."""
    wrong: Literal["", "old", "new"] = ""
    """The side that computes something else than eager, if that is why it failed and the other one did not."""
    seconds: float | None = None
    """How long the new side took."""
    moved_from: str | None = None
    """For a case without goldens: the goldens folder of a deleted case that it looks like."""
    move: str | None = None
    """The command that moves those goldens to this case."""

    def __post_init__(self) -> None:
        verdict = (
            case_verdict(self.metrics) if self.outcome in ("changed", "noted") else ""
        )
        object.__setattr__(self, "verdict", verdict)

    @property
    def is_change(self) -> bool:
        """Whether its artifacts tell why it is not as before: of cases that failed, those do whose result is wrong."""
        return self.outcome == "changed" or bool(self.wrong and self.changes)

    @property
    def as_before(self) -> bool:
        """Whether nothing counts as a change; a case that fails on both sides may still fail with another error."""
        return self.outcome in ("same", "unchecked", "cosmetic") or (
            self.outcome == "failing" and not self.changes
        )


@dataclass(frozen=True)
class ProvedCause:
    """One definition that differs between two versions and that makes a change, or a part of it."""

    kind: str
    """`function`, `constant`, `setting`, `template`, `call` (at the top level of a file, of the older version only) or
    `added` (a function of the newer version only)."""
    name: str
    file: str
    where: str
    """File and line in the newer version."""
    diff: tuple[str, ...]
    """The definition before and after, without docstrings and asserts; only the lines that matter."""
    link: str | None = None
    """The definition in the newer version's repository."""
    compared: str | None = None
    """A link that compares both versions' commits."""
    explains: int = 0
    """Of several causes: how many lines of the stage are as before without this one alone."""
    commits: tuple[str, ...] | None = None
    """Those between both versions that touched it, newest first; None if they were not asked for."""


@dataclass(frozen=True)
class Proof:
    """What was found out about the first stage of a case that still differed."""

    nodeid: str
    stage: str
    """The first stage that differs."""
    causes: tuple[ProvedCause, ...]
    """Without these together, that much of the change goes away; empty if nothing was found."""
    lines: int
    """How many lines of the stage differ."""
    left: int
    """How many still do without the causes."""
    tries: int
    seconds: float
    gone: tuple[str, ...] = ()
    """All stages that are as before without the causes."""
    why_not: str = ""
    """For a change that was not proved: what was tried."""
    refuted: tuple[str, ...] = ()
    """Functions of torch that a report would name, which were undone without any effect: file and name."""
    cases: tuple[str, ...] = ()
    """Other cases of the same change in which the causes were undone, with the same result."""
    not_in: tuple[str, ...] = ()
    """Other cases of the same change in which that did not explain it."""
    turned: bool = False
    """Whether it was found the other way round: the newer definitions make the change in the older version."""
    agrees: bool | None = None
    """Whether they do that too; None if it was not tried, or if they do not run there."""
    moves: tuple[tuple[str, float], ...] | None = None
    """By how much the causes move the metrics of the case in which they were found, by name, as far as they do; None if
    that is not known."""

    @property
    def proved(self) -> bool:
        """Whether a cause was found."""
        return bool(self.causes)


@dataclass(frozen=True)
class CaseGroup:
    """Cases that share a distinct change, or that failed with the same error."""

    outcome: Outcome
    """`changed`, `error`, `failing`, `fixed`, `new` or `missing`."""
    text: str
    """What changed, in a few words, or the first line of the error."""
    stage: str = ""
    """The stage in which it first shows."""
    where: str | None = None
    """File and line of its cause."""
    defined: str | None = None
    """File and line in torch of the step that shows it, of which nothing says that it changed."""
    topic: str = ""
    """What it is about: `fusion`, `guards`, `hints` ..."""
    code: str = ""
    """The code of its type of change."""
    kind: str = "code"
    """What such a change is: `decision`, `code`, `hint`, `accounting` or `spelling`."""
    names: tuple[str, ...] = ()
    """The functions and operators that it is about."""
    edits: tuple[str, ...] = ()
    """Other changes that exactly these cases have, and that cannot be told apart from this one."""
    keys: tuple[str, ...] = ()
    """The keys of all these changes."""
    consequence: str = ""
    """What it costs or saves, in metrics that have a better direction; empty if it is neutral."""
    worse: bool = False
    """Whether any of these metrics got worse."""
    verdict: CaseVerdict = ""
    """What they come to: see `CaseReport`."""
    why: str = ""
    """Why that is neither a regression nor a win, if the same is known of all its cases."""
    same_machine_code: bool = False
    """Whether the GPU is given the same instructions as before in each of its cases, as far as known."""
    proof: Proof | None = None
    """What undoing definitions of the newer torch showed about one of its cases; None if nothing was tried. If the
    cause is proved, `where` is that of the proved definition, or of the first of several; else of the step that shows
    it."""
    members: tuple[str, ...] = ()
    """The cases' node IDs."""
    program: str = ""
    """The smallest program that was found to show it, as a script; empty if none was looked for, or found."""

    @property
    def is_change(self) -> bool:
        """Whether it is a change of what is compiled, and not that cases failed, are new or are missing, or a cost that
        no change explains, or that is none."""
        return not self.is_of_no_change and (
            self.outcome == "changed" or (self.outcome != "noted" and bool(self.stage))
        )

    @property
    def is_of_no_change(self) -> bool:
        """Whether it is numbers that none of its cases' changes moves: unexplained costs, or what torch counts
        otherwise."""
        return self.is_unexplained or self.keys == (COUNTED_OTHERWISE,)

    @property
    def is_unexplained(self) -> bool:
        """Whether it is what no change explains of its cases' costs."""
        return self.keys == (UNEXPLAINED,)


@dataclass(frozen=True)
class TorchFunction:
    """A torch function that changes are blamed on, in both torch installations."""

    function: str
    """The function that was blamed, or else the first function it calls that differs between the two."""
    where: str
    """Its file and line in the newer torch version, or in the older one if it is `gone`."""
    keys: tuple[str, ...] = ()
    """The keys of the distinct changes that are blamed on it."""
    through: tuple[str, ...] = ()
    """The calls that lead to it, starting from the function that was blamed."""
    diff: tuple[str, ...] = ()
    """Its lines before and after as a diff, shortened. Empty if neither it nor anything it calls changed: then the
    cause comes before it."""
    gone: bool = False
    """Whether the newer torch version no longer has the function."""
    also: tuple[str, ...] = ()
    """The others that changed, of the function that was blamed and what it calls."""
    commits: tuple[str, ...] | None = None
    """`0f1e2d3c4b Title (#1234)` for each commit that touched it, newest first; None if no repository was read."""


@dataclass(frozen=True)
class ConfigDefault:
    """A default in torch's configuration that differs between the two installations."""

    name: str
    """`inductor.triton.cooperative_reductions`."""
    old: str | None
    """As Python writes it; None for a switch that only the newer torch version has."""
    new: str
    read_by: str = ""
    """The first function blamed that reads it, itself or in what it calls; empty if none does."""

    @property
    def put_back(self) -> str:
        """The setting that makes the newer torch version behave like the older one; a new switch is turned off."""
        return f"{self.name}={'False' if self.old is None else self.old}"


@dataclass(frozen=True)
class Report:
    """Everything that was compared."""

    title: str
    old: Side
    new: Side
    cases: tuple[CaseReport, ...]
    groups: tuple[CaseGroup, ...] = ()
    """Most important first."""
    shards: tuple[str, ...] = ()
    """The shards of the suite that the report covers, for example `2/4`; empty for a run of the whole suite."""
    skipped: tuple[str, ...] = ()
    """The node IDs of the cases that were skipped, and are therefore not among `cases`."""
    notes: tuple[str, ...] = ()
    """Anything else the reader should know, one sentence each."""
    functions: tuple[TorchFunction, ...] = ()
    """What torch's authors changed in the blamed functions, if the sources of both installations were read."""
    defaults: tuple[ConfigDefault, ...] = ()
    """The defaults that differ, if the sources were read and some change is blamed on torch."""
    reading: Reading | None = None
    """How far the newer torch version can be read, according to tiny programs; None if they were not tried."""
    format: int = FORMAT
    """The format of this file; a reader refuses a format it does not know."""

    def count(self, outcome: Outcome) -> int:
        """The number of cases with this outcome."""
        return sum(case.outcome == outcome for case in self.cases)

    @property
    def missing_shards(self) -> tuple[str, ...]:
        """The shards that the report should cover but does not."""
        totals = {shard.partition("/")[2] for shard in self.shards}
        every = [
            f"{number}/{total}"
            for total in sorted(totals)
            for number in range(1, int(total) + 1)
        ]
        return tuple(shard for shard in every if shard not in self.shards)

    @property
    def differs(self) -> bool:
        """Whether anything needs a look: a case that is not as before, a side that failed, a missing shard, or a torch
        that cannot be read."""
        bad = any(not case.as_before for case in self.cases)
        unread = self.reading is not None and self.reading.unread
        return bad or bool(
            self.old.error or self.new.error or self.missing_shards or unread
        )
