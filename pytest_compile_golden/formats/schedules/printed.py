"""Schedules written as text and read back; of large ones, operations that repeat an earlier one are a line each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.schedules import (
    Choice,
    Computed,
    Counted,
    Group,
    NotFused,
    Operation,
    Schedule,
    ungrouped,
)
from pytest_compile_golden.formats.canonical_text import arguments, counted
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.outline import Outline
from pytest_compile_golden.formats.schedules import repeated

MANY = 400
"""Operations of a graph from which on repetitions are folded. DenseNet-201 has 2,500."""
_MOST = 8
"""Words in which a repetition may differ; one with more is written in full."""
_NUMBERED = re.compile(r"\w*\d\w*")
GROUP = "  group "
_STREAM = ", stream "
_AUTOTUNED = "  autotuned ("
_CHOICE = Outline(
    Choice, "    {operator:.+?}: {chosen:line} of {candidates:int} candidates"
)
_NOT_FUSED = "  not fused:"
_PAIR = Outline(NotFused, "    {first:.+?} with {second:.+?}: {reason:.*}")
_MORE = Outline(Counted, "    and {pairs:int} more: {reason:.*}")
_LOOSE = "group: "
"""Starts the label of a group on its own, without a graph around it."""


def any_folded(text: str) -> bool:
    """Whether a schedule refers to operations that it repeats."""
    return ": as op" in text


class Folding:
    """Folds the operations of one graph, which are given in order, each as its name and its lines."""

    def __init__(self) -> None:
        self._last_alike: dict[str, tuple[str, list[str]]] = {}
        self._shapes: dict[str, str] = {}

    def __call__(self, name: str, lines: Sequence[str]) -> str | None:
        """A reference to the last operation that reads the same but for some numbers; None if there is none."""
        text = "\n".join(lines)
        words = _NUMBERED.findall(text)
        shape = _NUMBERED.sub("#", text)
        earlier, before = self._last_alike.get(shape, ("", []))
        # Unless its name was given to another one since.
        meant = self._shapes.get(earlier) == shape
        self._last_alike[shape], self._shapes[name] = (name, words), shape
        if meant:
            renamed = dict(zip(before, words, strict=True))
            own = _own_buffer(earlier, name)
            told = [
                f"{old}={new}"
                for old, new in renamed.items()
                if own.get(old, old) != new
            ]
            if [renamed[old] for old in before] == words and len(told) <= _MOST:
                return f"as {earlier}" + (f" with {', '.join(told)}" if told else "")
        return None


def unfolded(
    name: str, kind: str, earlier: Mapping[str, Sequence[str]]
) -> list[str] | None:
    """The lines that `kind` stands for, given those of the operations before; None if it is not a reference to one."""
    reference, _, differences = kind.partition(" with ")
    repeated = reference.removeprefix("as ")
    if not kind.startswith("as ") or repeated not in earlier:
        return None
    renamed = _own_buffer(repeated, name) | dict(
        pair.partition("=")[::2] for pair in differences.split(", ") if pair
    )
    return [
        _NUMBERED.sub(lambda word: renamed.get(word[0], word[0]), line)
        for line in earlier[repeated]
    ]


def _own_buffer(earlier: str, name: str) -> dict[str, str]:
    """The buffer that has the number of its operation, which goes without saying."""
    numbers = [operation.removeprefix("op") for operation in (earlier, name)]
    return (
        {f"buf{numbers[0]}": f"buf{numbers[1]}"}
        if all(map(str.isdigit, numbers))
        else {}
    )


def loose_group(kind: str, operations: tuple[Operation, ...]) -> Schedule:
    """A group without the graph around it and without a number, so that a diff shows what moved between groups."""
    return Schedule(_LOOSE + kind, ungrouped(operations))


def write(
    document: Iterable[Schedule], *, fold: bool = True, layers: bool = False
) -> str:
    """The sections, with an empty line between graphs.

    fold: an operation that repeats another in a large graph refers to it. layers: groups that repeat earlier ones do.
    """
    lines: list[str] = []
    for section in document:
        if lines and not section.label.startswith(_LOOSE):
            lines.append("")
        lines += _section(section, fold and len(section.operations) >= MANY, layers)
    return "\n".join(lines) + "\n"


def head(section: Schedule) -> str:
    """Its first line."""
    return section.label if section.label.startswith(_LOOSE) else f"{section.label}:"


def _section(section: Schedule, fold: bool, layers: bool) -> Iterator[str]:
    yield head(section)
    folding = Folding() if fold else None
    numbers: Iterable[int | repeated.Repeated] = range(len(section.groups))
    if layers and len(section.groups) <= repeated.MOST:
        numbers = repeated.runs(
            [[title(group), *_lines(group)] for group in section.groups]
        )
    for number in numbers:
        if isinstance(number, repeated.Repeated):
            yield from split_lines(repeated.LINE.write([number]))
            continue
        group = section.groups[number]
        indent = "    " if group.kind else "  "
        if group.kind:
            yield f"{GROUP}{number}: {title(group)}"
        for operation in group.operations:
            kind, *details = lines = list(_operation(operation))
            reference = folding(operation.name, lines) if folding is not None else None
            yield f"{indent}{operation.name}: {reference or kind}"
            yield from (
                () if reference else (f"{indent}  {detail}" for detail in details)
            )
    yield from tuned(section)
    if section.apart is None or section.apart or section.more_apart:
        yield f"{_NOT_FUSED} unknown" if section.apart is None else _NOT_FUSED
        yield from split_lines(
            _PAIR.write(section.apart or ()) + _MORE.write(section.more_apart)
        )


def _lines(group: Group) -> Iterator[str]:
    """What it says but for its number."""
    for operation in group.operations:
        yield f"{operation.name}:"
        yield from _operation(operation)


def tuned(section: Schedule) -> Iterator[str]:
    """What autotuning chose, below how it did; nothing if there was nothing to choose."""
    if section.tuned_by is not None:
        yield f"{_AUTOTUNED}{section.tuned_by}):"
        yield from split_lines(_CHOICE.write(section.choices))


def _operation(operation: Operation) -> Iterator[str]:
    """Its kind, and a line for each detail."""
    yield operation.kind
    yield from operation.outputs
    for verb, entries in (
        ("computes", operation.computes),
        ("reads", operation.reads),
        ("writes", operation.writes),
    ):
        if entries:
            yield f"{verb} {', '.join(map(str, entries))}"
    yield from (f"| {line}" for line in operation.body)


@lru_cache(maxsize=8)
def read(text: str) -> tuple[Schedule, ...]:
    """Take an artifact apart. Raises Unreadable for a line that `write` does not write."""
    readers: list[_Reader] = []
    for line in split_lines(text):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            readers.append(_Reader(line))
        elif readers:
            readers[-1].line(line)
        else:
            raise Unreadable(line)
    return tuple(reader.section() for reader in readers)


def _read_operation(name: str, lines: Iterable[str]) -> Operation:
    kind, *details = lines
    parts: dict[str, list[Any]] = {
        "outputs": [],
        "computes": [],
        "reads": [],
        "writes": [],
        "|": [],
    }
    for text in details:
        verb, _, content = text.partition(" ")
        if verb == "computes":
            parts[verb] += (
                Computed(*counted(operator)) for operator in content.split(", ")
            )
        elif verb in ("reads", "writes"):
            parts[verb] += arguments(content)
        elif verb == "|":
            parts[verb].append(content)
        else:
            parts["outputs"].append(text)
    return Operation(name, kind, *map(tuple, parts.values()))


def title(group: Group) -> str:
    """A group's kind, and the stream if the program enters one."""
    return group.kind + (f"{_STREAM}{group.stream}" if group.stream else "")


def _read_group(heading: str, operations: Iterable[tuple[str, list[str]]]) -> Group:
    kind, _, stream = heading.partition(_STREAM)
    return Group(
        kind,
        tuple(_read_operation(*each) for each in operations),
        stream=int(stream or 0),
    )


class _Reader:
    """Reads the lines of one section."""

    def __init__(self, head: str) -> None:
        self.label = head if head.startswith(_LOOSE) else head.removesuffix(":")
        self.part = ""
        """The part that the lines belong to: "", `group`, `autotuned` or `not fused`."""
        self.groups: list[tuple[str, list[tuple[str, list[str]]]]] = []
        """Each with the names and lines of its operations."""
        self.operations: dict[str, list[str]] = {}
        self.tuned_by: str | None = None
        self.choices: list[Choice] = []
        self.apart: list[NotFused] | None = []
        self.more_apart: list[Counted] = []

    def line(self, line: str) -> None:
        text = line.lstrip()
        if line.startswith(GROUP):
            self.part = "group"
            self.groups.append((line.partition(": ")[2], []))
        elif line.startswith(repeated.START):
            self.repeat(*repeated.LINE.read(line))
        elif line.startswith(_NOT_FUSED):
            self.part, self.apart = "not fused", [] if line == _NOT_FUSED else None
        elif line.startswith(_AUTOTUNED):
            self.part, self.tuned_by = (
                "autotuned",
                line.removeprefix(_AUTOTUNED).removesuffix("):"),
            )
        elif self.part == "not fused" and text.startswith("and "):
            self.more_apart += _MORE.read(line)
        elif self.part == "not fused" and self.apart is not None:
            self.apart += _PAIR.read(line)
        elif self.part == "autotuned":
            self.choices += _CHOICE.read(line)
        elif len(line) - len(text) == (4 if self.part == "group" else 2):
            if not self.groups:  # before fusion there are none
                self.groups.append(("", []))
            name, _, kind = text.partition(": ")
            if not (name.isidentifier() and kind):
                raise Unreadable(text)
            self.operations[name] = unfolded(name, kind, self.operations) or [kind]
            self.groups[-1][1].append((name, self.operations[name]))
        elif self.groups and self.groups[-1][1]:
            self.groups[-1][1][-1][1].append(text)
        else:
            raise Unreadable(line)

    def repeat(self, run: repeated.Repeated) -> None:
        if (
            run.first != len(self.groups)
            or run.of >= run.first
            or run.last >= repeated.MOST
        ):
            raise Unreadable(repeated.LINE.write([run]))
        for number in range(run.of, run.of + run.last - run.first + 1):
            kind, operations = self.groups[number]
            again = {
                repeated.renumbered(name, run.higher): [
                    repeated.renumbered(line, run.higher) for line in lines
                ]
                for name, lines in operations
            }
            self.operations |= again
            self.groups.append((kind, list(again.items())))

    def section(self) -> Schedule:
        groups = tuple(
            _read_group(heading, operations) for heading, operations in self.groups
        )
        apart = (
            None if self.apart is None else tuple(self.apart),
            tuple(self.more_apart),
        )
        return Schedule(self.label, groups, self.tuned_by, tuple(self.choices), *apart)
