"""The trail: what each step of a compile made and decided, as facts in the evidence beside the goldens."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.facts.trail import (
    Decomposed,
    Fact,
    LaunchConfigs,
    Lowered,
    PassOutput,
    StageDigest,
    Stopped,
)
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.canonical_text import with_times
from pytest_compile_golden.formats.format import Format, Significant, Unreadable
from pytest_compile_golden.formats.trail import compare
from pytest_compile_golden.formats.trail.compare import Steps, decided_nothing


class TrailFormat(Format):
    """A document is a tuple of facts, sorted as lines. `fingerprints.write.render` makes it of other stages."""

    def write(self, document: Iterable[Fact]) -> str:
        return evidence.lines(document)

    def read(self, text: str) -> tuple[Fact, ...]:
        facts: tuple[Fact, ...] = evidence.parsed(text, Fact)
        return facts

    document = staticmethod(compare.read)

    def canonical(self, text: str) -> Hashable:
        """Each stage with its digest, and the decisions that no digest shows; see `compare.Steps`."""
        try:
            return compare.Steps(self.read(text)).significant
        except Unreadable:
            return text

    def edits_of(self, old: Steps, new: Steps) -> Iterable[Change]:
        return (step.change for step in compare.divergences(old, new))

    def significant(self, old: str, new: str) -> Significant | None:
        try:
            return Significant(
                *in_words(*(compare.Steps(self.read(text)) for text in (old, new)))
            )
        except Unreadable:
            return None

    def carry_over(self, golden: str, text: str, unavailable: Collection[str]) -> str:
        """`text` plus the facts of `golden` about steps that this torch version cannot show."""
        try:
            return self.write(
                compare.carry_over(self.read(golden), self.read(text), unavailable)
            )
        except Unreadable:
            return text

    def of_goldens(self, golden: str, text: str, same: Collection[str]) -> str:
        """The trail of a golden without what it says of the stages `same`, whose own goldens say the same as `text`.

        Where it differs from them, they were edited, or merged, after it was written.
        """
        try:
            return self.write(
                compare.with_steps(self.read(golden), self.read(text), same)
            )
        except Unreadable:
            return golden


TRAIL = TrailFormat()


def in_words(old: Steps, new: Steps) -> tuple[list[str], list[str]]:
    """The lines of the steps that differ, for each side.

    Decisions with the same outcome are left out, as are checks if anything else distinguishes two texts. Where only
    digests do, the new side says how to see more.
    """
    shown: tuple[list[str], list[str]] = [], []
    for name in dict.fromkeys([*old.facts, *new.facts]):
        if old.made(name).digest == new.made(name).digest != "" or decided_nothing(
            name, old, new
        ):
            continue
        views = (
            (list(_held(name, old, new)), list(_held(name, new, old))),
            (
                list(_held(name, old, new, checks=True)),
                list(_held(name, new, old, checks=True)),
            ),
            (list(_lines(name, old)), list(_lines(name, new))),
        )
        gone, come = next((view for view in views if view[0] != view[1]), views[-1])
        known = dict(gone)
        stage = "pass_diffs" if name == compare.PASSES else name
        other = f"  differs: compile-golden diff OLD NEW --stages +{stage} shows how"
        shown[0].extend(line for line, _ in gone)
        shown[1].extend(
            line + other * (known.get(line, digest) != digest) for line, digest in come
        )
    return shown


_Line = tuple[str, str]
"""A line, and the digest of what it leaves out."""


def _held(
    name: str, here: Steps, there: Steps, *, checks: bool = False
) -> Iterator[_Line]:
    """A stage's inventory, line by line; with a digest of arguments only if the other side has equally many."""
    others = {item.name: item.times for item in there.items(name)}
    if not here.items(name):
        yield from _lines(name, here)
    for item in here.items(name):
        if checks or not item.is_check:
            # Each line names its step, since a diff leaves out lines further up.
            line = f"{name:<16} {with_times(item.name, item.times)}"
            yield line, item.detail if others.get(item.name) == item.times else ""


def _lines(name: str, steps: Steps) -> Iterator[_Line]:
    """What was made or decided in a step, without its inventory."""
    facts = steps.facts.get(name, ())
    if facts and not isinstance(facts[0], StageDigest):
        yield f"{name}:", ""
    for fact in facts:
        form = fact.order if isinstance(fact, StageDigest) else ""
        yield (
            _line(fact),
            form + (fact.digest if isinstance(fact, (StageDigest, PassOutput)) else ""),
        )


def _line(fact: Fact) -> str:
    match fact:
        case StageDigest():
            return f"{fact.stage:<16} {fact.size}"
        case Decomposed() | Lowered():
            times = f" [{fact.times}]" if fact.times > 1 else ""
            return f"  {fact.operator} -> {fact.became}{times}{_comment(fact.where)}"
        case LaunchConfigs():
            return f"  {fact.kernel} -> {fact.configs}{_comment(fact.heuristic)}"
        case Stopped():
            return f"  {fact.reason}{_comment(fact.line)}"
        case PassOutput():
            return f"  {fact.graph}: {fact.phase} / {fact.name}{_comment(fact.where)}"
    return ""


def _comment(text: str | None) -> str:
    return f"  # {text}" if text else ""
