"""JSON files of ours: written alike, and read strictly, as they may come from another machine."""

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
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Header(msgspec.Struct):
    format: int


@dataclass(frozen=True)
class Document(Generic[Facts]):
    """A kind of file: what is in it, and what a user is told who has another one."""

    facts: type[Facts]
    """msgspec's picture of the file: a Struct or a dataclass."""
    format: int
    error: type[CompileGoldenError]
    outdated: str
    """What to do about a file of another format."""
    advice: str
    """What to do about one that is damaged."""
    damaged: str = "is damaged"

    def parse(self, text: str | bytes, where: str, make: Callable[[Facts], Made]) -> Made:
        """What `make` makes of the facts in `text`; it raises ValueError for those that no file of ours has.

        Raises `error` where the file is of another format, or anything in it is missing or not as it should be.
        """
        try:
            version = msgspec.json.decode(text, type=_Header).format
            if version != self.format:
                raise self.error(f"{where} has format {version}, this version reads {self.format}. {self.outdated}")
            return make(msgspec.json.decode(text, type=self.facts, dec_hook=_path))
        except (ValueError, RecursionError) as error:
            raise self.error(f"{where} {self.damaged} ({error}). {self.advice}") from None


def _path(kind: type[PurePath], text: str) -> PurePath:
    """A path, as `render` writes it."""
    path = kind(text)
    if path.as_posix() != text:
        raise ValueError(f"{text!r} is not a path in its plain form")
    return path


def render(facts: object) -> str:
    """Dataclasses, Structs, dicts and lists as the text of a file.

    A lone surrogate, from bytes that were no text, is written out: JSON has none, and msgspec's encoder refuses it.
    """
    plain = msgspec.to_builtins(facts, enc_hook=os.fspath)
    text = json.dumps(plain, ensure_ascii=False, indent=1)
    return _SURROGATE.sub(lambda match: f"\\\\u{ord(match[0]):04x}", text) + "\n"
