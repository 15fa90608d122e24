"""A value as a person would write it, a few calls deep."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pytest_compile_golden.formats.expressions import Expression

_WORD = re.compile(r"[A-Za-z_]")
_BROADCAST = re.compile(r"static_cast\[|at\.vec\.Vectorized|decltype$|float$|double$")
_LONGEST = 120
_WORDED = ("is", "is not", "in", "not in", "and", "or", "not ")


def shown(each: Expression, held: Mapping[int, str], spelled: Callable[[str], str], depth: int) -> str:
    """`each` as it would be written, `depth` calls deep.

    `held` names values by their `id`, `spelled` writes a function as the text's language does.
    """
    text = _text(each, held, spelled, depth)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def constant(each: Expression) -> str | None:
    """What a constant is, whatever it is filled into; None for a value that is none."""
    if each.head == "tl.full" and len(each.args) == 3 and not each.args[1].args:
        return each.args[1].head
    if len(each.args) == 1 and _BROADCAST.match(each.head):
        inner = each.args[0]
        return inner.head if not inner.args and inner.head[:1].isdigit() else constant(inner)
    return None


def _text(each: Expression, held: Mapping[int, str], spelled: Callable[[str], str], depth: int) -> str:
    if id(each) in held:
        return held[id(each)]
    if not each.args:
        return spelled(each.head)
    if each.is_index and each.alias:
        return each.alias
    known = constant(each)
    if known is not None:
        return known
    if depth == 0:
        return "…"
    args = [_text(arg, held, spelled, depth - 1) for arg in each.args]
    if each.head == "if":
        return f"{args[1]} if {args[0]} else {args[2]}"
    if not _WORD.search(each.head) or each.head in _WORDED or each.head.startswith("["):
        return _operation(each.head, args)
    positional = len(args) - len(each.keywords)
    given = [*args[:positional], *(f"{k}={v}" for k, v in zip(each.keywords, args[positional:], strict=True))]
    return _call(each.head, given, spelled)


def _operation(head: str, args: list[str]) -> str:
    if head == "()":
        return f"[{', '.join(args)}]"
    if head == "[]":
        return f"{args[0]}[{args[1]}]"
    if len(args) == 1:
        return f"{args[0]}{head}" if head.startswith("[") else f"{head}{args[0]}"
    return f" {head} ".join(f"({arg})" if " " in arg and "(" not in arg else arg for arg in args)


def _call(head: str, given: list[str], spelled: Callable[[str], str]) -> str:
    if head.startswith("."):
        return f"{given[0]}.{spelled(head[1:])}({', '.join(given[1:])})"
    if head == "call":
        return f"{given[0]}({', '.join(given[1:])})"
    return f"{spelled(head)}({', '.join(given)})"
