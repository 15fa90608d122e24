"""What torch's authors changed, of the functions that a report blames: their sources before and after."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pytest_compile_golden.errors import RepositoryFailed
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.report.model import CaseGroup, ConfigDefault, Report, TorchFunction
from pytest_compile_golden.report.overview import cut
from pytest_compile_golden.torch_source import changes, commits, defaults
from pytest_compile_golden.torch_source.installation import Installation, source_link, source_root

TITLE = "What torch's authors changed"
AS_IT_WAS = "is as it was, and so is what it calls there: the cause lies before it"
_FUNCTIONS = 8
_DEFAULTS = 20
_COMMITS = 10
_WIDEST = 60
_CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z]+\w*_\w+|\b[A-Z][a-z]+[A-Z]\w*")
_OPERATOR = re.compile(r"[a-z_]\w{2,}(?:\.\w+)*")
_PASS = re.compile(r" / ([\w.]+)")
_OPERATORS = re.compile(r"\baten\.(\w+)")
# What says nothing of where it is written.
_COMMON = frozenset({"aten", "prims", "torch", "tl", "default", "Tensor", "decomposed", "into", "instead", "and"})


def with_sources(report: Report, old: Installation, new: Installation, repository: Path | None = None) -> Report:
    """The report with what became of the functions that it blames, and the defaults that differ.

    repository: a clone of torch's, which is asked for the commits; a note says where it lacks them.
    """
    try:
        return _with_sources(report, old, new, repository)
    except RepositoryFailed as error:
        return replace(_with_sources(report, old, new, None), notes=(*report.notes, str(error)))


def _with_sources(report: Report, old: Installation, new: Installation, repository: Path | None) -> Report:
    found: dict[tuple[str, str], TorchFunction] = {}
    for group in report.groups:
        where, name = group.where or "", _function(group, old, new)
        if group.outcome != "changed" or name is None:
            continue
        known = found.get((name, where))
        if known is not None:
            found[name, where] = replace(known, keys=tuple(dict.fromkeys((*known.keys, *group.keys))))
        elif len(found) < _FUNCTIONS:
            made = _changed(name, where, _tokens(group, name), old, new, repository)
            found[name, where] = replace(made, keys=group.keys)
    differ = defaults.changed(old, new) if found else ()
    return replace(
        report,
        functions=tuple(found.values()),
        defaults=tuple(ConfigDefault(each.name, each.old, each.new) for each in differ),
    )


def render(report: Report) -> list[Line]:
    """Each function with its diff and commits, then the defaults; empty for a report without."""
    lines: list[Line] = []
    for each in report.functions:
        lines += [("", ""), *_lines(report, each)]
    if report.defaults:
        lines += [("", ""), ("title", f"{defaults_title(report)}:")]
        lines += [("", f"  {printable(default_text(each))}") for each in report.defaults[:_DEFAULTS]]
        if len(report.defaults) > _DEFAULTS:
            lines.append(("dim", f"    ... {len(report.defaults) - _DEFAULTS} more"))
    return [("", ""), ("title", TITLE), *lines[1:]] if lines else []


def title(each: TorchFunction) -> str:
    """The function, and how it is reached from the one that is blamed."""
    through = f", which {' calls, which '.join(each.through[::-1])} calls" if each.through else ""
    return f"{each.function}{through}"


def commits_title(made: tuple[str, ...]) -> str:
    """What stands above the commits that touched a function."""
    if not made:
        return "no commit between the two touched it"
    return "this commit touched it:" if len(made) == 1 else f"one of these {len(made)} commits that touched it:"


def defaults_title(report: Report) -> str:
    return f"defaults of torch's configuration that differ, {len(report.defaults)}"


def default_text(each: ConfigDefault) -> str:
    """Values may be long lists: the beginning of each."""
    old = "no such switch" if each.old is None else cut(each.old, _WIDEST)
    return f"{each.name}: {old} -> {cut(each.new, _WIDEST)}"


def link(report: Report, each: TorchFunction) -> str | None:
    """Where it stands on GitHub; None where the report does not say which torch it is of."""
    side = report.old if each.gone else report.new
    return source_link(source_root(side.commit, side.torch), each.where)


def _function(group: CaseGroup, old: Installation, new: Installation) -> str | None:
    """The function of torch's that a change is blamed on; its place tells where its name is one of a pass."""
    where = group.where or ""
    if not where.startswith("torch/"):
        return None
    file = where.rpartition(":")[0]
    # A place of a third torch, which wrote a golden, has another line: a name is surer.
    names = [*_PASS.findall(group.text), *_OPERATORS.findall(group.text)]
    known = new.functions(file).keys() | old.functions(file).keys()
    return next((name for name in names if name in known), None) or new.function_at(where)


def _tokens(group: CaseGroup, name: str) -> str:
    """Of the words of a change those of code: parts of dotted names, and names with an underscore or two capitals."""
    # A decomposition is told by the operators that it is made of.
    dotted = ((_OPERATOR if group.stage == "aot" else _CODE).findall(text) for text in (group.text, *group.edits))
    words = {word for found in dotted for each in found for word in each.split(".")}
    return " ".join(sorted(words - _COMMON - set(name.split("."))))


def _changed(
    name: str, where: str, tokens: str, old: Installation, new: Installation, repository: Path | None
) -> TorchFunction:
    found = changes.change(old, new, name, where, tokens)
    if found is None:
        return TorchFunction(name, where)
    made = None if repository is None else tuple(commits.touching(repository, old, new, found))
    return TorchFunction(
        found.function, found.where, (), found.through, found.diff, gone=not found.length, commits=made
    )


def _lines(report: Report, each: TorchFunction) -> Iterator[Line]:
    yield "title", printable(f"{title(each)}   {each.where}")
    if not each.diff:
        yield "", f"  {AS_IT_WAS}"
    for line in each.diff:
        style = "added" if line.startswith("+") else "removed" if line.startswith("-") else "dim"
        yield style, f"  {printable(line)}"[:200]
    address = link(report, each)
    if each.diff and address is not None:
        yield "dim", f"  {address}"
    if each.commits is not None:
        yield "", f"  {commits_title(each.commits)}"
        yield from (("", f"    {printable(commit)}"[:200]) for commit in each.commits[:_COMMITS])
        if len(each.commits) > _COMMITS:
            yield "dim", f"    ... {len(each.commits) - _COMMITS} more"
