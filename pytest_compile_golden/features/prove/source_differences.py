"""What does something else in two versions of a package, file by file."""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec
import platformdirs

from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.common.files import write_cached
from pytest_compile_golden.common.garbage_collection import gc_paused
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.torch_source.definitions import (
    FUNCTION,
    Function,
    bare,
    first_line,
)
from pytest_compile_golden.torch_source.installed_sources import Sources

_SETTINGS = (
    "torch/_dynamo/config.py",
    "torch/_functorch/config.py",
    "torch/_inductor/config.py",
)
_AROUND = 3
"""Lines."""
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_ALIKE = 0.5
"""Of the lines of a function that has another name."""
_REMARK = re.compile(r"(?:^|\s)#.*")
_VERSION = 8
"""Of what is kept."""

Kind = Literal["setting", "function", "constant", "call", "added", "template"]
"""`function`: also one that only the old version has. `call`: a call at the top level that only the old version makes.
`added`: a function that only the new version has, which is to be removed. `template`: a file with a kernel's."""


class Differing(msgspec.Struct, frozen=True):
    """A definition that does something else in the two versions, or that only one of them has."""

    kind: Kind
    name: str
    first: int
    """Its lines in the newer version; 0 for what only the old one has."""
    last: int
    words: frozenset[str]
    """Those that are only in one of the versions."""
    around: frozenset[str] = frozenset()
    """Those of the lines around them."""
    was: str = ""
    """The name in the old version, if that is another."""
    once: bool = False
    """Whether it is given nothing, so that what it makes may be kept: it matters though it does not run again."""


class _Kept(msgspec.Struct):
    digest: str
    """Of both texts."""
    differing: tuple[Differing, ...]


class Differences:
    """What differs between two versions, file by file; what was found is kept in the user's cache."""

    def __init__(self, old: Sources, new: Sources, root: Path | None = None) -> None:
        self.old, self.new = old, new
        # A wheel has no folder for long.
        sides = (side.commit or side.folder for side in (old, new))
        pair = of_texts(map(str, (_VERSION, old.package, *sides)))[:16]
        self.folder = (
            root or platformdirs.user_cache_path("pytest-compile-golden") / "prove"
        )
        self._path = self.folder / f"{pair}.json"
        self._files: dict[str, tuple[Differing, ...]] = {}
        self._kept: dict[str, _Kept] = {}
        self._grown = False
        with suppress(OSError, msgspec.MsgspecError):
            self._kept = msgspec.json.decode(
                self._path.read_bytes(), type=dict[str, _Kept]
            )

    def of(self, file: str) -> tuple[Differing, ...]:
        """What does something else in a file of the package; compared once."""
        if file not in self._files:
            self._files[file] = self._of(file)
        return self._files[file]

    def keep(self) -> None:
        """Write what was found to the user's cache, if that can be written."""
        if not self._grown:
            return
        with suppress(OSError):
            write_cached(self._path, msgspec.json.encode(self._kept))
            self._grown = False

    def _of(self, file: str) -> tuple[Differing, ...]:
        before, after = self.old.text(file), self.new.text(file)
        # Settings are compared by their values.
        if before == after or not before or file in _SETTINGS:
            return ()
        digest = of_texts((before, after))[:16]
        kept = self._kept.get(file)
        if kept is None or kept.digest != digest:
            with gc_paused():
                kept = self._kept[file] = _Kept(
                    digest, tuple(_differing(self.old, self.new, file))
                )
            self._grown = True
        return kept.differing


def _differing(old: Sources, new: Sources, file: str) -> Iterator[Differing]:
    before, after = old.definitions(file), new.definitions(file)
    texts = split_lines(old.text(file)), split_lines(new.text(file))
    if not file.endswith(".py"):
        yield Differing(
            "template", PurePosixPath(file).name, 1, len(texts[1]), *_changed(texts)
        )
    moved = _moved(before, after, texts)
    for name, node in after.items():
        was = moved.get(name, "")
        there = before.get(was or name)
        if (
            name not in before
            and isinstance(node, FUNCTION)
            and _is_reached_by_others(name, node, before)
        ):
            yield _one("added", name, node, words_in(_lines(texts[1], node)))
        elif there is None:
            continue
        elif not isinstance(node, ast.ClassDef):
            # What is in a class is compared by itself.
            sides = _lines(texts[0], there), _lines(texts[1], node)
            if sides[0] == sides[1] or bare(there) == bare(node):
                continue
            changed, around = _changed(sides)
            changed = changed.union(words_in([name, was]) if was else ())
            if isinstance(node, FUNCTION) and isinstance(there, FUNCTION):
                yield _one("function", name, node, changed, around, was)
            elif (
                old.value(file, name) is not None and new.value(file, name) is not None
            ):
                yield _one("constant", name, node, changed)
    for name, node in before.items():
        if (
            name not in after
            and isinstance(node, FUNCTION)
            and _is_reached_by_others(name, node, after)
        ):
            yield Differing(
                "function", name, 0, 0, frozenset(words_in(_lines(texts[0], node)))
            )
    known = {bare(call) for call in new.calls(file)}
    for call in old.calls(file):
        if bare(call) not in known:
            yield Differing(
                "call",
                ast.unparse(call),
                0,
                0,
                frozenset(words_in([ast.unparse(call)])),
            )


def _moved(
    before: Mapping[str, ast.stmt],
    after: Mapping[str, ast.stmt],
    texts: tuple[list[str], list[str]],
) -> dict[str, str]:
    """The old names of functions that have another, or are of another class, and mostly the same lines."""
    gone, come = (
        {
            name: Counter(map(str.strip, _lines(text, side[name])))
            for name in side
            if name not in other
        }
        for side, other, text in ((before, after, texts[0]), (after, before, texts[1]))
    )
    found = {}
    for name, lines in come.items():
        alike = {
            was: (lines & its).total() / max(lines.total(), its.total())
            for was, its in gone.items()
        }
        was = max(alike, key=alike.__getitem__, default="")
        if (
            was
            and alike[was] > _ALIKE
            and isinstance(after[name], FUNCTION)
            and isinstance(before[was], FUNCTION)
        ):
            found[name] = was
    return found


def _changed(
    sides: tuple[list[str], list[str]],
) -> tuple[frozenset[str], frozenset[str]]:
    """The words that only one side has, or more often, and those of the lines around them."""
    before, after = (Counter(words_in(side)) for side in sides)
    changed = frozenset((before - after) + (after - before))
    return changed, frozenset(
        words_in(difflib.unified_diff(*sides, lineterm="", n=_AROUND))
    ) - changed


def _one(
    kind: Kind,
    name: str,
    node: ast.stmt,
    words: Iterable[str],
    around: frozenset[str] = frozenset(),
    was: str = "",
) -> Differing:
    takes = ast.unparse(node.args) if isinstance(node, FUNCTION) else "self"
    once = takes == ("self" if name.endswith("__init__") else "")
    last = node.end_lineno or node.lineno
    return Differing(
        kind, name, first_line(node), last, frozenset(words), around, was, once
    )


def _is_reached_by_others(name: str, node: Function, other: Collection[str]) -> bool:
    """Whether a function that only one version has may matter although no other function says so: it overrides one of
    a class that both have, or its decorator registers it. Others come and go with those that call them."""
    owner = name.rpartition(".")[0]
    return (
        owner in other
        if owner
        else any(isinstance(decorator, ast.Call) for decorator in node.decorator_list)
    )


def _lines(text: list[str], node: ast.stmt) -> list[str]:
    return [
        _REMARK.sub("", line) for line in text[first_line(node) - 1 : node.end_lineno]
    ]


def words_in(texts: Iterable[str]) -> list[str]:
    """The identifiers and numbers in texts, in order."""
    return [word for text in texts for word in _WORD.findall(text)]
