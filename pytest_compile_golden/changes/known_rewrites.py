"""What torch writes otherwise since one commit, wherever it occurs: the rows of `known_rewrites.toml`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal, cast

import msgspec

from pytest_compile_golden.changes.change import Change, ChangeType, Kind
from pytest_compile_golden.changes.kernels import ArgumentChanged, ValueChanged

_FILE = Path(__file__).with_suffix(".toml")
_OF: dict[str, type[Change]] = {"value": ValueChanged, "argument": ArgumentChanged}


class RewriteRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One commit of torch; the file says what each field means."""

    of: Literal["value", "argument"]
    kind: Kind
    since: str
    torch: str
    meaning: str
    pattern: str
    sentence: str = ""
    several: str = ""
    same_by: tuple[str, ...] | None = None
    spelling: tuple[str, str] | None = None


class KnownRewrite:
    """A change that is one of a row. A change that it accompanies is never told by it alone."""

    is_notation = True


ROWS = msgspec.toml.decode(_FILE.read_text(encoding="utf-8"), type=dict[str, RewriteRow])
TYPES: dict[str, type[Change]] = {
    code: cast(
        "type[Change]",
        ChangeType(
            code, (KnownRewrite, _OF[row.of]), {"__doc__": row.meaning}, code=code, kind=row.kind, same_by=row.same_by
        ),
    )
    for code, row in ROWS.items()
}
"""The type of changes of each row, by its code."""
SPELLINGS: dict[str, Callable[[str], str]] = {
    code: partial(re.compile(row.spelling[0]).sub, row.spelling[1]) for code, row in ROWS.items() if row.spelling
}
"""By code, what puts a kernel into the one spelling."""
_PATTERNS = {code: re.compile(row.pattern, re.DOTALL) for code, row in ROWS.items()}


def recognised(change: ValueChanged | ArgumentChanged) -> Change:
    """The same change, as one of a row if a row's pattern is all that it is."""
    if isinstance(change, ValueChanged):
        written = f"{change.before} -> {change.after}"
    else:
        written = f"{'+' if change.gained else '-'} {change.function}({change.argument}={change.value})"
    for code, pattern in _PATTERNS.items():
        if issubclass(TYPES[code], type(change)) and pattern.fullmatch(written):
            return TYPES[code](**msgspec.structs.asdict(change))
    return change
