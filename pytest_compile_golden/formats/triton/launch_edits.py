"""How the launch of a Triton kernel changed: its kind, tiling and metadata."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pytest_compile_golden.formats.edits import Edit, edit
from pytest_compile_golden.formats.metadata import ENTRY, has_effect, normalised

# Entries that follow from what the kernel does or from its size.
_BOOKS = frozenset({"signature", "configs", "constants", "num_load", "num_store", "num_reduction", "mutated_arg_names"})
_KIND = re.compile(r"@triton_heuristics\.(\w+)\(")
_HINT = re.compile(r"reduction_hint=ReductionHint\.(\w+)")
_SIZES = re.compile(r"size_hints=(\{.*?\})")
_GRID = re.compile(r"'grid_type': '(\w+)'")


def tiling(old: str, new: str) -> Iterator[Edit]:
    """A change of loop nest; other differences in the kernel's indices follow from it."""
    kinds = [kind(source) for source in (old, new)]
    if kinds[0] != kinds[1]:
        persistent = "persistent_reduction"
        news = {persistent: "reduction is persistent now", kinds[0]: ""}.get(kinds[1], "")
        news = news or ("reduction is a loop now" if kinds[0] == persistent else "kernel is of another kind")
        yield edit(f"{news} (triton_heuristics.{kinds[0]} -> {kinds[1]})", "memory")
    tiles = [_tiles(source) for source in (old, new)]
    if len(tiles[0]) != len(tiles[1]):
        grids = [_first(_GRID, source) for source in (old, new)]
        gone = ", ".join(f"no {name.upper()}BLOCK" for name in tiles[0] if name not in tiles[1])
        how = ", ".join(filter(None, [f"{grids[0]} -> {grids[1]}" if grids[0] != grids[1] else "", gone]))
        label = f"kernel is tiled in {len(tiles[1])}D instead of {len(tiles[0])}D"
        yield edit(f"{label}{f' ({how})' if how else ''}", "memory", key=label)


def kind(text: str) -> str:
    """`pointwise`, `reduction`, `persistent_reduction` ..."""
    return _first(_KIND, text)


def _tiles(text: str) -> list[str]:
    match = _SIZES.search(text)
    return [] if match is None else [name for name in re.findall(r"'(\w+)':", match[1]) if name in ("x", "y", "z")]


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""


def metadata(old: str, new: str, tiled: bool) -> Iterator[Edit]:
    """Changes to a kernel's decorator. `tiled`: `tiling` reports an edit that some of them follow from."""
    before, after = _entries(old), _entries(new)
    combo = "combo kernels: " if "combo_grid_meta" in {**before, **after} else ""
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was == now or not (has_effect(name, was or "None") or has_effect(name, now or "None")):
            continue
        follows = name in _BOOKS or (tiled and name in ("grid_type", "no_x_dim"))
        for text in _value_edits(name, was, now):
            yield edit(f"{combo}launch metadata {text}", "launch", follows=follows)
    hints = [_first(_HINT, source) for source in (old, new)]
    if hints[0] != hints[1]:
        yield edit(f"reduction hint {hints[0]} -> {hints[1]}", "launch", follows=tiled)
    sizes = [_first(_SIZES, source) for source in (old, new)]
    if sizes[0] != sizes[1]:
        yield edit(f"size_hints: {sizes[0]} -> {sizes[1]}", "launch", key="other sizes", follows=True)


def _value_edits(name: str, old: str | None, new: str | None) -> Iterator[str]:
    if old is not None and new is not None and "{" in old + new:
        try:
            before, after = ast.literal_eval(old), ast.literal_eval(new)
        except (ValueError, SyntaxError):
            before = after = None
        if isinstance(before, dict) and isinstance(after, dict):
            for key in dict.fromkeys((*before, *after)):
                was, now = (repr(side[key]) if key in side else None for side in (before, after))
                if was != now:
                    yield from _value_edits(f"{name}[{key!r}]", was, now)
            return
    if old is None:
        yield f"{name} = {new} is new"
    elif new is None:
        yield f"{name} = {old} is gone"
    else:
        yield f"{name}: {old} -> {new}"


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
