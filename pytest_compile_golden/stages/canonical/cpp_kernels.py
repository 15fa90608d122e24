"""C++ kernels: the stream of tokens with local names by place."""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import lru_cache

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.stages.canonical.statements import MESSAGE

_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
_TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\.?\d(?:[\w.]|(?<=[eE])[+-])*|::|->|<<=?|[-+*/%&|^=!<>]=|&&|\|\||\S'
)
# Bookkeeping around a kernel that torch 2.13 added to every C++ kernel; it changes nothing of what the kernel computes.
_BOOKKEEPING = re.compile(r"[^\n;{}]*inductor_cpu_(?:throw_if_)?integer_div_error[^\n;]*;")
_BOOKKEEPING_INCLUDE = re.compile(r"^\s*#include [^\n]*integer_div[^\n]*$", re.M)
_KERNEL_NAME = re.compile(r"cpp_fused_\w+|cpp_\w+_\d+$")

# Names that Inductor makes (torch/_inductor/codegen/cpp.py), and what stands in front of a name that is declared.
_LOCAL = re.compile(
    r"(?:tmp|x|r|buf|acc|arg|ks|ws|local|welford|masked|in_ptr|out_ptr|in_out_ptr)_?\w*$"
    r"|\w+_(?:ptr|ptr\d+|acc\w*|helper_?\d+)$"
)
_NO_TYPE = frozenset(
    [
        "return",
        "else",
        "new",
        "delete",
        "throw",
        "case",
        "goto",
        "sizeof",
        "typename",
        "template",
        "class",
        "struct",
        "using",
        "namespace",
        "operator",
        "const",
        "static",
        "inline",
        "extern",
        "if",
        "while",
        "for",
        "switch",
        "do",
    ]
)
_TYPE = re.compile(r"(?:auto|float|double|bool|char|int|long|short|unsigned|void|half|bfloat16|[A-Z]\w*|\w+_t)$")
_AFTER_DECLARED = frozenset(["=", ";", ",", ")", "[", "{", ":", "("])


def cpp(text: str) -> Hashable:
    """Kernels token by token, without comments, layout, bookkeeping, kernel names and the names of local variables."""
    return tuple(tokens(text))


def without_comments(text: str) -> str:
    """`text` without comments and without torch's bookkeeping lines."""
    text = _COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else "", text)
    if "integer_div" in text:
        text = _BOOKKEEPING_INCLUDE.sub("", _BOOKKEEPING.sub("", text))
    return text


@lru_cache(maxsize=1 << 14)
def _line(line: str) -> tuple[str, ...]:
    if line.startswith("#"):
        return (" ".join(line.split()),)
    return tuple(_TOKEN.findall(line))


def tokens(text: str) -> list[str]:
    """The tokens, local names replaced by `%0`, `%1` ... as they are declared."""
    found: list[str] = []
    for line in split_lines(without_comments(text)):
        found += _line(line.strip())
    scopes: list[dict[str, str]] = [{}]
    visible: dict[str, str] = {}
    count = 0
    for index, token in enumerate(found):
        first = token[0]
        if first == "{":
            scopes.append({})
        elif first == "}":
            if len(scopes) > 1:
                scopes.pop()
                visible = {name: place for scope in scopes for name, place in scope.items()}
            if len(scopes) == 1:  # the end of a function: its parameters go too
                scopes, visible = [{}], {}
        elif first == '"' and MESSAGE in token:
            found[index] = f'"{MESSAGE}"'
        elif first.isalpha() or first == "_":
            if _declares(found, index, visible):
                scopes[-1][token] = visible[token] = found[index] = f"%{count}"
                count += 1
            elif token in visible and (index == 0 or found[index - 1] not in (".", "->", "::")):
                found[index] = visible[token]
            elif token.startswith("cpp_") and _KERNEL_NAME.match(token):
                found[index] = "kernel"
    return found


def _declares(found: list[str], index: int, visible: dict[str, str]) -> bool:
    """Whether the token at `index` is a name declared here: a type stands before it."""
    token, before = found[index], found[index - 1] if index else ""
    after = found[index + 1] if index + 1 < len(found) else ""
    if after not in _AFTER_DECLARED or not before:
        return False
    if before[0].isalpha() or before[0] == "_":
        # `kernel(` is a function; a variable may be followed by its constructor's arguments.
        return before not in _NO_TYPE and (after != "(" or _LOCAL.match(token) is not None)
    if before == ">":  # `Vectorized<float> a =`; `a > b;` compares
        return after in ("=", "{") or (
            after in (";", "(", "[") and token not in visible and _LOCAL.match(token) is not None
        )
    if before in ("*", "&") and index > 1:  # `float* a,`; `a * b,` multiplies
        return found[index - 2] == ">" or _TYPE.match(found[index - 2]) is not None
    return False
