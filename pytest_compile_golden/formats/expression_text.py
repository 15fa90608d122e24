"""Writes the expression of a value as an engineer would."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pytest_compile_golden.formats.expressions import Expression

_BROADCAST = ("static_cast[", "at.vec.Vectorized")
_CONVERTED = ("decltype", "float", "double")
_LONGEST = 120
_LOOSER = re.compile(r" (?:if|and|or|not|in|[<>=!&|^]+) ")
"""What binds looser than a sum."""
_WORDED = ("is", "is not", "in", "not in", "and", "or", "not ")


def shown(
    value: Expression,
    names: Mapping[int, str],
    spelled: Callable[[str], str],
    depth: int,
) -> str:
    """`value` as it would be written, `depth` calls deep.

    `names` maps the `id` of a value to its name; `spelled` writes a function in the text's language.
    """
    text = _text(value, names, spelled, depth)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def constant(value: Expression) -> str | None:
    """The literal of a constant, whatever it is broadcast to; None for any other value."""
    if value.head == "tl.full" and len(value.args) == 3 and not value.args[1].args:
        return value.args[1].head
    if len(value.args) == 1 and (
        value.head in _CONVERTED or value.head.startswith(_BROADCAST)
    ):
        inner = value.args[0]
        return (
            inner.head
            if not inner.args and inner.head[:1].isdigit()
            else constant(inner)
        )
    return None


def _text(
    value: Expression,
    names: Mapping[int, str],
    spelled: Callable[[str], str],
    depth: int,
) -> str:
    if id(value) in names:
        return names[id(value)]
    if not value.args:
        return spelled(value.head)
    if value.is_index and value.alias:
        return value.alias
    literal = constant(value)
    if literal is not None:
        return literal
    if depth == 0:
        return "…"
    args = [_text(arg, names, spelled, depth - 1) for arg in value.args]
    if value.head == "if":
        return f"{args[1]} if {args[0]} else {args[2]}"
    if (
        not any(map(str.isalpha, value.head))
        or value.head in _WORDED
        or value.head.startswith("[")
    ):
        return _operation(value.head, args)
    positional = len(args) - len(value.keywords)
    arguments = [
        *args[:positional],
        *(f"{k}={v}" for k, v in zip(value.keywords, args[positional:], strict=True)),
    ]
    if value.head.startswith("."):
        return f"{arguments[0]}.{spelled(value.head[1:])}({', '.join(arguments[1:])})"
    if value.head == "call":
        return f"{arguments[0]}({', '.join(arguments[1:])})"
    return f"{spelled(value.head)}({', '.join(arguments)})"


def _operation(head: str, args: list[str]) -> str:
    if head == "()":
        return f"[{', '.join(args)}]"
    if head == "[]":
        return f"{args[0]}[{args[1]}]"
    if len(args) == 1:
        return f"{args[0]}{head}" if head.startswith("[") else f"{head}{args[0]}"
    return f" {head} ".join(
        f"({arg})" if _has_operator(arg) and not _is_plain(head, at, arg) else arg
        for at, arg in enumerate(args)
    )


def _is_plain(head: str, at: int, arg: str) -> bool:
    """Whether an operand of a sum, with calls in it, means the same without brackets, which would make it longer."""
    in_sum = head == "+" or (head == "-" and at == 0)
    return in_sum and "(" in arg and _LOOSER.search(arg) is None


def _has_operator(text: str) -> bool:
    """Whether a value is written with an operator that no bracket encloses."""
    depth = 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == " " and not depth:
            return True
    return False
