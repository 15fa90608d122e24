"""What may have made an artifact differ: definitions that differ and that ran before it was complete."""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import platformdirs

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.torch_source import defaults
from pytest_compile_golden.torch_source.installation import Installation
from pytest_compile_golden.wings.prove.coverage import Place, Ran, entry_of
from pytest_compile_golden.wings.prove.definitions import FUNCTION, Sources, bare, first_line
from pytest_compile_golden.wings.prove.messages import Edit, Kind

_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_VERSION = 3
"""Of what is kept."""


class Differing(msgspec.Struct, frozen=True):
    """A definition that both versions have and that does something else, or a call that only the old one makes."""

    kind: Kind
    name: str
    first: int
    """Its lines in the newer version."""
    last: int
    words: frozenset[str]
    """Those that are only in one of the versions."""


class _Kept(msgspec.Struct):
    digest: str
    """Of both texts."""
    differing: tuple[Differing, ...]


class Differences:
    """What differs between two versions, file by file; what was found is kept in the user's cache."""

    def __init__(self, old: Sources, new: Sources, root: Path | None = None) -> None:
        self.old, self.new = old, new
        pair = hashlib.sha256(f"{_VERSION}\0{old.folder}\0{new.folder}".encode()).hexdigest()[:16]
        root = root or platformdirs.user_cache_path("pytest-compile-golden") / "prove"
        self._path = root / f"{pair}.json"
        self._files: dict[str, tuple[Differing, ...]] = {}
        self._kept: dict[str, _Kept] = {}
        self._grown = False
        with suppress(OSError, msgspec.MsgspecError):
            self._kept = msgspec.json.decode(self._path.read_bytes(), type=dict[str, _Kept])

    def of(self, file: str) -> tuple[Differing, ...]:
        if file not in self._files:
            self._files[file] = self._of(file)
        return self._files[file]

    def keep(self) -> None:
        """Write what was found to the user's cache."""
        if self._grown:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary = self._path.with_suffix(".tmp")
            temporary.write_bytes(msgspec.json.encode(self._kept))
            temporary.replace(self._path)
            self._grown = False

    def _of(self, file: str) -> tuple[Differing, ...]:
        before, after = self.old.text(file), self.new.text(file)
        if before == after or file.endswith("config.py"):  # settings are compared by their values
            return ()
        digest = hashlib.sha256(f"{before}\0{after}".encode("utf-8", "replace")).hexdigest()[:16]
        kept = self._kept.get(file)
        if kept is None or kept.digest != digest:
            kept = self._kept[file] = _Kept(digest, tuple(_differing(self.old, self.new, file)))
            self._grown = True
        return kept.differing


def _differing(old: Sources, new: Sources, file: str) -> Iterator[Differing]:
    before, after = old.definitions(file), new.definitions(file)
    lines = split_lines(old.text(file)), split_lines(new.text(file))
    for name, node in after.items():
        if name not in before or bare(before[name]) == bare(node):
            continue
        if isinstance(node, FUNCTION) and isinstance(before[name], FUNCTION):
            kind: Kind = "function"
        elif old.value(file, name) is not None and new.value(file, name) is not None:
            kind = "constant"
        else:
            continue
        words = [Counter(_words(_lines(side, of))) for side, of in zip(lines, (before[name], node), strict=True)]
        first = first_line(node) if isinstance(node, FUNCTION) else node.lineno
        changed = frozenset((words[0] - words[1]) + (words[1] - words[0]))
        yield Differing(kind, name, first, node.end_lineno or first, changed)
    there = {bare(call) for call in new.calls(file)}
    for call in old.calls(file):
        if bare(call) not in there:
            yield Differing("call", ast.unparse(call), 0, 0, frozenset(_words([ast.unparse(call)])))


def _lines(text: list[str], node: ast.stmt) -> list[str]:
    return text[node.lineno - 1 : node.end_lineno]


def settings(old: Sources, new: Sources) -> list[Edit]:
    """Defaults of torch's configuration, back to what they were."""
    return [
        Edit("setting", f"torch/_{package}/config.py", name, default.old or "False")
        for default in defaults.changed(Installation(old.folder), Installation(new.folder))
        for package, _, name in [default.name.partition(".")]
    ]


def ran(differences: Differences, places: Iterable[Place]) -> dict[Edit, Differing]:
    """The functions that differ among those with code at these places, and the constants and calls of their files."""
    found = {}
    for file, lines in _by_file(places).items():
        for one in differences.of(file):
            if one.kind != "function" or any(one.first <= line <= one.last for line in lines):
                found[Edit(one.kind, file, one.name)] = one
    return found


def _by_file(places: Iterable[Place]) -> dict[str, set[int]]:
    files: dict[str, set[int]] = {}
    for file, line in places:
        files.setdefault(file, set()).add(line)
    return files


def ranked(edits: dict[Edit, Differing], words: Collection[str], blamed: Collection[str]) -> list[Edit]:
    """The likeliest first: those that the report blames, then those whose difference shares rare words with the change.

    words: of the lines that differ. blamed: places, `torch/a.py:12` or `torch/a.py:function`.
    """
    common = Counter(word for one in edits.values() for word in one.words)

    def likeliness(edit: Edit) -> tuple[bool, bool, float]:
        score = sum(1 / common[word] for word in edits[edit].words & {*words})
        return is_blamed(edit, edits[edit], blamed), edit.kind != "call", score

    return sorted(edits, key=likeliness, reverse=True)


def words_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(_words(texts))


def _words(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in _WORD.findall(text)]


def is_blamed(edit: Edit, one: Differing, blamed: Collection[str]) -> bool:
    for where in blamed:
        file, _, at = where.rpartition(":")
        if file == edit.file and (at == edit.name or (at.isdigit() and one.first <= int(at) <= one.last)):
            return True
    return False


def until(ran: Ran, stage: str) -> tuple[list[Place], list[Place]]:
    """What ran between the stage before and the end of `stage`, and what ran earlier."""
    last = entry_of(stage)
    made = list(ran)  # in the order in which they were first made
    before = made[: made.index(last)] if last in made else made
    near = ran.get(last, [])
    return near, list({place: None for entry in reversed(before) for place in ran[entry] if place not in {*near}})
