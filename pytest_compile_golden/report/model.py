"""What a report says, as plain data: made once from a run or from two recordings, shown by every format.

Each field is described where it stands; `compile-golden report schema` is made from this file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FORMAT = 2
"""Raised when a field changes its meaning or goes; a new field with a default does not raise it."""

Outcome = Literal["same", "cosmetic", "changed", "new", "missing", "error"]
StageKind = Literal["same", "cosmetic", "structural", "metric", "new", "absent", "unavailable"]
Verdict = Literal["REGRESSION", "WIN", "changed", "same"]
Value = int | float | str | bool | None


@dataclass(frozen=True)
class Side:
    """One of the two things that are compared: a goldens folder, or a run."""

    label: str
    """What a person called it: `goldens`, `2.15.0`, a path of an interpreter or a recording."""
    torch: str | None = None
    triton: str | None = None
    python: str | None = None
    platform: str | None = None
    targets: tuple[str, ...] = ()
    """Targets that cases of this side were compiled for."""
    error: str | None = None
    """Why this side could not run at all, where that is so."""
    commit: str | None = None
    """The commit of pytorch/pytorch that its torch was built from, as far as known."""


@dataclass(frozen=True)
class Divergence:
    """The earliest point of the pipeline at which a case changed."""

    text: str
    """A pass with what it did before and does now, or a stage."""
    stage: str
    """The stage to look at."""
    where: str | None = None
    """File and line in torch or in the user's code, `torch/_inductor/fx_passes/post_grad.py:1720`."""
    then: tuple[str, ...] = ()
    """The stages that changed after it."""
    also: str | None = None
    """A second one: the first lowering, or step of the scheduler, that went another way with the graph, or the
    operations, as they were. None where what changed may all follow from the first."""
    also_where: str | None = None
    """File and line of that one."""
    yours: bool = False
    """Whether it is the program, or a pass of its project, and nothing that torch does: metrics are only `changed`."""


@dataclass(frozen=True)
class StageReport:
    """One artifact of a case on both sides."""

    stage: str
    file: str
    """Its file's name: the stage, or stage and name where a case has several artifacts of one stage."""
    kind: StageKind
    """`new`: the old side has none. `absent`: the new side has none. `unavailable`: torch cannot show it."""
    depth: str = ""
    """How deep a structural change goes: `graph`, `fusion`, `kernel arithmetic`; empty where the stage does not say."""
    old: str | None = None
    """The old side's text. None where it has none, where the text is the same on both sides, or is left out."""
    new: str | None = None
    """The new side's text. None where it has none or it is left out: cases that did not change are listed without."""
    since: str | None = None
    """The torch that wrote the old text."""
    edits: tuple[str, ...] = ()
    """What changed, each in a few words; equal for artifacts that changed in one way. Empty where nothing counts."""
    reason: str | None = None
    """Why the stage is unavailable, with the name that torch lacks."""


@dataclass(frozen=True)
class Point:
    """A metric's value from one torch version on."""

    torch: str
    value: Value


@dataclass(frozen=True)
class MetricReport:
    """One number on both sides."""

    name: str
    old: Value
    """None where only the new side has it."""
    new: Value
    """None where only the old side has it."""
    verdict: Verdict
    history: tuple[Point, ...] = ()
    """The value through torch versions, oldest first, as far as known; empty where only the two sides are."""


@dataclass(frozen=True)
class LedgerRow:
    """One pass on both sides."""

    graph: str
    phase: str
    name: str
    where: str | None
    old: str | None
    """What it did, a line for nodes, each pattern and the operators; empty for nothing, None where it did not run."""
    new: str | None
    changed: bool


@dataclass(frozen=True)
class Kernel:
    """A kernel of one side with all its launches, or the calls of a library that compute the same."""

    kind: str
    """`pointwise`, `reduction`, `template`, `extern`, `pointwise + reduction` ...; empty where it is not known what the
    kernel computes."""
    name: str = ""
    """As its source is called; empty for a call of a library, and where one of several kernels may be meant."""
    computes: tuple[str, ...] = ()
    """Operators of the post-grad graph, `aten.mul.Tensor x2`."""
    launches: int | None = None
    """How often it runs in one call of the graph. None where it is not known what the kernel computes."""
    bytes: int | None = None
    """Read and written by all launches; like all costs None where the stage `cost` was not recorded."""
    flops: int | None = None
    """None where nobody knows the number, too."""
    least_ns: int | None = None
    """What the target needs at least for all launches, nanoseconds."""


@dataclass(frozen=True)
class KernelRow:
    """One kernel on both sides."""

    graph: str
    old: Kernel | None
    """None where no kernel of the old side is this one."""
    new: Kernel | None
    """None where no kernel of the new side is this one."""
    changed: bool
    """Whether it does something else, or how; another name alone is none."""
    why: tuple[str, ...] = ()
    """What it was merged into or split off, and the scheduler's reason for each pair that only one side kept apart."""


@dataclass(frozen=True)
class DistinctChange:
    """One change of torch or of the program, which several cases may have."""

    stage: str
    """Where it shows first."""
    text: str
    """In a few words."""
    key: str
    """Equal for the same change in another case."""
    topic: str
    """What it is about: `fusion`, `guards`, `hints` ..."""
    where: str | None = None
    """File and line in torch or of the user, as far as known."""


@dataclass(frozen=True)
class CaseReport:
    """A test on a target, on both sides."""

    nodeid: str
    """pytest's id of the test, which names the target too: no two cases share it."""
    target: str
    outcome: Outcome
    """`new`: the old side lacks it, or a stage of it. `missing`: the new side lacks it. `error`: a side failed."""
    stages: tuple[StageReport, ...] = ()
    """In pipeline order."""
    divergence: Divergence | None = None
    """None where nothing changed but for looks and new goldens."""
    changes: tuple[DistinctChange, ...] = ()
    """What it changed by; the first is where it changed first."""
    besides: tuple[DistinctChange, ...] = ()
    """What may follow from those, and is a change of this case too where other cases have it by itself."""
    metrics: tuple[MetricReport, ...] = ()
    ledger: tuple[LedgerRow, ...] = ()
    """Every pass of the case, in the order of the run; only where the case changed."""
    kernels: tuple[KernelRow, ...] = ()
    """Every kernel and call of a library, in the order in which they first run; only where the case changed."""
    reproduce: str | None = None
    """The command that runs this case again."""
    accept: str | None = None
    """The command that makes the new side the golden."""
    error: str | None = None
    """What failed where the outcome is `error`, and on which side."""
    seconds: float | None = None
    """How long the new side took."""
    moved_from: str | None = None
    """The folder of goldens, of a case that is gone, that this case without goldens looks like."""
    move: str | None = None
    """The command that makes them this case's."""


@dataclass(frozen=True)
class CaseGroup:
    """Cases with one distinct change, or that failed with one error."""

    outcome: Outcome
    """`changed`, `error`, `new` or `missing`."""
    text: str
    """What changed, in a few words, or the error's first line."""
    stage: str = ""
    """Where it shows first."""
    where: str | None = None
    """File and line of what made it."""
    topic: str = ""
    """What it is about: `fusion`, `guards`, `hints` ..."""
    edits: tuple[str, ...] = ()
    """What else these cases, and no others, changed by: nothing tells it apart."""
    keys: tuple[str, ...] = ()
    """Of all of these changes."""
    consequence: str = ""
    """What it costs or saves, by metrics that have a better direction; empty where it is neutral."""
    worse: bool = False
    """Whether any of these metrics is worse."""
    same_machine_code: bool = False
    """Whether in each of its cases the GPU is given the instructions that it was given before, as far as known."""
    goes_away_with: tuple[str, ...] = ()
    """Old defaults of torch's, `inductor.triton.nested_reduction=False`: put back all together, they leave nothing of
    it. Empty where none does, or none was tried."""
    members: tuple[str, ...] = ()
    """The cases' nodeids."""


@dataclass(frozen=True)
class TorchFunction:
    """A function of torch's that changes are blamed on, in both torchs."""

    function: str
    """The one that was blamed, or else the first that it calls and that differs in another torch."""
    where: str
    """Its file and line in the newer torch, or in the older one where it is `gone`."""
    keys: tuple[str, ...] = ()
    """Of the distinct changes that are blamed on it."""
    through: tuple[str, ...] = ()
    """The calls that lead to it, from the function that was blamed."""
    diff: tuple[str, ...] = ()
    """Its lines before and after as a diff, shortened. Empty where it, and all that it calls, is as it was: then the
    cause lies before it."""
    gone: bool = False
    """Whether the newer torch has no such function."""
    commits: tuple[str, ...] | None = None
    """`0f1e2d3c4b Title (#1234)` for each that touched it, newest first; None where no repository was asked."""


@dataclass(frozen=True)
class ConfigDefault:
    """A default of torch's configuration that differs between the two torchs."""

    name: str
    """`inductor.triton.cooperative_reductions`."""
    old: str | None
    """As Python writes it; None of a switch that only the newer torch has."""
    new: str

    @property
    def put_back(self) -> str:
        """The setting with which the newer torch is as the older one; a new switch is off then."""
        return f"{self.name}={'False' if self.old is None else self.old}"


@dataclass(frozen=True)
class Report:
    """Everything that was compared."""

    title: str
    old: Side
    new: Side
    cases: tuple[CaseReport, ...]
    groups: tuple[CaseGroup, ...] = ()
    """Those that matter most first."""
    shards: tuple[str, ...] = ()
    """The parts of the suite that are in here, `2/4`; empty for a run of the whole."""
    notes: tuple[str, ...] = ()
    """What else the reader should know, a sentence each."""
    functions: tuple[TorchFunction, ...] = ()
    """What torch's authors changed of the functions that are blamed, where both torchs' sources were read."""
    defaults: tuple[ConfigDefault, ...] = ()
    """The defaults that differ, where sources were read and some change is of torch's."""
    format: int = FORMAT
    """The format of this file; a reader refuses one that it does not know."""

    def count(self, outcome: Outcome) -> int:
        """How many cases came out so."""
        return sum(case.outcome == outcome for case in self.cases)

    @property
    def missing_shards(self) -> tuple[str, ...]:
        """The shards that should be here and are not."""
        totals = {shard.partition("/")[2] for shard in self.shards}
        every = [f"{number}/{total}" for total in sorted(totals) for number in range(1, int(total) + 1)]
        return tuple(shard for shard in every if shard not in self.shards)

    @property
    def differs(self) -> bool:
        """Whether anything needs a look: a case that is not as before, a side or a shard that is not here."""
        bad = any(case.outcome not in ("same", "cosmetic") for case in self.cases)
        return bad or bool(self.old.error or self.new.error or self.missing_shards)
