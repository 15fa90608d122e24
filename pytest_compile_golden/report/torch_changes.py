"""What torch's authors changed in the functions that a report blames: their sources before and after."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pytest_compile_golden.common.quantity import listed
from pytest_compile_golden.errors import RepositoryFailed
from pytest_compile_golden.report.model import (
    CaseGroup,
    ConfigDefault,
    Report,
    TorchFunction,
)
from pytest_compile_golden.report.proofs import commit_lines
from pytest_compile_golden.report.styled_lines import Line, cut, printable
from pytest_compile_golden.torch_source import changed_functions, config_defaults
from pytest_compile_golden.torch_source.installed_sources import (
    Sources,
    source_link,
    source_root,
)

TITLE = "What torch's authors changed"
UNCHANGED = "unchanged, and so is everything it calls there: the cause comes before it"
_FUNCTIONS = 8
_DEFAULTS = 20
_ALSO = 4
_WIDEST = 60
# Names that say nothing about where the code is.
_COMMON = frozenset({"aten", "prims", "torch", "tl", "default", "Tensor"})


def with_sources(
    report: Report, old: Sources, new: Sources, repository: Path | None = None
) -> Report:
    """The report, with the changes in the functions that it blames and the defaults that differ.

    repository: a clone of torch's repository, searched for the commits; a note says so if it lacks them.
    """
    try:
        return _with_sources(report, old, new, repository)
    except RepositoryFailed as error:
        return replace(
            _with_sources(report, old, new, None), notes=(*report.notes, str(error))
        )


def _with_sources(
    report: Report, old: Sources, new: Sources, repository: Path | None
) -> Report:
    blamed: dict[tuple[str, str], CaseGroup] = {}
    readers: dict[str, str] = {}
    for group in report.groups:
        where, name = group.where or group.defined or "", _function(group, old, new)
        if not group.is_change or name is None:
            continue
        known = blamed.get((name, where))
        if known is not None:
            blamed[name, where] = replace(
                known, keys=tuple(dict.fromkeys((*known.keys, *group.keys)))
            )
        else:
            blamed[name, where] = group
            readers = {
                **dict.fromkeys(
                    changed_functions.settings_read(old, new, name, where), name
                ),
                **readers,
            }
    functions = [
        replace(
            _changed(name, where, _tokens(group, name), old, new, repository),
            keys=group.keys,
        )
        for (name, where), group in islice(blamed.items(), _FUNCTIONS)
    ]
    differ = [
        ConfigDefault(
            default.name,
            default.old,
            default.new,
            readers.get(default.name.partition(".")[2], ""),
        )
        for default in (config_defaults.changed(old, new) if blamed else ())
    ]
    # A function that is the same was given something else: where it stands is not where the change comes from.
    innocent = {
        where
        for name, where in blamed
        if changed_functions.untouched(old, new, name, where)
    }
    changed = {where for _, where in blamed} - innocent

    def place(where: str | None, defined: str | None) -> str | None:
        known = where or (defined if defined in changed else None)
        return None if known in innocent else known

    return replace(
        report,
        groups=tuple(
            replace(group, where=place(group.where, group.defined))
            for group in report.groups
        ),
        cases=tuple(
            case
            if (first := case.divergence) is None
            else replace(
                case,
                divergence=replace(
                    first,
                    where=place(
                        first.where, next((c.defined for c in case.changes), None)
                    ),
                ),
            )
            for case in report.cases
        ),
        functions=tuple(functions),
        defaults=tuple(sorted(differ, key=lambda default: not default.read_by)),
    )


def render(report: Report) -> list[Line]:
    """Each function with its diff and commits, then the defaults; empty for a report without any."""
    lines: list[Line] = []
    for function in report.functions:
        lines += [("", ""), *_lines(report, function)]
    if report.defaults:
        lines += [("", ""), ("title", f"{defaults_title(report)}:")]
        lines += [
            (
                "title" if default.read_by else "",
                f"  {printable(default_text(default))}",
            )
            for default in report.defaults[:_DEFAULTS]
        ]
        if len(report.defaults) > _DEFAULTS:
            lines.append(("dim", f"    ... {len(report.defaults) - _DEFAULTS} more"))
    return [("", ""), ("title", TITLE), *lines[1:]] if lines else []


def title(function: TorchFunction) -> str:
    """The function, and how it is reached from the one that is blamed."""
    through = (
        f", called by {', called by '.join(function.through[::-1])}"
        if function.through
        else ""
    )
    also = (
        f"; {listed(function.also, _ALSO)} changed there, too" if function.also else ""
    )
    return f"{function.function}{through}{also}"


def defaults_title(report: Report) -> str:
    """The heading above the defaults that differ."""
    return f"torch configuration defaults that differ ({len(report.defaults)})"


def default_text(default: ConfigDefault) -> str:
    """The default on both sides, with each value cut short (it may be a long list), and the function that reads it."""
    old = "not present" if default.old is None else cut(default.old, _WIDEST)
    reader = f"   read by {default.read_by}" if default.read_by else ""
    return f"{default.name}: {old} -> {cut(default.new, _WIDEST)}{reader}"


def link(report: Report, function: TorchFunction) -> str | None:
    """The function's address on GitHub; None if the report does not say which torch it belongs to."""
    side = report.old if function.gone else report.new
    return source_link(source_root(side.commit, side.torch), function.where)


def _function(group: CaseGroup, old: Sources, new: Sources) -> str | None:
    """The torch function that made a change, or that it is blamed on by the name in its text or by its location."""
    where = group.where or group.defined or ""
    if group.proof is not None and group.proof.proved:
        proved = group.proof.causes[0]
        return proved.name if proved.name in new.functions(proved.file) else None
    if not where.startswith("torch/"):
        return None
    file = where.rpartition(":")[0]
    names = [name for dotted in group.names for name in (dotted, *dotted.split("."))]
    known = new.functions(file).keys() | old.functions(file).keys()
    by_name = next((name for name in names if name in known), None)
    place, _, version = where.partition("@")
    # The lines of a third torch, which wrote the golden, are not known here.
    side = next(
        (
            torch
            for torch in (new, old)
            if version in ("", (torch.version or "").partition("+")[0])
        ),
        None,
    )
    return by_name or (None if side is None else side.function_at(place))


def _tokens(group: CaseGroup, name: str) -> str:
    """The functions and operators that a change is about, and the parts of their names; else the words of its text."""
    words = {
        word
        for name in group.names or (group.text,)
        for word in re.split(r"[.:]+", name)
    }
    return " ".join(sorted(words - _COMMON - set(name.split("."))))


def _changed(
    name: str,
    where: str,
    tokens: str,
    old: Sources,
    new: Sources,
    repository: Path | None,
) -> TorchFunction:
    source_change = changed_functions.change(old, new, name, where, tokens)
    if source_change is None:
        return TorchFunction(name, where)
    touching = (
        None
        if repository is None
        else tuple(changed_functions.touching(repository, old, new, source_change))
    )
    return TorchFunction(
        source_change.function,
        source_change.where,
        (),
        source_change.through,
        source_change.diff,
        gone=not source_change.length,
        also=source_change.also,
        commits=touching,
    )


def _lines(report: Report, function: TorchFunction) -> Iterator[Line]:
    yield "title", printable(f"{title(function)}   {function.where}")
    if not function.diff:
        yield "", f"  {UNCHANGED}"
    for line in function.diff:
        style = (
            "added"
            if line.startswith("+")
            else "removed"
            if line.startswith("-")
            else "dim"
        )
        yield style, f"  {printable(line)}"[:200]
    address = link(report, function)
    if function.diff and address is not None:
        yield "dim", f"  {address}"
    if function.commits is not None:
        yield from commit_lines(function.commits, "  ")
