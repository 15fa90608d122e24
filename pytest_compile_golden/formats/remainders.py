"""A remainder of a remainder is the remainder, if the one number divides the other: in each of Inductor's spellings."""

from __future__ import annotations

import re

_BALANCED = r"(?:[^(),]|\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\))+"
_CAST = r"(?:static_cast<int64_t>)?"
_NUMBER = rf"{_CAST}\(?(\d+)L?\)?"
# `((x0 % 64)) % 16` in Triton; in C++, with `static_cast<int64_t>()` around each value and number
_NESTED = re.compile(rf"{_CAST}\(\(({_CAST}(?:\w+|\({_BALANCED}\))) % {_NUMBER}\)\) % ({_NUMBER})(?![\w.])")
# b // first % of // second % modulus
_INDEXING = re.compile(rf"ModularIndexing\(ModularIndexing\(({_BALANCED}), (\d+), (\d+)\), (\d+), ([1-9]\d*)\)")


def once(text: str) -> str:
    """`text` with each remainder of a remainder that takes nothing away as one."""
    if text.count(" % ") > 1:
        text = _NESTED.sub(_remainder, text)
    return _INDEXING.sub(_indexing, text) if "ModularIndexing(ModularIndexing(" in text else text


def _remainder(match: re.Match[str]) -> str:
    value, outer, inner, modulus = match.groups()
    return f"{value} % {inner}" if int(modulus) and int(outer) % int(modulus) == 0 else match[0]


def _indexing(match: re.Match[str]) -> str:
    base, first, of, second, modulus = match.groups()
    if int(of) % (int(second) * int(modulus)):
        return match[0]
    return f"ModularIndexing({base}, {int(first) * int(second)}, {modulus})"
