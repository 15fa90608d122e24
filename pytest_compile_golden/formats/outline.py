"""Outlines: items with details under them. A template says how the lines of one kind look, for writing and for reading.

    Outline(Step, "  {kind:word} {name:word}< of {of:word}> {nbytes:int}; {live:int} live<  # {note:line}>")

`{field:kind}` is a field of the item, as one of `_KINDS` or as a regular expression for text. What is between `<` and
`>` is only there if one of its fields is not at its default. `{field:flag}` writes nothing: the part that it is in is
there if the field is true. `{=field:kind}` is written and not read back, because it follows from the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import MISSING, dataclass
from dataclasses import fields as dataclass_fields
from typing import Any

import msgspec

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.costs import Counts
from pytest_compile_golden.formats.format import Format, Unreadable

_NONE = "none"


@dataclass(frozen=True)
class _Kind:
    """How the values of a field look."""

    pattern: str
    write: Callable[[Any], str] = str
    read: Callable[[str], Any] = str


def _write_counts(counts: Counts) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts) or _NONE


def _read_counts(text: str) -> Counts:
    pairs = [] if text == _NONE else [part.split(" ") for part in text.split(", ")]
    return tuple((name, int(count)) for name, count in pairs)


def _write_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise Unreadable(text) from None


_KINDS = {
    "word": _Kind(r"\S+"),
    "line": _Kind(r".+"),
    "int": _Kind(r"-?\d+", read=int),
    "counts": _Kind(
        rf"{_NONE}|[\w.]+ -?\d+(?:, [\w.]+ -?\d+)*", _write_counts, _read_counts
    ),
    "names": _Kind(r"[^\]\n]+", ", ".join, lambda text: tuple(text.split(", "))),
    "json": _Kind(r'"(?:\\.|[^"\\])*"|[^#"\n]+?', _write_json, _read_json),
    "flag": _Kind("", lambda value: "", lambda text: True),
}
_TOKEN = re.compile(
    r"\{(?P<derived>=)?(?P<field>\w+):(?P<kind>(?:[^{}]|\{\d+\})+)\}|(?P<open><)|(?P<close>>)"
)


@dataclass(frozen=True)
class _Field:
    name: str
    kind: _Kind
    derived: bool


class Outline:
    """The lines of one kind of item, and those of its details, which are tuples in the item's fields."""

    def __init__(self, item: type[Any], template: str, **details: Outline) -> None:
        """item: a dataclass or msgspec class, or `str` for lines that are plain text (its field is `text`).

        details: by field of the item, the lines under it, in the order in which they are written.
        """
        self._item = item
        self._details = details
        self._defaults = _defaults(item)
        self._fields: dict[str, _Field] = {}
        self._parts = self._parsed(template)
        self._pattern = re.compile(self._regex(self._parts) + r"(?:\n|\Z)")

    def write(self, document: Iterable[Any]) -> str:
        """The text of several items; empty if there are none."""
        return "".join(f"{line}\n" for item in document for line in self._lines(item))

    def read(self, text: str) -> tuple[Any, ...]:
        """The items in a text; blank lines and lines that start with `#` are not part of any.

        Raises Unreadable, with the line, for a line that is not of a kind that may stand there.
        """
        items: list[Any] = []
        position = 0
        while position < len(text):
            if (found := self._item_at(text, position)) is not None:
                item, position = found
                items.append(item)
                continue
            line = split_lines(text[position:])[0]
            if line.strip() and not line.startswith("#"):
                raise Unreadable(line)
            position += len(line) + 1
        return tuple(items)

    def _lines(self, item: Any) -> Iterator[str]:
        yield self._filled(self._parts, item)
        for field, outline in self._details.items():
            for detail in getattr(item, field):
                yield from outline._lines(detail)

    def _filled(self, parts: list[Any], item: Any) -> str:
        text = ""
        for part in parts:
            if isinstance(part, list):
                if any(
                    self._is_set(field, item)
                    for field in part
                    if isinstance(field, _Field)
                ):
                    text += self._filled(part, item)
            else:
                text += (
                    part
                    if isinstance(part, str)
                    else part.kind.write(self._value(part, item))
                )
        return text

    def _value(self, field: _Field, item: Any) -> Any:
        return item if self._item is str else getattr(item, field.name)

    def _is_set(self, field: _Field, item: Any) -> bool:
        return self._value(field, item) not in (self._defaults.get(field.name), None)

    def _item_at(self, text: str, position: int) -> tuple[Any, int] | None:
        """The item whose lines begin at a position, and where they end; None if there is none."""
        match = self._pattern.match(text, position)
        if match is None:
            return None
        values = {
            name: field.kind.read(match[name])
            for name, field in self._fields.items()
            if match[name] is not None and not field.derived
        }
        position = match.end()
        details: dict[str, list[Any]] = {field: [] for field in self._details}
        found = True
        while found:
            found = False
            for field, outline in self._details.items():
                if (detail := outline._item_at(text, position)) is not None:
                    details[field].append(detail[0])
                    position, found = detail[1], True
        several = {field: tuple(items) for field, items in details.items()}
        return (
            values["text"] if self._item is str else self._item(**values, **several)
        ), position

    def _parsed(self, template: str) -> list[Any]:
        """The template's literal texts and fields; a list for an optional part."""
        outer: list[Any] = []
        parts, end = outer, 0
        for token in _TOKEN.finditer(template):
            if token.start() > end:
                parts.append(template[end : token.start()])
            end = token.end()
            if token["open"]:
                parts = []
                outer.append(parts)
            elif token["close"]:
                parts = outer
            else:
                field = _Field(
                    token["field"],
                    _KINDS.get(token["kind"]) or _Kind(token["kind"]),
                    bool(token["derived"]),
                )
                self._fields[field.name] = field
                parts.append(field)
        return [*outer, template[end:]]

    def _regex(self, parts: list[Any]) -> str:
        return "".join(
            f"(?:{self._regex(part)})?"
            if isinstance(part, list)
            else re.escape(part)
            if isinstance(part, str)
            else f"(?P<{part.name}>{part.kind.pattern})"
            for part in parts
        )


def _defaults(item: type[Any]) -> dict[str, Any]:
    """The values of fields that need not be given."""
    if issubclass(item, msgspec.Struct):
        fields = msgspec.structs.fields(item)
        return {
            field.name: field.default
            for field in fields
            if field.default is not msgspec.NODEFAULT
        }
    if item is str:
        return {}
    return {
        field.name: field.default
        for field in dataclass_fields(item)
        if field.default is not MISSING
    }


class OutlineFormat(Format):
    """A document is a tuple of the outline's items."""

    outline: Outline
    none: str = ""
    """The text of a document without items."""

    def write(self, document: Iterable[Any]) -> str:
        return self.outline.write(document) or (f"{self.none}\n" if self.none else "")

    def form(self, document: Any) -> Hashable:
        return self.write(document)

    def read(self, text: str) -> tuple[Any, ...]:
        return () if text.strip() == self.none else self.outline.read(text)
