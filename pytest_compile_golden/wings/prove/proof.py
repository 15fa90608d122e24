"""A definition that made a change, as a report shows it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.model import ProvedCause
from pytest_compile_golden.torch_source.installation import Installation, comparison, source_link, source_root
from pytest_compile_golden.wings.prove.definitions import FUNCTION, Sources, first_line, lines
from pytest_compile_golden.wings.prove.messages import Edit

_LONGEST = 60
"""Lines of a diff."""


def cause(edit: Edit, old: Sources, new: Sources, smaller: str = "", explains: int = 0) -> ProvedCause:
    """smaller: the old definition with only the lines that matter, if there is a smaller one."""
    if edit.kind == "setting":
        name = f"{edit.file.split('/')[1].lstrip('_')}.{edit.name}"
        diff = f"-{edit.name} = {edit.text}", f"+{edit.name} = {_now(edit, new)}"
        return ProvedCause("setting", name, edit.file, edit.file, diff, explains=explains)
    node = new.definitions(edit.file).get(edit.name)
    at = 1 if node is None else first_line(node) if isinstance(node, FUNCTION) else node.lineno
    where = f"{edit.file}:{at}"
    before, torch = (Installation(side.folder) for side in (old, new))
    link = source_link(source_root(torch.commit, torch.version), where)
    between = comparison(before.commit, torch.commit) if new.package == "torch" else None
    shown = tuple(_shortened([*_diff(edit, old, new, smaller)]))
    return ProvedCause(edit.kind, edit.name, edit.file, where, shown, link, between, explains)


def _shortened(diff: list[str]) -> list[str]:
    return diff if len(diff) <= _LONGEST else [*diff[:_LONGEST], f"... ({len(diff) - _LONGEST} more lines)"]


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
