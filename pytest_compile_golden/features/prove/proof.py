"""A definition that made a change, as a report shows it."""

from __future__ import annotations

import ast
import difflib
import itertools
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import msgspec

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.features.prove.edit_search import smallest
from pytest_compile_golden.features.prove.prove_protocol import Edit
from pytest_compile_golden.report.model import Proof, ProvedCause
from pytest_compile_golden.torch_source import config_defaults
from pytest_compile_golden.torch_source.changed_functions import SourceChange, touching
from pytest_compile_golden.torch_source.definitions import first_line, lines
from pytest_compile_golden.torch_source.installed_sources import (
    Sources,
    comparison,
    source_link,
    source_root,
)

_LONGEST = 60
"""Lines of a diff."""
Hunk = tuple[str, int, int, int, int]
_MOST = 40
"""Functions with more hunks than this are shown whole."""
_MOST_TRIES = 16
"""After which the hunks that are left are shown."""


def cause(
    edit: Edit,
    old: Sources,
    new: Sources,
    smaller: str = "",
    explains: int = 0,
    larger: str = "",
) -> ProvedCause:
    """smaller, larger: the new definition with the lines that matter as in the old one, and the old one with those of
    the new, if they are not all.
    """
    if edit.kind == "setting":
        name = f"{edit.file.split('/')[1].lstrip('_')}.{edit.name}"
        diff = tuple(
            f"{sign}{edit.name} = {_value(edit, side)}"
            for sign, side in (("-", old), ("+", new))
        )
        return ProvedCause(
            "setting", name, edit.file, edit.file, diff, explains=explains
        )
    where, link = _place(edit, old, new)
    diff = tuple(_diff(edit, old, new, smaller, larger))
    shown = (
        diff
        if len(diff) <= _LONGEST
        else (*diff[:_LONGEST], f"... ({len(diff) - _LONGEST} more lines)")
    )
    return ProvedCause(
        edit.kind,
        edit.name,
        edit.file,
        where,
        shown,
        link,
        comparison(old.commit, new.commit),
        explains,
    )


def _place(edit: Edit, old: Sources, new: Sources) -> tuple[str, str | None]:
    """File and line in the newer version, or in the older one if only that has it, and a link to there."""
    for side, release in ((new, ""), (old, f"@{old.version}")):
        calls = (
            call for call in side.calls(edit.file) if ast.unparse(call) == edit.name
        )
        node = side.definitions(edit.file).get(edit.name) or next(calls, None)
        if node is not None:
            where = f"{edit.file}:{first_line(node)}"
            link = source_link(source_root(side.commit, side.version), where)
            return f"{where}{release}", link
    where = f"{edit.file}:1"
    return where, source_link(source_root(new.commit, new.version), where)


def touched_by(
    repository: Path | None, old: Sources, new: Sources
) -> Callable[[Proof], Proof]:
    """What adds the commits that touched the causes of a proof; it adds none without a clone of torch's repository.

    Raises RepositoryFailed if the clone lacks the versions' commits.
    """
    if repository is None or None in (old.commit, new.commit):
        return lambda proof: proof
    # Fails before the search.
    touching(repository, old, new, SourceChange("", "torch/version.py:1", (), ()))

    def touched(cause: ProvedCause) -> ProvedCause:
        node = new.definitions(cause.file).get(cause.name)
        first, last = (
            (0, -1) if node is None else (node.lineno, node.end_lineno or node.lineno)
        )
        change = SourceChange(
            cause.name, f"{cause.file}:{first}", (), (), last - first + 1
        )
        return replace(cause, commits=tuple(touching(repository, old, new, change)))

    return lambda proof: replace(proof, causes=tuple(map(touched, proof.causes)))


def turned_edit(edit: Edit, new: Sources) -> Edit | None:
    """The edit that makes the same definition of the older version as in the newer one; None if there is none."""
    if edit.kind == "call":
        return None
    if edit.kind == "setting":
        return Edit("setting", edit.file, edit.name, _value(edit, new))
    if edit.kind == "template":
        return edit
    if edit.kind == "added":
        return Edit("function", edit.file, edit.name)
    known = edit.name in new.definitions(edit.file)
    return Edit(
        edit.kind if known else "added",
        edit.file,
        edit.there,
        was=edit.was and edit.name,
    )


def _value(edit: Edit, side: Sources) -> str:
    return repr(config_defaults.read(side.folder / edit.file).get(edit.name, False))


def _diff(
    edit: Edit, old: Sources, new: Sources, smaller: str, larger: str
) -> Iterator[str]:
    if edit.kind == "call":
        yield f"-{edit.name}"
    before, after = (_lines(edit, side) for side in (old, new))
    if smaller:
        before = split_lines(smaller)
    if larger:
        after = split_lines(larger)
    for line in list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]:
        yield "..." if line.startswith("@@") else line


def _lines(edit: Edit, side: Sources) -> list[str]:
    """What a version has there; empty if it has nothing."""
    if edit.kind == "template":
        return split_lines(side.text(edit.file))
    there = side.definitions(edit.file)
    node = there.get(edit.name) or there.get(edit.was)
    return [] if node is None else lines(node)


@dataclass(frozen=True)
class Hunks:
    """The old and the new lines of a function, or of another text, and where they differ."""

    old: Sequence[str]
    new: Sequence[str]
    function: bool = True

    @property
    def differing(self) -> list[Hunk]:
        """The blocks of lines that differ."""
        codes = difflib.SequenceMatcher(None, self.old, self.new, False).get_opcodes()
        return [code for code in codes if code[0] != "equal"]

    def undone(self, hunks: Collection[Hunk]) -> str:
        """The new text with these hunks as in the old one; empty if that is no function."""
        result: list[str] = []
        at = 0
        for hunk in sorted(hunks, key=lambda hunk: hunk[3]):
            _, i1, i2, j1, j2 = hunk
            result += [*self.new[at:j1], *self.old[i1:i2]]
            at = j2
        text = "\n".join([*result, *self.new[at:]])
        if not self.function:
            return text
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return ""
        # Each variable of one function is bound if it looks up no name that neither side does.
        return (
            text if len(tree.body) == 1 and _looked_up(tree) <= self._looked_up else ""
        )

    @cached_property
    def _looked_up(self) -> set[str]:
        return _looked_up(ast.parse("\n".join(self.old))) | _looked_up(
            ast.parse("\n".join(self.new))
        )


def _looked_up(tree: ast.Module) -> set[str]:
    """The names in code that are no local variables of a function."""
    found: set[str] = set()
    waiting = [compile(tree, "", "exec")]
    while waiting:
        code = waiting.pop()
        found.update(code.co_names)
        waiting += [
            inner for inner in code.co_consts if isinstance(inner, types.CodeType)
        ]
    return found


def smaller_edit(
    edit: Edit, old: Sources, new: Sources, enough: Callable[[Edit], bool]
) -> Edit:
    """The edit of a function or a template that both versions have, with only the hunks without which the change comes
    back; the edit itself if it needs all of them."""
    hunks = Hunks(_lines(edit, old), _lines(edit, new), edit.kind == "function")
    differing = hunks.differing
    whole = hunks.old and hunks.new and edit.kind in ("function", "template")
    if not whole or not 1 < len(differing) <= _MOST:
        return edit

    def with_some(part: Collection[Hunk]) -> Edit | None:
        text = hunks.undone(part)
        return msgspec.structs.replace(edit, text=text) if text else None

    tries = itertools.count()

    def enough_of(part: Collection[Hunk]) -> bool:
        return (
            (some := with_some(part)) is not None
            and next(tries) < _MOST_TRIES
            and enough(some)
        )

    found = smallest(differing, enough_of)
    smaller = with_some(found) if len(found) < len(differing) else None
    return edit if smaller is None or not enough(smaller) else smaller
