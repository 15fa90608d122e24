"""What changed in torch's source in the function that wrote a line, or in one that it calls."""

from __future__ import annotations

import ast
import difflib
import functools
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import RepositoryFailed
from pytest_compile_golden.torch_source.definitions import Function, lines
from pytest_compile_golden.torch_source.installed_sources import Sources

_DEEPEST = 2
_SHOWN = 12
# If more functions of a backend than this share a name, the name does not say which is called.
_AMBIGUOUS = 3
_WORD = re.compile(r"[A-Za-z_]\w+")


@dataclass(frozen=True)
class SourceChange:
    """A function that differs between two torch versions."""

    function: str
    where: str
    """File and line in the newer torch version, or in the older one if the newer has no such function."""
    through: tuple[str, ...]
    """The calls that lead there from the given function."""
    diff: tuple[str, ...]
    """Its lines before and after as a shortened diff, without docstrings and asserts."""
    length: int = 0
    """Its number of lines in the newer torch version; 0 if that has no such function."""
    also: tuple[str, ...] = ()
    """The others that changed, of the given function and what it calls: any of them may be the reason."""


@dataclass(frozen=True)
class _FoundChange:
    name: str
    file: str
    old: Function | None
    new: Function | None
    through: tuple[str, ...]


def change(
    old: Sources, new: Sources, function: str, where: str, tokens: str = ""
) -> SourceChange | None:
    """How `function`, located at `where` in `new` or in `old`, changed between the two.

    If it did not change, the callee in the same backend's modules that changed and shares most words with `tokens`, the
    line of code that changed; the nearest one if none shares any. None if nothing changed: then the cause is earlier.
    """
    file = where.rpartition(":")[0]
    wanted = set(_WORD.findall(tokens))
    start: _FoundChange | None = None
    levels = [
        [pair for pair in candidates if _text(pair.old) != _text(pair.new)]
        for candidates in _outwards(old, new, function, file)
    ]
    names = [pair.name for changed in levels for pair in changed]
    for changed in levels:
        start = start or next((pair for pair in changed if not pair.through), None)
        # A callee whose changed lines share no word with the changed line is not taken for the cause; if the function
        # itself changed in some other way, it is enough that the callee shares a word at all.
        words_of = _words if start is None else _every_word
        related = [
            pair
            for pair in changed
            if wanted & (_words(pair) if not pair.through else words_of(pair))
        ]
        if related:
            return _source_change(
                max(related, key=lambda pair: len(wanted & _words(pair))), wanted, names
            )
    nearest = start or next((pair for changed in levels for pair in changed), None)
    return None if nearest is None else _source_change(nearest, wanted, names)


def untouched(old: Sources, new: Sources, function: str, where: str) -> bool:
    """Whether `function` and all that it calls in the same backend's modules are the same in both."""
    levels = _outwards(old, new, function, where.rpartition(":")[0])
    return all(
        _text(found.old) == _text(found.new) for level in levels for found in level
    )


def settings_read(
    old: Sources, new: Sources, function: str, where: str
) -> frozenset[str]:
    """The settings that `function`, or what it calls, reads from one of torch's modules called `config`.

    Without the name of the module: `triton.cooperative_reductions`.
    """
    return frozenset(
        dotted.rpartition("config.")[2]
        for level in _outwards(old, new, function, where.rpartition(":")[0])
        for found in level
        for definition in filter(None, (found.old, found.new))
        for node in ast.walk(definition)
        if isinstance(node, ast.Attribute) and "config." in (dotted := _dotted(node))
    )


def _outwards(
    old: Sources, new: Sources, function: str, file: str
) -> Iterator[list[_FoundChange]]:
    """The function, what it calls, and what those call."""
    start = _find(old, new, function, file, ())
    level = [start] if start is not None else []
    seen = {function}
    for _ in range(_DEEPEST + 1):
        yield level
        deeper: list[_FoundChange] = []
        for caller in level:
            for name in _called(caller):
                for callee in _definitions(old, new, name, caller):
                    if callee.name not in seen:
                        seen.add(callee.name)
                        deeper.append(callee)
        level = deeper


def _find(
    old: Sources, new: Sources, function: str, file: str, through: tuple[str, ...]
) -> _FoundChange | None:
    before, after = (torch.functions(file).get(function) for torch in (old, new))
    return (
        None
        if before is None and after is None
        else _FoundChange(function, file, before, after, through)
    )


def _definitions(
    old: Sources, new: Sources, name: str, caller: _FoundChange
) -> Iterator[_FoundChange]:
    """The functions and methods of that name in the caller's backend, the caller's own class first."""
    owner = caller.name.rpartition(".")[0]
    through = (*caller.through, caller.name)
    # A decomposition that calls an operator: the decomposition of that operator has the operator's name.
    parts = name.removeprefix("torch.ops.").split(".")
    name, dotted = (
        parts[1] if parts[0] == "aten" and len(parts) > 1 else parts[-1],
        name,
    )
    own_method = _find(
        old, new, f"{owner}.{name}" if owner else name, caller.file, through
    )
    if own_method is not None:
        yield own_method
        return
    found = new.imported(caller.file, dotted) or old.imported(caller.file, dotted)
    elsewhere = None if found is None else _find(old, new, found[1], found[0], through)
    if elsewhere is not None:
        yield elsewhere
        return
    candidates = [
        (file, full_name)
        for file in dict.fromkeys(
            [*new.siblings(caller.file), *old.siblings(caller.file)]
        )
        for full_name in dict.fromkeys([*new.functions(file), *old.functions(file)])
        if full_name == name or full_name.endswith(f".{name}")
    ]
    for file, full_name in candidates if len(candidates) <= _AMBIGUOUS else ():
        callee = _find(old, new, full_name, file, through)
        if callee is not None:
            yield callee


def _called(function: _FoundChange) -> list[str]:
    """The names it calls: `create`, `ir.FallbackKernel.create`; functions passed to a decorator count as called."""
    names: dict[str, None] = {}
    for definition in filter(None, (function.new, function.old)):
        decorator_arguments = (
            argument.value
            for node in getattr(definition, "decorator_list", ())
            for argument in getattr(node, "keywords", ())
        )
        names.update(
            (argument.id, None)
            for argument in decorator_arguments
            if isinstance(argument, ast.Name)
        )
        for node in ast.walk(definition):
            if isinstance(node, ast.Call):
                name = _dotted(node.func)
                if name and not name.rpartition(".")[2].startswith("__"):
                    names[name] = None
    return list(names)


def _dotted(called: ast.expr) -> str:
    if isinstance(called, ast.Attribute):
        owner = (
            _dotted(called.value)
            if isinstance(called.value, (ast.Name, ast.Attribute))
            else ""
        )
        return f"{owner}.{called.attr}" if owner else called.attr
    return called.id if isinstance(called, ast.Name) else ""


@functools.lru_cache(maxsize=1 << 12)
def _text(definition: Function | None) -> str:
    """The source in a uniform layout; empty for a function that does not exist."""
    if definition is None:
        return ""
    return "\n".join(lines(definition))


def _words(pair: _FoundChange) -> set[str]:
    lines = difflib.ndiff(split_lines(_text(pair.old)), split_lines(_text(pair.new)))
    return {
        word
        for line in lines
        if line[:2] in ("- ", "+ ")
        for word in _WORD.findall(line[2:])
    }


def _every_word(pair: _FoundChange) -> set[str]:
    return set(_WORD.findall(_text(pair.old) + _text(pair.new)))


def _source_change(
    pair: _FoundChange, wanted: set[str], names: Sequence[str]
) -> SourceChange:
    definition = pair.new if pair.new is not None else pair.old
    where = f"{pair.file}:{definition.lineno if definition is not None else 1}"
    diff = _shortened(
        split_lines(_text(pair.old)), split_lines(_text(pair.new)), wanted
    )
    length = (
        0
        if pair.new is None
        else (pair.new.end_lineno or pair.new.lineno) - pair.new.lineno + 1
    )
    also = tuple(name for name in names if name != pair.name)
    return SourceChange(pair.name, where, pair.through, tuple(diff), length, also)


def _shortened(
    before: Sequence[str], after: Sequence[str], wanted: set[str]
) -> list[str]:
    """The hunk that shares most words with `wanted`, up to a number of lines."""
    hunks: list[list[str]] = []
    for line in list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]:
        if line.startswith("@@"):
            hunks.append([])
        else:
            hunks[-1].append(line)
    best = max(
        hunks,
        key=lambda hunk: len(wanted & set(_WORD.findall(" ".join(hunk)))),
        default=[],
    )
    left_out = sum(len(hunk) for hunk in hunks) - min(len(best), _SHOWN)
    return best[:_SHOWN] + (
        [f"... {left_out} more lines of the diff"] if left_out else []
    )


def touching(
    repository: Path, old: Sources, new: Sources, change: SourceChange
) -> list[str]:
    """`0f1e2d3c4b Title (#1234)` for each commit that is in `new` but not in `old`, newest first.

    Raises RepositoryFailed if the folder is not a clone, or lacks one of the commits.
    """
    if old.commit is None or new.commit is None:
        return []
    file, _, line = change.where.rpartition(":")
    # If the newer torch version has no such function, git cannot follow its lines.
    followed = (
        ["-L", f"{line},+{change.length}:{file}"] if change.length else ["--", file]
    )
    command = [
        "git",
        "-C",
        str(repository),
        "log",
        "--no-patch",
        "--abbrev=10",
        "--format=%h %s",
    ]
    done = subprocess.run(
        [*command, f"{old.commit}..{new.commit}", *followed],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode:
        raise RepositoryFailed(
            f"cannot list the commits from {old.commit[:10]} to {new.commit[:10]} in {repository}: "
            f"{done.stderr.strip() or 'git failed'}. Use a full clone of pytorch/pytorch, and fetch all its branches."
        )
    return split_lines(done.stdout)
