"""How the launch of a Triton kernel changed: its kind, tiling and metadata."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.kernels import (
    LoopNestChanged,
    MetadataChanged,
    ReductionHintChanged,
    SizeHintsChanged,
    TilingChanged,
)
from pytest_compile_golden.formats.metadata import ENTRY, has_effect, normalised

# Entries that follow from what the kernel does or from its size.
_BOOKS = frozenset({"signature", "configs", "constants", "num_load", "num_store", "num_reduction", "mutated_arg_names"})
_KIND = re.compile(r"@triton_heuristics\.(\w+)\(")
_HINT = re.compile(r"reduction_hint=ReductionHint\.(\w+)")
_SIZES = re.compile(r"size_hints=(\{.*?\})")
_GRID = re.compile(r"'grid_type': '(\w+)'")


def tiling(old: str, new: str) -> Iterator[Change]:
    """A change of loop nest; other differences in the kernel's indices follow from it."""
    kinds = [kind(source) for source in (old, new)]
    if kinds[0] != kinds[1]:
        yield LoopNestChanged(*kinds)
    tiles = [_tiles(source) for source in (old, new)]
    if len(tiles[0]) != len(tiles[1]):
        grids = _first(_GRID, old), _first(_GRID, new)
        gone = tuple(f"{name.upper()}BLOCK" for name in tiles[0] if name not in tiles[1])
        yield TilingChanged(len(tiles[0]), len(tiles[1]), grids if grids[0] != grids[1] else None, gone)


def kind(text: str) -> str:
    """`pointwise`, `reduction`, `persistent_reduction` ..."""
    return _first(_KIND, text)


def _tiles(text: str) -> list[str]:
    match = _SIZES.search(text)
    return [] if match is None else [name for name in re.findall(r"'(\w+)':", match[1]) if name in ("x", "y", "z")]


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""


def metadata(old: str, new: str, tiled: bool) -> Iterator[Change]:
    """Changes to a kernel's decorator. `tiled`: `tiling` reports an edit that some of them follow from."""
    before, after = _entries(old), _entries(new)
    combo = "combo_grid_meta" in {**before, **after}
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was == now or not any(value is not None and has_effect(name, value) for value in (was, now)):
            continue
        follows = name in _BOOKS or (tiled and name in ("grid_type", "no_x_dim"))
        for entry, old_value, new_value in _values(name, was, now):
            yield MetadataChanged(entry, old_value, new_value, combo, follows=follows)
    hints = [_first(_HINT, source) for source in (old, new)]
    if hints[0] != hints[1]:
        yield ReductionHintChanged(*hints, follows=tiled)
    sizes = [_first(_SIZES, source) for source in (old, new)]
    if sizes[0] != sizes[1]:
        yield SizeHintsChanged(*sizes, follows=True)


def _values(name: str, old: str | None, new: str | None) -> Iterator[tuple[str, str | None, str | None]]:
    """The entries of a value that differ, if it is a dictionary; else the value."""
    if old is not None and new is not None and "{" in old + new:
        try:
            before, after = ast.literal_eval(old), ast.literal_eval(new)
        except (ValueError, SyntaxError):
            before = after = None
        if isinstance(before, dict) and isinstance(after, dict):
            for key in dict.fromkeys((*before, *after)):
                was, now = (repr(side[key]) if key in side else None for side in (before, after))
                if was != now:
                    yield from _values(f"{name}[{key!r}]", was, now)
            return
    yield name, old, new


def _entries(source: str) -> dict[str, str]:
    """The entries of a kernel's metadata, which come before its first `def`."""
    entries = {}
    for line in source.split("\n"):
        if line.startswith("def "):
            break
        entry = ENTRY.match(line.strip())
        if entry is not None:
            entries[entry[1]] = normalised(entry[1], entry[2])
    return entries
