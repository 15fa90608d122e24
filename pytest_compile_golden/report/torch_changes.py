"""What torch's authors changed, of the functions that a report names: their sources before and after."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.report.model import CaseGroup, Report
from pytest_compile_golden.torch_source import changes, commits, defaults
from pytest_compile_golden.torch_source.installation import Installation

_FUNCTIONS = 8
_DEFAULTS = 20
_COMMITS = 10


def render(report: Report, old: Installation, new: Installation, repository: Path | None = None) -> list[Line]:
    """For each distinct change of a function of torch's, how that function became another one; empty for none.

    repository: a clone of torch's, which is asked for the commits. Raises RepositoryFailed where it lacks them.
    """
    lines: list[Line] = []
    told: set[str] = set()
    for group in report.groups:
        where = group.where or ""
        name = _function(group, old, new)
        if group.outcome != "changed" or name is None or f"{name} {where}" in told or len(told) == _FUNCTIONS:
            continue
        told.add(f"{name} {where}")
        lines += [("", ""), *_change(name, where, " ".join(group.edits), old, new, repository)]
    differ = defaults.changed(old, new)
    if lines and differ:
        lines += [("", ""), ("title", f"defaults of torch's configuration that differ, {len(differ)}:")]
        lines += [("", f"  {each.name}: {each.old} -> {each.new}"[:160]) for each in differ[:_DEFAULTS]]
    return [("", ""), ("title", "What torch's authors changed"), *lines[1:]] if lines else []


def _function(group: CaseGroup, old: Installation, new: Installation) -> str | None:
    """The function of torch's that a change is blamed on; its place tells where its name is one of a pass."""
    where = group.where or ""
    if not where.startswith("torch/"):
        return None
    file = where.rpartition(":")[0]
    name = group.text.rpartition(" / ")[2]
    if name in new.functions(file) or name in old.functions(file):
        return name
    return new.function_at(where)


def _change(
    name: str, where: str, tokens: str, old: Installation, new: Installation, repository: Path | None
) -> Iterator[Line]:
    found = changes.change(old, new, name, where, tokens)
    if found is None:
        yield "title", f"{name}   {where}"
        yield "", "  is as it was, and so is what it calls there: the cause lies before it"
        return
    through = f", which {' calls, which '.join(found.through[::-1])} calls" if found.through else ""
    yield "title", printable(f"{found.function}{through}   {found.where}")
    for line in found.diff:
        style = "added" if line.startswith("+") else "removed" if line.startswith("-") else "dim"
        yield style, f"  {printable(line)}"[:200]
    if found.link is not None:
        yield "dim", f"  {found.link}"
    if repository is not None:
        made = commits.touching(repository, old, new, found)
        yield "", f"  {count(len(made), 'commit')} between the two touched it:" if made else "  no commit touched it"
        yield from (("", f"    {printable(commit)}"[:200]) for commit in made[:_COMMITS])
        if len(made) > _COMMITS:
            yield "dim", f"    ... {len(made) - _COMMITS} more"
