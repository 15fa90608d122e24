"""Python as logical lines of tokens."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pytest_compile_golden.formats.arithmetic import once
from pytest_compile_golden.lines import split_lines

TOKEN = re.compile(
    r"""[rbfRBF]{0,2}(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|\#.*|\.?\d(?:[\w.]|(?<=[eE])[+-])*|[A-Za-z_]\w*"""
    r"""|\*\*=?|//=?|<<=?|>>=?|[-+*/%&|^@=<>!:]=|->|\S"""
)
_KEYWORDS = frozenset(keyword.kwlist)


MESSAGE = "index out of bounds"
"""Starts the message of a kernel's assertion, which repeats the condition including its names."""


class StatementLine(NamedTuple):
    """A logical line: physical ones joined until all brackets are closed."""

    indent: int
    code: str
    """Without comments; several physical lines are joined with spaces."""
    lines: tuple[str, ...]


def logical(text: str) -> Iterator[StatementLine]:
    """The logical lines of `text`, without comments and empty lines."""
    depth, indent = 0, 0
    held: list[str] = []
    for line in split_lines(text):
        code, change = _physical(line)
        if not code:
            continue
        if not held:
            indent = len(line) - len(line.lstrip())
        held.append(code)
        depth += change
        if depth <= 0:
            yield StatementLine(indent, held[0] if len(held) == 1 else " ".join(held), tuple(held))
            held, depth = [], 0
    if held:
        yield StatementLine(indent, " ".join(held), tuple(held))


@lru_cache(maxsize=1 << 15)
def _physical(line: str) -> tuple[str, int]:
    code = line.strip()
    if "#" in code or "'" in code or '"' in code:
        tokens = list(TOKEN.finditer(code))
        if tokens and tokens[-1][0].startswith("#"):
            code = code[: tokens.pop().start()].rstrip()
        brackets = [token[0] for token in tokens if len(token[0]) == 1]
        return code, sum(bracket in "([{" for bracket in brackets) - sum(bracket in ")]}" for bracket in brackets)
    opened = code.count("(") + code.count("[") + code.count("{")
    return code, opened - code.count(")") - code.count("]") - code.count("}")


class Statement(NamedTuple):
    """A logical line with a hole for each name that it may bind or read."""

    text: str
    names: tuple[str, ...]
    targets: int
    """How many of `names`, from the first, it binds; 0 for a statement that does not assign to names."""
    augmented: bool
    """Whether it also reads what it binds."""


@lru_cache(maxsize=1 << 15)
def statement(code: str, modules: frozenset[str] = frozenset()) -> Statement:
    """Take a logical line apart; the names in `modules` are not values."""
    tokens = TOKEN.findall(once(code))
    depth, equals = 0, -1
    names: list[str] = []
    pieces: list[str] = []
    targets = 0
    positions: list[int] = []  # indices of the names among the pieces
    for index, token in enumerate(tokens):
        first = token[0]
        if first.isidentifier() and token[-1] not in "'\"":
            after = tokens[index + 1] if index + 1 < len(tokens) else ""
            is_keyword = depth > 0 and after == "="
            if token in _KEYWORDS:
                pieces.append(f" {token} ")
            elif is_keyword or token in modules or (index and tokens[index - 1] == "."):
                pieces.append(token)
            else:
                names.append(token)
                positions.append(len(pieces))
                pieces.append("\0")
            continue
        if first in "([{":
            depth += 1
        elif first in ")]}":
            depth -= 1
        elif first in "'\"" and MESSAGE in token:
            token = f'"{MESSAGE}"'
        elif depth == 0 and equals < 0 and token[-1] == "=" and token not in ("==", "<=", ">=", "!="):
            equals = len(pieces)
        pieces.append(token)
    if equals >= 0:
        targets = _bound(pieces[:equals])
        pieces[equals + 1 :] = _without_brackets(pieces[equals + 1 :])
    elif pieces and pieces[0] == " for ":
        targets = positions.index(1) + 1 if 1 in positions else 0
    augmented = equals >= 0 and pieces[equals] != "="
    return Statement("".join(pieces), tuple(names), targets, augmented)


def _bound(left: list[str]) -> int:
    """How many names the left side of an assignment binds, without those in its annotation; 0 for `a[0]`."""
    before = left[: left.index(":")] if ":" in left and left[0] == "\0" else left
    if all(piece in ("\0", ",", "(", ")") for piece in before):
        return before.count("\0")
    return 0


def _without_brackets(pieces: list[str]) -> list[str]:
    """`pieces` without brackets around a whole expression, a whole argument or a single name or number."""
    if "(" not in pieces:
        return pieces
    opened: list[int] = []
    dropped: set[int] = set()
    for index, piece in enumerate(pieces):
        if piece in ("(", "[", "{"):
            opened.append(index)
        elif piece in (")", "]", "}") and opened:
            start = opened.pop()
            if piece == ")" and _needless(pieces, start, index):
                dropped |= {start, index}
    return [piece for index, piece in enumerate(pieces) if index not in dropped] if dropped else pieces


def _needless(pieces: list[str], start: int, end: int) -> bool:
    before = pieces[start - 1] if start else ""
    after = pieces[end + 1] if end + 1 < len(pieces) else ""
    if before and (before[-1].isalnum() or before in ("\0", ")", "]", "}", "_") or before[-1] in "_'\""):
        return False  # a call
    inside = pieces[start + 1 : end]
    if len(inside) == 1:
        return inside[0] == "\0" or inside[0].isalnum()
    depth = 0
    for piece in inside:
        depth += (piece in ("(", "[", "{")) - (piece in (")", "]", "}"))
        if depth == 0 and piece in (",", ":=", " for ", " yield "):
            return False
    return bool(inside) and before in ("", "(", "[", ",", "=") and after in ("", ")", "]", ",")
