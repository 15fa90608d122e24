"""What torch writes otherwise since one commit, wherever it occurs: the rows of `known_rewrites.toml`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from pytest_compile_golden.changes.change import CODES, Change, Kind, row
from pytest_compile_golden.changes.common_types import AttributeChanged
from pytest_compile_golden.changes.kernels import ValueChanged

_FILE = Path(__file__).with_suffix(".toml")


class RewriteRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One commit of torch; the file says what each field means."""

    of: Literal["value", "argument"]
    kind: Kind
    since: str
    torch: str
    meaning: str
    pattern: str
    sentence: str
    same_by: tuple[str, ...] | None = None
    spelling: tuple[str, str] | None = None


ROWS = msgspec.toml.decode(
    _FILE.read_text(encoding="utf-8"), type=dict[str, RewriteRow]
)
for _code, _row in ROWS.items():
    _of = CODES["value-changed" if _row.of == "value" else "call-argument"]
    row(
        _code,
        _of.type,
        _row.kind,
        _of.topic,
        _row.meaning,
        same_by=_of.same_by if _row.same_by is None else _row.same_by,
        named_by=_of.named_by,
        anywhere=True,
        is_notation=True,
    )
SPELLINGS: dict[str, Callable[[str], str]] = {
    code: partial(re.compile(row.spelling[0]).sub, row.spelling[1])
    for code, row in ROWS.items()
    if row.spelling
}
"""By code, what puts a kernel into the one spelling."""
_PATTERNS = {code: re.compile(row.pattern, re.DOTALL) for code, row in ROWS.items()}


def recognised(change: ValueChanged | AttributeChanged) -> Change:
    """The same change, as one of a row if a row's pattern is all that it is."""
    if isinstance(change, ValueChanged):
        of, written = "value", f"{change.before} -> {change.after}"
    else:
        of, written = (
            "argument",
            f"{'+' if change.new else '-'} {change.subject}({change.name}={change.value})",
        )
    for code, pattern in _PATTERNS.items():
        if ROWS[code].of == of and pattern.fullmatch(written):
            return replace(change, code=code)
    return change
