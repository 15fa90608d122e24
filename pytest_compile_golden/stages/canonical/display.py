"""Two texts made alike where they differ cosmetically, so that a diff of them shows what counts and nothing else."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Set
from functools import partial

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.stages.canonical import cpp_kernels, graphs, ledger, triton_kernels, wrappers
from pytest_compile_golden.stages.canonical.metadata import ENTRY, has_effect

Lines = tuple[list[str], list[str]]
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_SPACE = re.compile(r"\s+")
_SCHEDULED = re.compile(r"(?<![A-Za-z0-9])(?:op|buf)\d+(?![A-Za-z0-9])")
_CPP_NAME = re.compile(r"\b(?:tmp\d+\w*|\w*ptr\d+|cpp_fused_\w+)\b")
_WRAPPER_NAME = re.compile(r"\b(?:buf\d+|(?:raw_)?stream\d+|(?:triton|cpp)_\w+)\b")


def align(
    old: str,
    new: str,
    names: Callable[[str], Set[str]],
    key: Callable[[str], str | None],
    word: re.Pattern[str] = _WORD,
) -> Lines:
    """The lines of both that count, those of `new` in the names of `old`.

    `names` finds what may be called otherwise, `word` where such a name can stand, and `key` what counts of a line,
    None for a line that does not.
    """
    before = [line for line in split_lines(old) if key(line) is not None]
    after = [line for line in split_lines(new) if key(line) is not None]
    renamed = _renaming(before, after, names(old), names(new), word)
    after = [word.sub(lambda found: renamed.get(found[0], found[0]), line) for line in after]
    matcher = difflib.SequenceMatcher(None, [key(line) for line in before], [key(line) for line in after], False)
    for block in matcher.get_matching_blocks():
        after[block.b : block.b + block.size] = before[block.a : block.a + block.size]
    return before, after


def _renaming(
    before: list[str], after: list[str], old: Set[str], new: Set[str], word: re.Pattern[str]
) -> dict[str, str]:
    """What each name of `new` is called in `old`, as lines that are equal but for names tell; one to one."""

    def blank(line: str, known: Set[str]) -> str:
        return word.sub(lambda found: "\0" if found[0] in known else found[0], line)

    blank_before, blank_after = [blank(line, old) for line in before], [blank(line, new) for line in after]
    renamed: dict[str, str] = {}
    taken: set[str] = set()
    for block in difflib.SequenceMatcher(None, blank_before, blank_after, False).get_matching_blocks():
        for offset in range(block.size):
            one = [name for name in word.findall(before[block.a + offset]) if name in old]
            other = [name for name in word.findall(after[block.b + offset]) if name in new]
            for name, called in zip(other, one, strict=False):
                if name not in renamed and called not in taken:
                    renamed[name] = called
                    taken.add(called)
    # A new value must not be taken for the old one of that name.
    for name in new - renamed.keys():
        fresh = name
        while fresh in taken:
            fresh += "_"
        renamed[name] = fresh
        taken.add(fresh)
    return renamed


def _graph_names(text: str) -> Set[str]:
    try:
        functions = graphs.read(text)
    except graphs.NotAGraph:
        return frozenset()
    return {name for each in functions for name in (*dict(each.inputs), *(line[0] for line in each.lines))} - {"return"}


def _triton_names(text: str) -> Set[str]:
    names: set[str] = set()
    for function in triton_kernels.read(text).functions:
        names.update(name for name, _ in function.parameters)
        names.update(name for step in triton_kernels.steps(function.body) for name in step.targets)
        if function.is_kernel:
            names.add(function.name)
    return names


def _found(pattern: re.Pattern[str], text: str) -> Set[str]:
    return set(pattern.findall(text))


def _code(line: str) -> str | None:
    code = line.partition("  # ")[0].rstrip()
    return None if not code or code.lstrip().startswith("#") else code


def _triton_line(line: str) -> str | None:
    entry = ENTRY.match(line.strip())
    if entry is not None and not has_effect(entry[1], entry[2]):
        return None
    return _code(line)


def _cpp_line(line: str) -> str | None:
    return _SPACE.sub(" ", cpp_kernels.without_comments(line)).strip() or None


def _wrapper_line(line: str) -> str | None:
    code = _code(line)
    return None if code is None or wrappers.DROPPED.match(code.strip()) else code.partition("; del ")[0]


def shown_graph(old: str, new: str) -> Lines:
    """FX graphs, for a diff."""
    return align(old, new, _graph_names, _code)


def shown_triton(old: str, new: str) -> Lines:
    """Triton kernels, for a diff: without metadata that says nothing."""
    return align(old, new, _triton_names, _triton_line)


def shown_cpp(old: str, new: str) -> Lines:
    """C++ kernels, for a diff: without bookkeeping."""
    return align(old, new, partial(_found, _CPP_NAME), _cpp_line)


def shown_wrapper(old: str, new: str) -> Lines:
    """Wrapper code, for a diff: without checks, and without frees where anything else differs."""
    names = partial(_found, _WRAPPER_NAME)
    before, after = align(old, new, names, _wrapper_line)
    return (before, after) if before != after else align(old, new, names, _code)


def shown_schedule(old: str, new: str) -> Lines:
    """Scheduler nodes, for a diff: operations and buffers keep the golden's numbers."""
    return align(old, new, partial(_found, _SCHEDULED), _code, _SCHEDULED)


def shown_passes(old: str, new: str) -> Lines:
    """The ledger, for a diff: the passes that did something."""
    return align(old, new, lambda _: frozenset(), ledger.pass_row)
