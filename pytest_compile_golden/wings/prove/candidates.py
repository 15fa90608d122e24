"""What may have made an artifact differ: definitions that differ and that ran before it was complete."""

from __future__ import annotations

import ast
import difflib
import hashlib
import os
import re
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

import msgspec
import platformdirs

from pytest_compile_golden.garbage import all_kept
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.recordings import pairing
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.report.cases import case_report
from pytest_compile_golden.report.model import CaseReport
from pytest_compile_golden.torch_source import defaults
from pytest_compile_golden.torch_source.definitions import FUNCTION, Function, bare, first_line
from pytest_compile_golden.torch_source.installation import Sources
from pytest_compile_golden.wings.prove.coverage import Place, Ran, entry_of
from pytest_compile_golden.wings.prove.messages import Edit, Kind

_SETTINGS = ("torch/_dynamo/config.py", "torch/_functorch/config.py", "torch/_inductor/config.py")
_AROUND = 3
"""Lines."""
_LESS = 0.3
"""What a word around a change, or one of a step that differs, counts, compared with one of it."""
_BY_SIZE = 0.35
_NEARER = 3
_SHORTEST = 3
"""Letters of a part of a name."""
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_REMARK = re.compile(r"(?:^|\s)#.*")
_VERSION = 7
"""Of what is kept."""


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
        pair = hashlib.sha256("\0".join(map(str, (_VERSION, old.package, *sides))).encode()).hexdigest()[:16]
        self.folder = root or platformdirs.user_cache_path("pytest-compile-golden") / "prove"
        self._path = self.folder / f"{pair}.json"
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
            temporary = self._path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
            temporary.write_bytes(msgspec.json.encode(self._kept))
            temporary.replace(self._path)
            self._grown = False

    def _of(self, file: str) -> tuple[Differing, ...]:
        before, after = self.old.text(file), self.new.text(file)
        if before == after or not before or file in _SETTINGS:  # settings are compared by their values
            return ()
        digest = hashlib.sha256(f"{before}\0{after}".encode("utf-8", "replace")).hexdigest()[:16]
        kept = self._kept.get(file)
        if kept is None or kept.digest != digest:
            with all_kept():
                kept = self._kept[file] = _Kept(digest, tuple(_differing(self.old, self.new, file)))
            self._grown = True
        return kept.differing


def _differing(old: Sources, new: Sources, file: str) -> Iterator[Differing]:
    before, after = old.definitions(file), new.definitions(file)
    texts = split_lines(old.text(file)), split_lines(new.text(file))
    if not file.endswith(".py"):
        yield Differing("template", PurePosixPath(file).name, 1, len(texts[1]), *_changed(texts))
    for name, node in after.items():
        there = before.get(name)
        if there is None:
            if isinstance(node, FUNCTION) and _is_reached_by_others(name, node, before):
                yield _one("added", name, node, _words(_lines(texts[1], node)))
        elif not isinstance(node, ast.ClassDef):  # what is in a class is compared by itself
            sides = _lines(texts[0], there), _lines(texts[1], node)
            if sides[0] == sides[1] or bare(there) == bare(node):
                continue
            changed, around = _changed(sides)
            if isinstance(node, FUNCTION) and isinstance(there, FUNCTION):
                yield _one("function", name, node, changed, around)
            elif old.value(file, name) is not None and new.value(file, name) is not None:
                yield _one("constant", name, node, changed)
    for name, node in before.items():
        if name not in after and isinstance(node, FUNCTION) and _is_reached_by_others(name, node, after):
            yield Differing("function", name, 0, 0, frozenset(_words(_lines(texts[0], node))))
    known = {bare(call) for call in new.calls(file)}
    for call in old.calls(file):
        if bare(call) not in known:
            yield Differing("call", ast.unparse(call), 0, 0, frozenset(_words([ast.unparse(call)])))


def _changed(sides: tuple[list[str], list[str]]) -> tuple[frozenset[str], frozenset[str]]:
    """The words that only one side has, or more often, and those of the lines around them."""
    before, after = (Counter(_words(side)) for side in sides)
    changed = frozenset((before - after) + (after - before))
    return changed, frozenset(_words(difflib.unified_diff(*sides, lineterm="", n=_AROUND))) - changed


def _one(
    kind: Kind, name: str, node: ast.stmt, words: Iterable[str], around: frozenset[str] = frozenset()
) -> Differing:
    return Differing(kind, name, first_line(node), node.end_lineno or node.lineno, frozenset(words), around)


def _is_reached_by_others(name: str, node: Function, other: Collection[str]) -> bool:
    """Whether a function that only one version has may matter although no other function says so: it overrides one of
    a class that both have, or its decorator registers it. Others come and go with those that call them."""
    owner = name.rpartition(".")[0]
    return owner in other if owner else any(isinstance(decorator, ast.Call) for decorator in node.decorator_list)


def _lines(text: list[str], node: ast.stmt) -> list[str]:
    return [_REMARK.sub("", line) for line in text[first_line(node) - 1 : node.end_lineno]]


def settings(old: Sources, new: Sources) -> list[Edit]:
    """Defaults of torch's configuration, back to what they were."""
    if new.package != "torch":
        return []
    return [
        Edit("setting", f"torch/_{package}/config.py", name, default.old or "False")
        for default in defaults.changed(old, new)
        for package, _, name in [default.name.partition(".")]
    ]


def ran(differences: Differences, places: Iterable[Place], names: Collection[str]) -> dict[Edit, Differing]:
    """The functions that differ among those with code at these places, and what they may use of their files.

    names: those that the functions that ran refer to.
    """
    found = {}
    files: dict[str, set[int]] = {}
    for file, line in places:
        files.setdefault(file, set()).add(line)
    folders = dict.fromkeys(file.rpartition("/")[0] for file in files)
    files |= {file: set() for folder in folders for file in differences.new.templates(folder)}
    for file, lines in files.items():
        for one in differences.of(file):
            if one.first and (one.kind == "function" or (one.kind == "added" and "." in one.name)):
                there = any(one.first <= line <= one.last for line in lines)
            else:
                there = one.kind != "constant" or one.name.rpartition(".")[2] in names
            if there:
                found[Edit(one.kind, file, one.name)] = one
    return found


@dataclass(frozen=True)
class Pool:
    """The candidates of a search."""

    edits: dict[Edit, Differing]
    near: frozenset[Edit]
    """Those that ran after the stage before was complete."""
    blamed: Collection[str]
    """The places that the report names, `torch/a.py:12` or `torch/a.py:function`."""
    subjects: frozenset[str] = frozenset()
    """The words of what it says has changed."""
    called: Collection[tuple[str, str]] = ()
    """The file and the last part of the name of what is called at these places."""

    def likeliest(
        self, words: Collection[str], trail: Collection[str] = (), found: Collection[Edit] = ()
    ) -> list[Edit]:
        """Those that the report blames, what these call, what registers something for an operator that it names, then
        those that share rare words with what differs, or with its trail, or with what was found so far.

        Of functions that changed a lot, much is shared by chance.
        """
        also = frozenset(trail).union(*(self._words[edit][0] for edit in found if edit in self._words))
        said = self.subjects.union(words)
        said = said.union(word[:-1] for word in said if word.endswith("s"))  # `guards`
        weights = dict.fromkeys(also, _LESS) | dict.fromkeys(said, 1.0)
        scores: dict[Edit, float] = {}
        for edit, (own, around) in self._words.items():
            score = sum(weights[word] / self._common[word] for word in own & weights.keys())
            score += _LESS * sum(weights[word] / self._common[word] for word in around & weights.keys())
            if score:
                size = (len(self.edits[edit].words) + 1) ** _BY_SIZE
                scores[edit] = score / size * (_NEARER if edit in self.near else 1)
        likely = sorted(scores, key=lambda edit: scores[edit], reverse=True)
        called = (edit for edit in likely if (edit.file, edit.name.rpartition(".")[2]) in self.called)
        about = self.subjects - {"aten", "torch"}
        registers = (edit for edit in likely if edit.kind == "call" and self.edits[edit].words & about)
        return list(dict.fromkeys([*filter(self._is_blamed, self.edits), *called, *registers, *likely]))

    @cached_property
    def _words(self) -> dict[Edit, tuple[frozenset[str], frozenset[str]]]:
        """Of each candidate, those that changed, or are in its name, and those around them."""
        return {
            edit: (_with_parts({*one.words, one.name.rpartition(".")[2]}), _with_parts(one.around))
            for edit, one in self.edits.items()
        }

    @cached_property
    def _common(self) -> Counter[str]:
        """How many candidates have a word."""
        return Counter(word for own, around in self._words.values() for word in own | around)

    def others(self, without: Collection[Edit]) -> list[Edit]:
        """Those of a file together: what a function calls is mostly there, and changed with it.

        What is not known to have run comes last.
        """
        files = {where.rpartition(":")[0] for where in self.blamed}
        return sorted(
            (edit for edit in self.edits if edit not in without),
            key=lambda edit: (
                edit.kind in ("call", "added") or not self.edits[edit].first,
                edit.file not in files,
                edit not in self.near,
            ),
        )

    def _is_blamed(self, edit: Edit) -> bool:
        one = self.edits[edit]
        for where in self.blamed:
            file, _, at = where.rpartition(":")
            if file == edit.file and (at == edit.name or (at.isdigit() and one.first <= int(at) <= one.last)):
                return True
        return False


def _with_parts(words: Collection[str]) -> frozenset[str]:
    """Also those that names are made of: `rand4x` in `use_rand4x`."""
    return frozenset([*words, *(part for word in words for part in word.split("_") if len(part) >= _SHORTEST)])


def words_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(_words(texts))


def _words(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in _WORD.findall(text)]


def until(ran: Ran, stage: str, stages: Iterable[str]) -> tuple[list[Place], list[Place]]:
    """What ran before `stage` was complete: first that in which the first of these stages was made, then the rest.

    stages: those in which changes show, also phases of the pipeline.
    """
    made = list(ran)  # in the order in which they were first made
    last = entry_of(stage)
    made = made[: made.index(last) + 1] if last in made else made
    entries = {*map(entry_of, stages)}
    near = next((entry for entry in made if entry in entries), last)
    places = dict.fromkeys(ran.get(near, ()))
    at = made.index(near) if near in made else len(made)
    return [*places], list(
        {place: None for entry in (*reversed(made[:at]), *made[at:]) for place in ran[entry] if place not in places}
    )


def said(goal: RecordedCase, now: RecordedCase | None) -> CaseReport | None:
    """What a report says of a case, which tells where to search."""
    if now is None:
        return None
    unavailable = {**goal.unavailable, **now.unavailable}
    return case_report(
        now.nodeid, now.target, pairing.compared(goal, now, None), unavailable=unavailable, detail="brief"
    )


def blamed(report: CaseReport | None) -> list[str]:
    """The places in torch that a report names."""
    if report is None:
        return []
    first = report.divergence
    places = [] if first is None else [first.where, first.also_where]
    places += [change.where or change.defined for change in (*report.changes, *report.secondary)]
    return [where for where in dict.fromkeys(places) if where is not None]


def subjects(report: CaseReport | None) -> frozenset[str]:
    """The words in the names that its changes are about; a change may show in a number, and these only in the trail.

    Also those of its type: `reduction-steps`.
    """
    changes = () if report is None else (*report.changes, *report.secondary)
    return words_of(name for change in changes for name in (*change.names, change.key, change.code))
