"""What the compiler decided, in one text: what a few stages say of one compile, or of several.

    compile f:
      graph_breaks:
        0: f: print(x)
      metrics:
        kernels = 1
    compile f.2: as f

Each stage is written, read and compared by its own format. A list that is empty is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import Replaced, Simple
from pytest_compile_golden.changes.numbers import MetricChanged
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.formats import get_format
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format, Number, TextPart, Unreadable
from pytest_compile_golden.formats.line_edits import labels
from pytest_compile_golden.formats.metrics import METRICS_FORMAT
from pytest_compile_golden.formats.metrics.metric_table import NOT_COMPARED
from pytest_compile_golden.formats.metrics.printed import changes as metric_changes
from pytest_compile_golden.formats.pass_log.printed import NOTHING
from pytest_compile_golden.formats.schedules import printed as schedules

DECISIONS = "decisions"
"""The stage."""
FORMATS = {
    "graph_breaks": "graph_breaks",
    "recompiles": "recompiles",
    "passes": "ledger",
    "scheduler_nodes": "groups",
    "collectives": "collectives",
    "metrics": "metrics",
}
"""The stages that it is made of, in the order of the pipeline, each with its format. Of the scheduler's groups it says
what they compute, and not what they access."""
_EMPTY = {
    "graph_breaks": "no graph breaks\n",
    "recompiles": "no recompiles\n",
    "passes": NOTHING,
}
_COMPILE = re.compile(r"compile (?P<name>\S.*?):(?: as (?P<same>\S.*))?")
_STAGE = re.compile(rf"(?P<stage>{'|'.join(FORMATS)}):")
_INDENT = "  "

Texts = tuple[tuple[str, str], ...]
"""What stages say of one compile: the name and the text of each, in the order of the pipeline."""


class CompileTexts(NamedTuple):
    name: str
    """Empty if the text is of a single compile."""
    texts: Texts


@dataclass(frozen=True, repr=False)
class DecisionsArtifact(Artifact):
    """What the compiler decided, in a few lines for each compile."""

    quoted: tuple[tuple[str, str], ...] = ()

    @property
    def locations(self) -> tuple[tuple[str, str], ...]:
        return self.quoted


def combined(
    compiles: Iterable[tuple[str, Sequence[Artifact]]],
) -> DecisionsArtifact | None:
    """One artifact of the stages of several compiles, each with its name; None if there is nothing to say."""
    document: list[CompileTexts] = []
    quoted: dict[tuple[str, str], None] = {}
    unavailable: frozenset[str] = frozenset()
    for name, artifacts in compiles:
        texts = [
            (each.stage, _without_accesses(each))
            for each in artifacts
            if not each.is_trivial
        ]
        document.append(
            CompileTexts(
                name,
                tuple(
                    (stage, text) for stage, text in texts if text != _EMPTY.get(stage)
                ),
            )
        )
        for each in artifacts:
            unavailable |= each.unavailable
            quoted |= dict.fromkeys(each.locations)
    text = DECISIONS_FORMAT.write(document)
    return (
        DecisionsArtifact(DECISIONS, text, tuple(quoted), unavailable=unavailable)
        if text
        else None
    )


def _without_accesses(artifact: Artifact) -> str:
    """The artifact's text; of the scheduler's groups, without what they read and write and why they are apart."""
    if artifact.stage != "scheduler_nodes":
        return artifact.text
    sections = []
    for section in schedules.read(artifact.text):
        groups = []
        for group in section.groups:
            operations = (
                replace(operation, reads=(), writes=())
                for operation in group.operations
            )
            groups.append(replace(group, operations=tuple(operations)))
        sections.append(replace(section, groups=tuple(groups), apart=(), more_apart=()))
    return schedules.write(sections, layers=True)


class DecisionsFormat(Format):
    """A document is a tuple of `CompileTexts`."""

    def write(self, document: Iterable[CompileTexts]) -> str:
        lines: list[str] = []
        known: dict[Texts, str] = {}
        for name, texts in document:
            if name and texts in known:
                lines.append(f"compile {name}: as {known[texts]}")
                continue
            if name:
                known[texts] = name
                lines.append(f"compile {name}:")
            for stage, text in texts:
                inside = [
                    f"{stage}:",
                    *(f"{_INDENT}{line}".rstrip() for line in split_lines(text)),
                ]
                lines += (
                    f"{_INDENT if name and line else ''}{line}" for line in inside
                )
        return "".join(f"{line}\n" for line in lines)

    def read(self, text: str) -> tuple[CompileTexts, ...]:
        inside: dict[str, list[str]] = {}
        same: dict[str, str] = {}
        name = ""
        for line in split_lines(text):
            head = _COMPILE.fullmatch(line)
            if head is None:
                if name and line and not line.startswith(_INDENT):
                    raise Unreadable(line)
                inside.setdefault(name, []).append(
                    line.removeprefix(_INDENT) if name else line
                )
                continue
            name = head["name"]
            if name in inside:
                raise Unreadable(line)
            inside[name] = []
            if head["same"] is not None:
                same[name] = head["same"]
        compiles: dict[str, Texts] = {}
        for name, lines in inside.items():
            if name in same and (lines or same[name] not in compiles):
                raise Unreadable(f"compile {name}: as {same[name]}")
            compiles[name] = compiles[same[name]] if name in same else _texts(lines)
        return tuple(CompileTexts(*item) for item in compiles.items())

    def parts(self, old: str, new: str) -> tuple[TextPart, ...]:
        """A list that is left out is empty. Of compiles that are repeated on both sides, the first stands for all."""
        try:
            before, after = (dict(self.read(text)) for text in (old, new))
        except Unreadable:
            return ()
        found: list[TextPart] = []
        known: set[tuple[Texts, Texts]] = set()
        # Where each side has as many names that the other lacks, they are the same compiles, begun in other functions.
        gone, come = (
            [name for name in before if name not in after],
            [name for name in after if name not in before],
        )
        for was, now in zip(gone, come, strict=True) if len(gone) == len(come) else ():
            heads = (self.write([CompileTexts(name, ())]) for name in (was, now))
            found.append(TextPart(now, DECISIONS, *heads))
            before[now] = before.pop(was)
        for name in dict.fromkeys((*before, *after)):
            if name not in before or name not in after:
                sides = (
                    self.write([CompileTexts(name, side[name])]) if name in side else ""
                    for side in (before, after)
                )
                found.append(TextPart(name, DECISIONS, *sides))
                continue
            if (before[name], after[name]) in known:
                continue
            known.add((before[name], after[name]))
            texts = [{**_EMPTY, **dict(side[name])} for side in (before, after)]
            found += (
                TextPart(name, stage, *(said.get(stage, "") for said in texts))
                for stage in FORMATS
                if any(stage in said for said in texts)
            )
        return tuple(found)

    def canonical(self, text: str) -> object:
        """What each stage of each compile says, in any order."""
        try:
            compiles = self.read(text)
        except Unreadable:
            return super().canonical(text)
        return {
            (name, stage): _format(stage).canonical(said)
            for name, texts in compiles
            for stage, said in {**_EMPTY, **dict(texts)}.items()
        }

    def without_newer_parts(self, golden: str, text: str) -> str:
        return self._each(
            golden,
            text,
            lambda form, before, after: form.without_newer_parts(before, after),
        )

    def with_notes(self, golden: str, text: str, reason: str | None = None) -> str:
        return self._each(
            golden,
            text,
            lambda form, before, after: form.with_notes(before, after, reason),
        )

    def carry_over(self, golden: str, text: str, unavailable: Collection[str]) -> str:
        carried = self._each(
            golden,
            text,
            lambda form, before, after: form.carry_over(before, after, unavailable),
        )
        known = {
            name: {stage: said for stage, said in texts if stage in unavailable}
            for name, texts in self.read(golden)
        }
        document = (
            (name, {**known.get(name, {}), **dict(texts)})
            for name, texts in self.read(carried)
        )
        return self.write(
            CompileTexts(
                name, tuple((stage, said[stage]) for stage in FORMATS if stage in said)
            )
            for name, said in document
        )

    def edits_of(
        self, old: Sequence[CompileTexts], new: Sequence[CompileTexts]
    ) -> Iterable[Change]:
        found: list[Change] = []
        for name, stage, before, after in self.parts(self.write(old), self.write(new)):
            if stage == DECISIONS and before and after:
                [(was, _)] = self.read(before)
                found.append(Replaced("compile-renamed", was, name))
            elif stage == DECISIONS:
                found.append(
                    Simple("compile-gone" if before else "compile-added", (name,))
                )
            elif stage == "metrics":
                numbers = (
                    METRICS_FORMAT.numbers(before) or {},
                    METRICS_FORMAT.numbers(after) or {},
                )
                moved = (
                    each
                    for each in metric_changes(*numbers)
                    if each.name not in NOT_COMPARED
                )
                found += (
                    MetricChanged(each.name, each.old, each.new) for each in moved
                )
            elif _format(stage).canonical(before) != _format(stage).canonical(after):
                found += labels(_format(stage), "#", before, after)
        return found

    def totals(self, text: str) -> dict[str, Number]:
        """The metrics of all compiles together: their sum, or of what is a highest value, the highest."""
        total: dict[str, int | float] = {}
        for _, texts in self.read(text):
            for name, number in (
                METRICS_FORMAT.numbers(dict(texts).get("metrics", "")) or {}
            ).items():
                if not isinstance(number, (int, float)):
                    continue
                known = total.get(name, 0)
                total[name] = (
                    max(known, number) if name.startswith("peak") else known + number
                )
        return dict(total)

    def _each(
        self, golden: str, text: str, change: Callable[[Format, str, str], str]
    ) -> str:
        """`text`, with what `golden` says about too changed by the format of its stage."""
        try:
            before = {
                (name, stage): said
                for name, texts in self.read(golden)
                for stage, said in texts
            }
            after = self.read(text)
        except Unreadable:
            return text
        return self.write(
            CompileTexts(
                name,
                tuple(
                    (
                        stage,
                        change(_format(stage), before[name, stage], said)
                        if (name, stage) in before
                        else said,
                    )
                    for stage, said in texts
                ),
            )
            for name, texts in after
        )


DECISIONS_FORMAT = DecisionsFormat()


def _texts(lines: Sequence[str]) -> Texts:
    texts: dict[str, list[str]] = {}
    stage = ""
    for line in lines:
        if head := _STAGE.fullmatch(line):
            stage = head["stage"]
            if stage in texts:
                raise Unreadable(line)
            texts[stage] = []
        elif stage and (not line or line.startswith(_INDENT)):
            texts[stage].append(line.removeprefix(_INDENT))
        else:
            raise Unreadable(line)
    return tuple(
        (stage, "".join(f"{line}\n" for line in inside))
        for stage, inside in texts.items()
    )


def _format(stage: str) -> Format:
    return get_format(FORMATS[stage])
