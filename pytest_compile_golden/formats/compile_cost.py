"""The cost of compiling, phase by phase, in calls rather than time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.numbers import WorkChanged
from pytest_compile_golden.facts.costs import Work
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.outline import Outline, OutlineFormat
from pytest_compile_golden.record import Record


@dataclass(frozen=True, repr=False)
class CompileCostArtifact(Artifact):
    """The work that compiling took: `captured["compile_cost"].count("patterns_tried")`."""

    phases: tuple[Work, ...]

    def count(self, kind: str, phase: str | None = None) -> int:
        """How much work of that kind there was, in one phase or in all."""
        return sum(
            count for line in self.phases if phase in (None, line.phase) for name, count in line.counts if name == kind
        )


class CompileCostFormat(OutlineFormat):
    """A document is a tuple of `Work`."""

    outline = Outline(Work, "{phase:word}: {counts:counts}<  # {milliseconds:int} ms>")

    def render(self, record: Record, stage: str) -> CompileCostArtifact | None:
        works: list[Work] = record.get(stage)
        return CompileCostArtifact(stage, self.write(works), tuple(works)) if works else None

    def form(self, document: Iterable[Work]) -> Hashable:
        """The counts of each phase, without the time it took."""
        return frozenset((line.phase, frozenset(line.counts)) for line in document)

    def with_notes(self, golden: str, text: str, reason: str | None = None) -> str:
        """`text` with the golden's times for phases that do the same work, so that times alone do not rewrite it."""
        try:
            golden_lines = {(line.phase, line.counts): line for line in self.read(golden)}
            return self.write(golden_lines.get((line.phase, line.counts), line) for line in self.read(text))
        except Unreadable:
            return text

    def depth_of(self, old: Iterable[Work], new: Iterable[Work]) -> str:
        """The phases whose work differs."""
        return ", ".join(dict.fromkeys(phase for (phase, _), _, _ in _different(old, new)))

    def explains(self, old: str, new: str, codes: Collection[str]) -> bool:
        """Always: edits name each count that differs."""
        return set(codes) == {WorkChanged.code}

    def edits_of(self, old: Iterable[Work], new: Iterable[Work]) -> Iterable[Change]:
        """Each kind of work that a phase does more or less of, largest increase first."""
        for kind, before, after in sorted(_different(old, new), key=lambda changed: changed[1] - changed[2]):
            yield WorkChanged(" ".join(kind), before, after)


COMPILE_COST = CompileCostFormat()


def _different(old: Iterable[Work], new: Iterable[Work]) -> list[tuple[tuple[str, str], int, int]]:
    """The kinds of work (phase and kind) of which there is more or less, with the old and new amounts."""
    before, after = (
        Counter({(line.phase, name): count for line in lines for name, count in line.counts}) for lines in (old, new)
    )
    return [(kind, before[kind], after[kind]) for kind in {**before, **after} if before[kind] != after[kind]]
