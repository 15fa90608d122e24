"""A cause that was proved, or the report of what was tried in vain: plain values."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.torch_source.installation import Installation, source_link, source_root
from pytest_compile_golden.wings.prove.definitions import FUNCTION, Sources, first_line, lines
from pytest_compile_golden.wings.prove.messages import Edit


@dataclass(frozen=True)
class Cause:
    """One definition that differs between the two versions and that makes the change."""

    kind: str
    """`function`, `constant`, `setting` or `call`."""
    name: str
    file: str
    where: str
    """File and line in the newer version."""
    diff: tuple[str, ...]
    """The definition before and after, without docstrings and asserts; only the lines that matter."""
    link: str | None = None
    """The definition in the newer version's repository."""


@dataclass(frozen=True)
class Proof:
    """What was found out about the first stage of a case that still differed."""

    nodeid: str
    stage: str
    """The first stage that differs."""
    causes: tuple[Cause, ...]
    """Without these together, that much of the change goes away; empty if nothing was found."""
    lines: int
    """How many lines of the stage differ."""
    left: int
    """How many still do without the causes."""
    tries: int
    seconds: float
    gone: tuple[str, ...] = ()
    """All stages that are as before without the causes."""
    why_not: str = ""
    """For a change that was not proved: what was tried."""
    cases: tuple[str, ...] = ()
    """Other cases of the same change in which the causes were undone, with the same result."""
    not_in: tuple[str, ...] = ()
    """Other cases of the same change in which that did not explain it."""

    @property
    def proved(self) -> bool:
        return bool(self.causes)


def cause(edit: Edit, old: Sources, new: Sources, smaller: str = "") -> Cause:
    """smaller: the old definition with only the lines that matter, if there is a smaller one."""
    if edit.kind == "setting":
        name = f"{edit.file.split('/')[1].lstrip('_')}.{edit.name}"
        diff = f"-{edit.name} = {edit.text}", f"+{edit.name} = {_now(edit, new)}"
        return Cause("setting", name, edit.file, edit.file, diff)
    node = new.definitions(edit.file).get(edit.name)
    at = 1 if node is None else first_line(node) if isinstance(node, FUNCTION) else node.lineno
    where = f"{edit.file}:{at}"
    torch = Installation(new.folder)
    link = source_link(source_root(torch.commit, torch.version), where)
    return Cause(edit.kind, edit.name, edit.file, where, tuple(_diff(edit, old, new, smaller)), link)


def _now(edit: Edit, new: Sources) -> str:
    from pytest_compile_golden.torch_source import defaults

    return repr(defaults.read(new.folder / edit.file).get(edit.name))


def _diff(edit: Edit, old: Sources, new: Sources, smaller: str) -> Iterator[str]:
    sides = [side.definitions(edit.file).get(edit.name) for side in (old, new)]
    before, after = ([] if node is None else lines(node) for node in sides)
    if smaller:
        before = split_lines(smaller)
    for line in list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]:
        yield "..." if line.startswith("@@") else line
