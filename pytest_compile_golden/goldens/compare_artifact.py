"""An artifact against its golden: the same, or a change of some kind; what a snapshot assertion needs of the two."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, wraps
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pytest_compile_golden.changes import change as changes
from pytest_compile_golden.changes.change import Severity
from pytest_compile_golden.common import disk_cache
from pytest_compile_golden.common.constants import ChangeKind
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats.format import WHOLE_LINES, TextPart, Unreadable
from pytest_compile_golden.formats.line_edits import labels
from pytest_compile_golden.formats.metrics.printed import MetricChange
from pytest_compile_golden.formats.metrics.printed import changes as metric_changes
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import (
    ABSENT,
    StoredGolden,
    same_behaviour,
)
from pytest_compile_golden.stages import Stage, is_built_in, rank, stage_of

if TYPE_CHECKING:
    from pytest_compile_golden.formats.graphs.equivalence import Pairs

T = TypeVar("T")
SAME_MACHINE_CODE = "same machine code"
SAME_BUT_HINTS = "same machine code without hints"
"""What a change in kernels may come to that the device does not see."""
_TEXTS = ("old", "new", "known")
"""What a comparison holds of both sides."""


@dataclass(eq=False)
class Compared:
    """One artifact on both sides, and how they differ.

    Only a run changes one: its severity, and whether machine code is alike, are known once the capture is compared.
    """

    stage: str
    kind: ChangeKind | Literal["same"]
    """`same`, whatever the texts look like, if nothing is to be done about a difference."""
    old: str
    """The golden's text; ABSENT if there is none."""
    new: str
    since: str | None
    """The torch that wrote the golden."""
    path: PurePosixPath
    """The golden that was used, or the one that would be written; relative to the goldens folder."""
    metrics: tuple[MetricChange, ...] = ()
    alike: str = ""
    """`same machine code`, or that without hints, if a run found that both texts compile to it."""

    locations: tuple[tuple[str, str], ...] = ()
    """The user's lines that the new text quotes, with their locations as far as known: line, `file:number`."""

    find_again: Callable[[], str] = str
    """Answers `again`: it takes as long as another comparison, and few reports ask."""

    severity: Severity = "fail"
    """What its case does about it, if it is not cosmetic."""

    known: tuple[str, str] = field(default_factory=lambda: ("", ""))
    """What is known about each text besides, as `formats.evidence` writes it."""

    accepted: bool = False
    """Whether the run makes the new side the golden."""

    @cached_property
    def again(self) -> str:
        """The torch whose behaviour the new text has again, after that of a newer one; empty if none had it."""
        return self.find_again()

    @cached_property
    def about(self) -> str:
        """What a structural change is about, at most: `fusion`, `hints`, `accounting`; empty if only lines say it."""
        if self.alike or self.kind != "structural" or ABSENT in (self.old, self.new):
            return self.alike
        edits = [edit for edit in own_edits(self) if edit.code not in WHOLE_LINES]
        topics = [edit.topic for edit in edits if edit.kind not in changes.MINOR]
        return (
            min(topics, key=changes.TOPICS.index)
            if topics
            else edits[0].kind
            if edits
            else ""
        )

    @cached_property
    def documents(self) -> tuple[Any, Any] | None:
        """Both texts as its format reads them; None if it cannot."""
        form = self.declared.format
        try:
            return form.document(self.old), form.document(self.new)
        except Unreadable:
            return None

    @cached_property
    def graph_pairs(self) -> dict[str, Pairs]:
        """Of a stage of graphs: by graph that both texts have, its nodes in pairs. Empty if there is only one text."""
        if self.documents is None or not (self.old and self.new):
            return {}
        from pytest_compile_golden.formats.graphs.equivalence import pairs

        old, new = ({graph.name: graph for graph in side} for side in self.documents)
        return {name: pairs(old[name], new[name]) for name in old.keys() & new.keys()}

    @cached_property
    def parts(self) -> tuple[Compared, ...]:
        """For a text about several stages, what becomes of each of these; else the change itself."""
        both = ABSENT not in (self.old, self.new)
        several = self.declared.format.parts(self.old, self.new) if both else ()
        # What only says that a compile has another name is a part of itself, and of no other stage.
        if any(part[2:] == (self.old, self.new) for part in several):
            several = ()
        return tuple(_part(self, part) for part in several) or (self,)

    @property
    def differs(self) -> bool:
        """Whether a golden would be another file."""
        return self.kind != "same"

    @property
    def fails(self) -> bool:
        """Whether it counts as a change."""
        return self.kind not in ("same", "cosmetic")

    @property
    def red(self) -> bool:
        """Whether it fails its case."""
        return self.fails and self.severity == "fail"

    @property
    def stem(self) -> str:
        """The name that its golden and all overlays share, without a torch version and a file type."""
        return self.path.stem.partition("@")[0]

    @property
    def file(self) -> str:
        """Its file name without a torch version."""
        return f"{self.stem}{self.path.suffix}"

    @property
    def declared(self) -> Stage:
        """The stage; a stand-in for one that is not registered here."""
        return stage_of(self.stage, self.path.suffix.removeprefix("."))


@dataclass(eq=False)
class Unread(Compared):
    """How an artifact differs, as it is known from before: its texts are read when one is first asked for."""

    read: Callable[[], Compared] = field(kw_only=True)
    """Reads the texts. Raises GoldenError if they are no longer those that were compared."""

    def __post_init__(self) -> None:
        for name in _TEXTS:
            delattr(self, name)

    def __getattr__(self, name: str) -> Any:
        # Only for what an object lacks, which is what has been taken away above.
        if name not in _TEXTS:
            raise AttributeError(name)
        setattr(self, name, getattr(self._whole, name))
        return vars(self)[name]

    @cached_property
    def _whole(self) -> Compared:
        return self.read()


def compare(
    stage: Stage, golden_path: GoldenPath, golden: StoredGolden | None, text: str
) -> Compared:
    """How `text` differs from its golden. ABSENT as `text` means that there is no such stage.

    A cosmetic difference from a golden of the target's base does not count: that golden is not refreshed for this
    target.
    """
    if golden is None:
        kind: ChangeKind | Literal["same"] = "same" if text == ABSENT else "new"
        return Compared(stage.name, kind, ABSENT, text, None, golden_path.versionless)
    kind = "structural"
    numbers: tuple[MetricChange, ...] = ()
    if golden.body == text:
        kind = "same"
    elif text == ABSENT:
        kind = "absent"
    elif same_behaviour(stage, golden.body, text):
        kind = "cosmetic" if golden.path.parent == golden_path.folder else "same"
    else:
        old, new = (stage.format.numbers(side) for side in (golden.body, text))
        if old is not None and new is not None:
            kind, numbers = "metric", metric_changes(old, new)
    return Compared(
        stage.name, kind, golden.body, text, golden.header.torch, golden.path, numbers
    )


def _part(change: Compared, part: TextPart) -> Compared:
    declared = stage_of(part.stage, change.path.suffix.removeprefix("."))
    stem = f"{part.stage}.{part.name}" if part.name else part.stage
    golden_path = GoldenPath(change.path.parent, stem, declared.extension)
    path = golden_path.versionless
    if part.stage == change.stage:  # a compile that only one side has
        return replace(change, old=part.old, new=part.new, path=path)
    golden = (
        StoredGolden(path, Header(part.stage, change.since or "0", None), part.old)
        if part.old
        else None
    )
    found = compare(declared, golden_path, golden, part.new)
    kind = "structural" if golden is None and part.new else found.kind
    return replace(
        found,
        kind=kind,
        since=change.since,
        locations=change.locations,
        severity=change.severity,
    )


def key_of(kind: str, compared: Sequence[Compared], *more: str) -> bytes | None:
    """What is kept by `remembered` about all artifacts of a case is kept by this, and by `more`: whatever else it is
    found from. None if a project's own stage is among them, as nothing says when its code changes."""
    if not all(is_built_in(change.stage) for change in compared):
        return None
    texts = list(more)
    for change in compared:
        said = (
            change.stage,
            change.file,
            change.kind,
            change.severity,
            change.since,
            change.alike,
            change.accepted,
            *((metric.name, metric.verdict) for metric in change.metrics),
            *change.locations,
        )
        texts += [repr(said), change.old, change.new, *change.known]
    return disk_cache.key(kind, *texts)


def found_once(
    find: Callable[[Sequence[Compared]], T],
) -> Callable[[Sequence[Compared]], T]:
    """The same function, which asked again about the artifacts of a case gives what it found: a case asks for its
    changes, and for its numbers. Nothing may change what it gives."""
    found = lru_cache(maxsize=1)(find)

    @wraps(find)
    def of_case(compared: Sequence[Compared]) -> T:
        return found(tuple(compared))

    return of_case


def capture_of(change: Compared) -> str:
    """Which of a test's captures it belongs to: the part of its file name after the stage."""
    return change.stem.removeprefix(change.stage)


def carry_over(
    stage: Stage, golden: str, text: str, unavailable: Collection[str]
) -> str:
    """`text` with the parts of `golden` that are named in `unavailable`: metrics, or steps of the trail.

    Parts of an artifact that this torch cannot show are not changes and must not be lost: they stay as in the golden.
    """
    return stage.format.carry_over(golden, text, unavailable) if unavailable else text


def in_pipeline_order(changes: Sequence[Compared]) -> list[Compared]:
    """`changes` in pipeline order; several of one stage stay in the order of the test."""
    return sorted(changes, key=lambda change: rank(change.stage))


def decisive(changes: Sequence[Compared]) -> list[Compared]:
    """Without what is only noted where a case fails for something else; what looks different may show why."""
    if any(change.red and change.kind != "new" for change in changes):
        return [change for change in changes if change.red or not change.fails]
    return list(changes)


def first_divergence(changes: Sequence[Compared]) -> Compared | None:
    """The change that the others follow from: the earliest in the pipeline. Numbers are summaries, and come last."""
    failing = [change for change in in_pipeline_order(changes) if change.fails]
    return next(
        (change for change in failing if change.kind != "metric"),
        failing[0] if failing else None,
    )


def change_edits(change: Compared) -> tuple[changes.Change, ...]:
    """The edits of one artifact, in a few words each."""
    declared = change.declared
    return labels(declared.format, declared.comment, change.old, change.new)


def own_edits(change: Compared) -> tuple[changes.Change, ...]:
    """Its edits that do not follow from others, notation last; there is always one."""
    own = (edit for edit in change_edits(change) if not edit.follows)
    return tuple(sorted(own, key=lambda edit: edit.is_notation))


@dataclass
class Comparison:
    """Already compared; what is left is to report it, and to write the artifact if this run accepts the change."""

    file: str
    """The artifact's file name without a torch version, which identifies the assertion."""
    compared: Compared | None = None
    """None if `error` says why nothing could be compared."""
    error: GoldenError | None = None
    damaged: bool = False
    """The golden cannot be read, and this run replaces it."""
    write: Callable[[], None] | None = None
    """Accepts the artifact; None if nothing is to be written."""

    @property
    def passes(self) -> bool:
        """Whether the artifact equals its golden in everything that counts, and the golden stays as it is."""
        return (
            self.write is None
            and self.error is None
            and (self.compared is None or not self.compared.red)
        )
