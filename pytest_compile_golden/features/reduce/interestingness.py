"""What a program must show to be kept: a change between two torch versions, a failure, a wrong result, and others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pytest_compile_golden.common.regular_expressions import without_numbers
from pytest_compile_golden.errors import UnknownName
from pytest_compile_golden.features.reduce.reduce_protocol import TriedProgram
from pytest_compile_golden.recordings.recording import (
    RecordedCase,
    Recording,
    read_elsewhere,
)
from pytest_compile_golden.report import compare_recordings
from pytest_compile_golden.report.model import CaseGroup, CaseReport, ReportedChange
from pytest_compile_golden.stages import get_stage

KINDS = "change, change:TEXT, failure, wrong, match:PASS, metric:NAME"


@dataclass(frozen=True)
class Keep:
    """What a program must still show, as it is asked for."""

    kind: str
    """`change`, `failure`, `wrong`, `match` or `metric`."""
    detail: str = ""
    """Of a change, a part of its code, stage or description; the pattern or the pass; the metric."""
    group: CaseGroup | None = None
    """The distinct change of a report, which is kept instead of one that the user describes."""

    @classmethod
    def parsed(cls, text: str) -> Keep:
        """What the option names. Raises UnknownName."""
        kind, _, detail = text.partition(":")
        if kind not in ("change", "failure", "wrong", "match", "metric") or (
            (kind in ("match", "metric")) != bool(detail) and kind != "change"
        ):
            raise UnknownName(f"--keep takes {KINDS}, not {text!r}.")
        return cls(kind, detail)

    @property
    def sides(self) -> int:
        """How many torch versions it takes at least."""
        return 1 if self.kind in ("failure", "wrong") else 2


@dataclass(frozen=True, kw_only=True)
class Question(ABC):
    """What is asked of a program that was compiled in each torch version, oldest first."""

    sides: int = 2
    """In how many versions the program is compiled: 1, the last, or 2."""
    values: bool = False
    """Whether it is run, not only compiled."""
    matches: str = ""
    """The pattern or pass whose matches are counted, if any."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What is kept, the same in each run of the command."""

    @abstractmethod
    def holds(self, tried: Sequence[TriedProgram]) -> bool:
        """Whether the program shows it."""


def compared(
    tried: Sequence[TriedProgram], labels: tuple[str, str], target: str
) -> CaseReport:
    """How one program changed between two versions."""
    folder = PurePosixPath("program", target)
    old, new = (
        RecordedCase(
            folder,
            f"program[{target}]",
            target,
            "failed" if one.error else "passed",
            one.error or None,
            None,
            one.artifacts,
            one.unavailable,
        )
        for one in tried
    )
    stages = sorted({artifact.stage for one in tried for artifact in one.artifacts})
    before, after = (
        Recording(read_elsewhere(label, [case], stages), (case,))
        for case, label in zip((old, new), labels, strict=True)
    )
    return compare_recordings.report(before, after, *labels, detail="terse").cases[0]


def changes(case: CaseReport) -> list[ReportedChange]:
    """Its changes, and those that may follow from them, each once."""
    return list(
        {change.key: change for change in (*case.changes, *case.secondary)}.values()
    )


def chosen(changes: Sequence[ReportedChange], keep: Keep) -> list[ReportedChange]:
    """Those of a program's changes that are meant.

    Of goldens, a change may have another key than of compiles that say more of themselves: then one of the same code
    about the same functions is taken, or else one of the same code in the same stage, or else one in that stage.
    """
    group = keep.group
    if group is None:
        return [change for change in changes if keep.detail in described(change)]
    same: Sequence[Callable[[ReportedChange], bool]] = (
        lambda change: change.key in group.keys,
        lambda change: (change.code, change.names) == (group.code, group.names),
        lambda change: (change.code, change.stage) == (group.code, group.stage),
        lambda change: change.stage == group.stage,
    )
    found = ([change for change in changes if is_same(change)] for is_same in same)
    return next(filter(None, found), [])


def described(change: ReportedChange) -> str:
    """A change as a list shows it."""
    return f"{change.code} ({change.stage}): {change.text}"


@dataclass(frozen=True)
class KeptChange(Question):
    """A distinct change: its code, its subject and the stage where it shows first are in its key."""

    key: str
    labels: tuple[str, str]
    target: str
    own: bool
    """Whether it must be the program's own, instead of one that may follow from another."""

    @property
    def name(self) -> str:
        return f"change {self.key} {self.own}"

    def holds(self, tried: Sequence[TriedProgram]) -> bool:
        if any(one.error for one in tried):
            return False
        case = compared(tried, self.labels, self.target)
        found = case.changes if self.own else changes(case)
        return any(change.key == self.key for change in found)


@dataclass(frozen=True)
class KeptFailure(Question):
    """A compile that fails in the last version with the same words, up to numbers, raised in the same function."""

    error: str
    raised_in: str
    sides: int = field(default=1, kw_only=True)

    @property
    def name(self) -> str:
        return f"failure {without_numbers(self.error)} {self.raised_in}"

    def holds(self, tried: Sequence[TriedProgram]) -> bool:
        *before, last = tried
        same = (
            without_numbers(last.error) == without_numbers(self.error)
            and last.raised_in == self.raised_in
        )
        return same and not any(one.error for one in before)


@dataclass(frozen=True)
class Wrong(Question):
    """A result that differs from eager's in the last version, in the same way: its values, dtype, shape, or memory."""

    kind: str
    """Empty for any."""
    sides: int = field(default=1, kw_only=True)
    values: bool = field(default=True, kw_only=True)

    @property
    def name(self) -> str:
        return f"wrong {self.kind}"

    def holds(self, tried: Sequence[TriedProgram]) -> bool:
        *before, last = tried
        wrong = last.wrong == self.kind if self.kind else bool(last.wrong)
        return (
            not last.error
            and wrong
            and not any(one.error or one.wrong for one in before)
        )


@dataclass(frozen=True)
class LostMatch(Question):
    """A pattern, or a pass of patterns, that matches less often in the newer version."""

    matches: str

    @property
    def name(self) -> str:
        return f"match {self.matches}"

    def holds(self, tried: Sequence[TriedProgram]) -> bool:
        old, new = tried
        return not (old.error or new.error) and new.matches < old.matches


@dataclass(frozen=True)
class Rise(Question):
    """A number of the stage `metrics` that is higher in the newer version."""

    metric: str

    @property
    def name(self) -> str:
        return f"metric {self.metric}"

    def holds(self, tried: Sequence[TriedProgram]) -> bool:
        old, new = (number(one, self.metric) for one in tried)
        return old is not None and new is not None and new > old


def number(tried: TriedProgram, metric: str) -> float | None:
    """A metric of a compile; None if it has none of that name."""
    text = next(
        (artifact.text for artifact in tried.artifacts if artifact.stage == "metrics"),
        "",
    )
    value = (get_stage("metrics").format.numbers(text) or {}).get(metric)
    return float(value) if isinstance(value, (int, float)) else None
