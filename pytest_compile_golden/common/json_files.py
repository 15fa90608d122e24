"""Our JSON files: all written the same way, and read strictly, since they may come from another machine."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Generic, TypeVar

import msgspec

from pytest_compile_golden.errors import CompileGoldenError

Facts = TypeVar("Facts")
Made = TypeVar("Made")
_CONTROL = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Header(msgspec.Struct):
    format: int


@dataclass(frozen=True)
class Document(Generic[Facts]):
    """A kind of file: its contents, and the messages for a file that cannot be read."""

    facts: type[Facts]
    """The file's type for msgspec: a Struct or a dataclass."""
    format: int
    error: type[CompileGoldenError]
    outdated: str
    """What to do about a file in another format."""
    advice: str
    """What to do about a damaged file."""
    damaged: str = "is damaged"

    def parse(
        self, text: str | bytes, where: str, make: Callable[[Facts], Made]
    ) -> Made:
        """Parse `text` and return `make(facts)`; `make` raises ValueError for facts that we would never write.

        Raises `error` if the file is in another format, or if anything in it is missing or invalid.
        """
        try:
            version = msgspec.json.decode(text, type=_Header).format
            if version != self.format:
                raise self.error(
                    f"{where} has format {version}, but this version reads {self.format}. {self.outdated}"
                )
            return make(msgspec.json.decode(text, type=self.facts, dec_hook=_path))
        except (ValueError, RecursionError) as error:
            raise self.error(
                f"{where} {self.damaged} ({error}). {self.advice}"
            ) from None


def _path(kind: type[PurePath], text: str) -> PurePath:
    """A path in the form that `render` writes."""
    path = kind(text)
    if path.as_posix() != text:
        raise ValueError(f"{text!r} is not a normalised path")
    return path


def render(facts: object) -> str:
    """Render dataclasses, Structs, dicts and lists as the text of a file.

    A lone surrogate, from bytes that were not text, is escaped: JSON has none, and msgspec's encoder rejects it. So are
    the control characters that JSON may have as they are, since a terminal may show the text.
    """
    plain = msgspec.to_builtins(facts, enc_hook=os.fspath)
    return _escaped(json.dumps(plain, ensure_ascii=False, indent=1)) + "\n"


def line(plain: object) -> str:
    """The same of dicts and lists, on one line."""
    return _escaped(json.dumps(plain, ensure_ascii=False, separators=(",", ":")))


def _escaped(text: str) -> str:
    text = _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return _SURROGATE.sub(lambda match: f"\\\\u{ord(match[0]):04x}", text)
