"""What a change is, found by comparing documents, the table of codes, and how much each weighs; `messages` says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, TypeVar, cast, get_args

import msgspec
from msgspec.structs import replace

from pytest_compile_golden.common import name_matching
from pytest_compile_golden.common.regular_expressions import without_numbers

Kind = Literal["decision", "code", "hint", "accounting", "spelling"]
"""What a change is: the compiler decides otherwise; the code that it generates computes otherwise; the code carries
another hint; the same is counted or listed otherwise; the same is written otherwise."""
Topic = Literal[
    "lost",
    "random",
    "values",
    "program",
    "breaks",
    "library",
    "fusion",
    "safety",
    "memory",
    "operators",
    "arithmetic",
    "guards",
    "launch",
    "hints",
]
"""What a change is about."""
TOPICS: tuple[str, ...] = get_args(Topic)
"""From most to least important."""
OTHER_RESULTS: frozenset[str] = frozenset({"random", "values"})
"""The topics of changes by which the same program, on the same inputs, returns something else."""
MINOR: frozenset[str] = frozenset({"accounting", "spelling"})
"""The kinds of changes that leave what runs as it is."""

Counts = tuple[tuple[str, int], ...]
"""Names with how often each occurs."""


Severity = Literal["fail", "note", "off"]
ORDER: tuple[Severity, ...] = ("fail", "note", "off")
"""From most to least severe."""
NOTED: frozenset[Kind] = frozenset({"hint", "accounting", "spelling"})
"""The kinds of changes that leave what is decided, computed and accessed as it is."""


class CodeRow(msgspec.Struct, frozen=True):
    """A row of the table of codes: what holds for all changes with one code."""

    type: type[Change]
    kind: Kind
    topic: Topic
    meaning: str
    """What docs/changes.md says of them."""
    same_by: tuple[str, ...] | None = None
    """The fields that make one the same change in another case, regardless of numbers; None for what its type says."""
    named_by: tuple[str, ...] = ()
    """The fields with the functions and operators that it is about, the most telling first."""
    about: tuple[str, ...] = ()
    """Functions that each of them is about, ahead of those."""
    anywhere: bool = False
    """Whether one is the same change no matter at which stage it first shows."""
    is_notation: bool = False
    """Whether what it accompanies is never told by it alone, whatever its kind."""


CODES: dict[str, CodeRow] = {}
"""Every row by its code."""


def row(
    code: str,
    type: type[Change],
    kind: Kind,
    topic: Topic,
    meaning: str,
    *,
    same_by: tuple[str, ...] | None = None,
    named_by: tuple[str, ...] = (),
    about: tuple[str, ...] = (),
    anywhere: bool = False,
    is_notation: bool = False,
) -> str:
    """Add a row to the table of codes; the code. Raises TypeError for a code that has a row."""
    added = CodeRow(
        type, kind, topic, meaning, same_by, named_by, about, anywhere, is_notation
    )
    if CODES.setdefault(code, added).type.__qualname__ != type.__qualname__:
        raise TypeError(
            f"the code {code!r} of {type.__name__} is that of {CODES[code].type.__name__}"
        )
    CODES[code] = added
    return code


class ChangeType(msgspec.StructMeta):
    """The type of the types of changes. One that all changes with one code have, and no others, says what holds for
    them where it is defined: class Rewrapped(Change, code="rewrapped", kind="decision")."""

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        code: str = "",
        kind: Kind = "code",
        topic: Topic = "arithmetic",
        **options: Any,
    ) -> ChangeType:
        """Make the type, and its row of the table of codes if it has one of its own."""
        if not code:
            return super().__new__(cls, name, bases, namespace, frozen=True, **options)
        new: ChangeType = super().__new__(
            cls, name, bases, {**namespace, "code": code}, frozen=True
        )
        meaning = " ".join((new.__doc__ or "").split("\n\n")[0].split())
        row(code, cast("type[Change]", new), kind, topic, meaning, **options)
        return new


class Change(msgspec.Struct, metaclass=ChangeType, kw_only=True):
    """One way in which a compile differs from another. What holds for all changes with its code is a row of CODES:
    that of its type, or, if its type is a shape that changes with several codes have, one that `row` adds."""

    follows: bool = False
    """Whether it accompanies another change of the same text; it is never asked about on its own."""
    where: str | None = None
    """The torch function responsible, if the type of the change determines it."""
    defined: str | None = None
    """Where the step that shows it is defined, of which nothing says that it changed."""
    touches: tuple[str, ...] = ()
    """Of a change of a schedule: every operator that the operations compute in which it was found. A change of the
    graph that is about none of these cannot have made it."""

    @property
    def code(self) -> str:
        """Names its row of the table of codes."""
        raise NotImplementedError

    @property
    def row(self) -> CodeRow:
        """What holds for all changes with its code. Raises KeyError for a code that no row declares."""
        return CODES[self.code]

    @property
    def kind(self) -> Kind:
        """What sort of change it is: where no severity is set for its code, this decides whether its case fails."""
        return self.row.kind

    @property
    def topic(self) -> Topic:
        """What it is about, in the order of TOPICS, by which reports rank it."""
        return self.row.topic

    @property
    def anywhere(self) -> bool:
        """Whether it is the same change at whichever stage it first shows; of others, each stage has its own."""
        return self.row.anywhere

    @property
    def is_notation(self) -> bool:
        """Whether it is only written, counted or hinted at otherwise; what it accompanies is never told by it alone."""
        return self.row.is_notation or self.kind in NOTED

    @property
    def changes_values(self) -> bool:
        """Whether code computes something otherwise: another constant, operation or type."""
        return self.kind == "code" and not self.is_notation

    def following(self, another: bool = True) -> Change:
        """The change as one that accompanies another; as it is unless there is `another`."""
        return replace(self, follows=True) if another else self

    @property
    def identity(self) -> tuple[object, ...]:
        """The values that make it the same change in another case."""
        names = self.row.same_by
        if names is None:
            names = tuple(
                name for name in self.__struct_fields__ if name not in _OF_EVERY_CHANGE
            )
        return tuple(getattr(self, name) for name in names)

    @property
    def key(self) -> str:
        """Equal for the same change in another case: its code and identity, without numbers particular to a case."""
        return " ".join(
            [self.code, *(without_numbers(_text(value)) for value in self.identity)]
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The functions and operators that it is about, by which the torch function responsible is recognised; the most
        telling first."""
        values = [getattr(self, name) for name in self.row.named_by]
        named = (
            name
            for value in values
            for name in ([value] if isinstance(value, str) else value)
            if name
        )
        return (*self.row.about, *named)


class CodedChange(Change):
    """A change of a shape that changes with several codes have."""

    code: str

    def __post_init__(self) -> None:
        """Raises KeyError or TypeError for a code that is not one of this shape."""
        if not isinstance(self, CODES[self.code].type):
            raise TypeError(
                f"{self.code} is a change of type {CODES[self.code].type.__name__}, not {type(self).__name__}"
            )

    @property
    def identity(self) -> tuple[object, ...]:
        """The values that make it the same change in another case: those that each change of its shape has, unless its
        row says otherwise."""
        if self.row.same_by is not None:
            return super().identity
        optional = len(self.__struct_defaults__)
        return tuple(
            getattr(self, name) for name in self.__struct_fields__[1:-optional]
        )


_OF_EVERY_CHANGE = frozenset(CodedChange.__struct_fields__)


C = TypeVar("C", bound=Change)


def distinct(changes: Iterable[C]) -> tuple[C, ...]:
    """Each change once, those that follow from others last."""
    once: dict[str, C] = {}
    for change in changes:
        earlier = once.get(change.key)
        if earlier is None or (earlier.follows and not change.follows):
            once[change.key] = change
    return tuple(sorted(once.values(), key=lambda change: change.follows))


def counts(counted: Mapping[str, int]) -> Counts:
    """What a counter holds, as a change keeps it."""
    return tuple((name, times) for name, times in counted.items() if times)


def sorted_counts(counted: Mapping[str, int]) -> Counts:
    """The same by name, where nothing else orders them."""
    return tuple(sorted(counts(counted)))


def _text(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_text, value))
    return str(value)


@dataclass(frozen=True)
class Divergence:
    """A step that did or decided something different."""

    phase: str
    """A phase or stage, as named in the pipeline's table."""
    change: Change
    """What it did or decided."""
    where: str | None
    """File and line in the installed torch or in the user's code."""
    at: str | None = None
    """The line of the program at which it happened, as graphs quote it."""


@dataclass(frozen=True)
class Severities:
    """What a project, and then a test, says about codes; by default the kind of a change decides."""

    rules: tuple[tuple[str, Severity], ...] = ()
    """Patterns of codes, each with the severity of those it matches; of several that match, the last counts."""
    strict: bool = False
    """Whether every change fails."""

    def of(self, code: str) -> Severity:
        """The severity of changes with this code."""
        if self.strict:
            return "fail"
        given = next(
            (
                severity
                for pattern, severity in reversed(self.rules)
                if fnmatchcase(code, pattern)
            ),
            None,
        )
        return given or (
            "note" if code in CODES and CODES[code].kind in NOTED else "fail"
        )

    def having(
        self, select: Sequence[str] = (), ignore: Sequence[str] = ()
    ) -> Severities:
        """The same, but codes that match `select` fail, and others that match `ignore` are off."""
        added: list[tuple[str, Severity]] = [(pattern, "off") for pattern in ignore]
        added += [(pattern, "fail") for pattern in select]
        return Severities((*self.rules, *added), self.strict)


def check_codes(patterns: Iterable[str]) -> None:
    """Raise UnknownName for a pattern that matches no code of a change."""
    for pattern in patterns:
        if not any(fnmatchcase(code, pattern) for code in CODES):
            name_matching.check("code of a change", [pattern], sorted(CODES))


def worst(severities: Iterable[Severity]) -> Severity:
    """The most severe; `off` if there is none."""
    return min(severities, key=ORDER.index, default="off")
