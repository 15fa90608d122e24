"""The project's cases, as far as its files tell, and what a command means by CASE. None of them is imported."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from pytest_compile_golden.cli.project import Project, find_project
from pytest_compile_golden.common import files, name_matching
from pytest_compile_golden.errors import UnknownName
from pytest_compile_golden.goldens import golden_history

_ASIDE = ("__pycache__", "node_modules", "site-packages")
_LARGEST = 4 << 20
"""Bytes of a file that is read as a test file: larger ones are data."""


def named(case: str, goldens: Path | None = None) -> str:
    """A name as it is looked for; of a folder in the goldens, by default the project's, that which they call it.

    Commands print such folders as they can be typed here.
    """
    root = find_project().goldens if goldens is None else goldens
    path = Path(os.path.normpath(Path.cwd() / case))
    return (
        path.relative_to(root).as_posix()
        if path.is_dir() and root in path.parents
        else case
    )


def require(cases: Sequence[str]) -> None:
    """Raises UnknownName for the first of `cases` that the project certainly does not have.

    That is certain if no golden's case is called so, and a word of it is in no test file. Of parameters, which a test
    may make up, nothing is certain.
    """
    from pytest_compile_golden.targets import target_names

    project = find_project()
    ids = _with_goldens(project)
    for case in map(named, cases):
        if _matching(case, ids):
            continue
        texts = _texts(project.root, case)
        said = "\n".join([*texts, *texts.values(), *target_names()])
        if not all(word in said for word in re.findall(r"\w+", case.partition("[")[0])):
            # Raises, with what is near.
            name_matching.chosen([case], ids | _tests(texts), f" in {project.root}")


def resolved(program: str) -> str:
    """A program as it is run: FILE::FUNCTION as it is, and a case as pytest names it, in whichever way it was named.

    Of several cases of one test, it is the first. Raises UnknownName for what names none, or several tests.
    """
    file, _, function = program.partition("::")
    if function and Path(file).is_file():
        text = _text(Path(file))
        test = function.partition("[")[0]
        if function.startswith("test") and test.rpartition("::")[2] not in text:
            raise UnknownName(
                name_matching.unknown(
                    f"test in {file} called", function, tests_in(text)
                )
            )
        return program
    project = find_project()
    program = named(program)
    ids = _with_goldens(project)
    if not _matching(program, ids):
        ids |= _tests(_texts(project.root, program))
    try:
        found = name_matching.chosen([program], ids, f" in {project.root}")
    except UnknownName as error:
        raise UnknownName(
            f"{error} A function of your own is FILE::FUNCTION."
        ) from None
    tests = list(dict.fromkeys(ids[one][0].partition("[")[0] for one in found))
    if len(tests) > 1:
        raise UnknownName(
            f"{program!r} names several tests: {name_matching.joined(tests)}. Name one of them."
        )
    order = [*project.targets, *(PurePosixPath(one).name for one in found)]
    first = min(found, key=lambda one: order.index(PurePosixPath(one).name))
    return Path(os.path.relpath(project.root), ids[first][0]).as_posix()


def tests_in(text: str) -> list[str]:
    """The tests that a file's text defines, as pytest names them without parameters; none if it is not Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    classes = [
        (f"{node.name}::", node.body)
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    ]
    return [
        f"{prefix}{node.name}"
        for prefix, body in [("", tree.body), *classes]
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]


def _with_goldens(project: Project) -> dict[str, tuple[str, ...]]:
    """The id and the folder of each case that has goldens, by folder."""
    folders = golden_history.cases(project.goldens) if project.goldens.is_dir() else ()
    return {
        str(folder): (*golden_history.nodeids(folder), str(folder))
        for folder in folders
    }


def _matching(case: str, ids: Mapping[str, tuple[str, ...]]) -> list[str]:
    try:
        return name_matching.chosen([case], ids)
    except UnknownName:
        return []


def _tests(texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The ids of the tests in files, without parameters, by themselves."""
    ids = [f"{file}::{test}" for file, text in texts.items() for test in tests_in(text)]
    return {nodeid: (nodeid,) for nodeid in ids}


def _texts(root: Path, case: str) -> dict[str, str]:
    """The texts of the files that pytest collects by default, and of one that `case` names, by path."""
    named = (
        [path]
        if "::" in case and (path := root / case.partition("::")[0]).is_file()
        else []
    )
    found = set(named)
    for folder, folders, there in os.walk(root):
        here = Path(folder)
        folders[:] = [
            name
            for name in folders
            if not (
                name.startswith(".")
                or name in _ASIDE
                or files.has(here / name, "pyvenv.cfg")
            )
        ]
        found.update(
            here / name
            for name in there
            if fnmatch(name, "test_*.py") or fnmatch(name, "*_test.py")
        )
    return {path.relative_to(root).as_posix(): _text(path) for path in sorted(found)}


def _text(path: Path) -> str:
    try:
        if path.is_file() and path.stat().st_size < _LARGEST:
            return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        pass  # pytest will say why it cannot be read
    return ""
