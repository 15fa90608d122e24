"""The decorator of a Triton kernel: what it tells the launcher, without entries that have no effect."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache

from pytest_compile_golden.formats import canonical_text

NOTHING = frozenset({"None", "False", "0", "[]", "{}", "()", "set()"})
"""Values that mean the same as a missing entry."""
WITHOUT_EFFECT = frozenset({"kernel_name", "tiling_scores"})
"""Scores are the basis on which heuristics choose blocks, and their choice is in the trail."""
_SETS = frozenset({"autotune_hints", "mutated_arg_names"})
"""Entries that torch writes as a set, a list or a tuple, in no meaningful order (torch/_inductor/codegen/triton.py:
codegen_kernel sorts them)."""


ENTRY = re.compile(r"'(\w+)': (.*?),?$")
STRING = re.compile(r"'(\w+)'")
_SECTIONS = ("triton_meta", "inductor_meta")
_DEFAULTS = {"enable_fp_fusion": "True"}
"""What an entry says that says what holds without it (triton/backends/nvidia/compiler.py: CUDAOptions)."""


def section(line: str) -> str:
    """The metadata that starts in a line of a decorator: `triton_meta`, `inductor_meta`; empty if none does."""
    name, _, value = line.strip().partition("=")
    return name if name in _SECTIONS and value.startswith("{") else ""


def sections(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each line with the metadata that it is in; outside of it with an empty text."""
    inside = ""
    for line in lines:
        inside = section(line) or (inside if ENTRY.match(line.strip()) else "")
        yield line, inside


def has_effect(name: str, value: str) -> bool:
    """Whether an entry of `triton_meta` or `inductor_meta` has an effect."""
    if name in _DEFAULTS:
        return value != _DEFAULTS[name]
    return name not in WITHOUT_EFFECT and value not in NOTHING


def normalised(name: str, value: str) -> str:
    """The value of an entry, however torch spells it."""
    if name not in _SETS or value in NOTHING:
        return value
    return ", ".join(
        sorted(
            filter(None, canonical_text.arguments(value.strip("[](){}").rstrip(",")))
        )
    )


def entries(lines: Iterable[str]) -> dict[str, str]:
    """The entries of metadata by name, each value as it is written."""
    return {
        entry[1]: entry[2] for entry in map(ENTRY.match, lines) if entry is not None
    }


def form(lines: Iterable[str], arguments: Mapping[str, int]) -> Hashable:
    """The lines of a decorator, with entries unordered and the kernel's arguments by position.

    `lines` are as written by `formats/inductor_module.py`: one entry per line.
    """

    def by_position(match: re.Match[str]) -> str:
        position = arguments.get(match[1])
        return match[0] if position is None else f"'argument {position}'"

    other_lines: list[str] = []
    found: list[Hashable] = []
    section = ""
    for line in lines:
        if line.endswith("meta={"):
            section = line
        elif section and line in ("},", "}"):
            section = ""
        elif section and (entry := ENTRY.match(line)):
            if has_effect(entry[1], entry[2]):
                value = normalised(entry[1], STRING.sub(by_position, entry[2]))
                found.append((section, entry[1], _value(value)))
        elif line != ")":
            other_lines.append(line)
    return tuple(other_lines), frozenset(found)


@lru_cache(maxsize=4096)
def _value(value: str) -> Hashable:
    """A dictionary without the order of its keys, at any depth."""
    if "{" not in value:
        return value
    try:
        return _hashable(ast.parse(value, mode="eval").body)
    except SyntaxError:
        return value


def _hashable(node: ast.expr) -> Hashable:
    if isinstance(node, ast.Dict):
        pairs = [
            (None if key is None else _hashable(key), _hashable(value))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return "dict", frozenset(pairs)
    if isinstance(node, (ast.List, ast.Tuple)):
        return type(node).__name__, tuple(_hashable(element) for element in node.elts)
    return ast.unparse(node)
