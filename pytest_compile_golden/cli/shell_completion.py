"""What the shell can complete: the project's cases, and the existing stages and targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

import click
from click.shell_completion import CompletionItem

from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.name_matching import without_path
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.goldens import golden_history


def cases(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of tests and folders, which need no quotes; ids if one has been started."""
    names: list[str] = []
    for folder in _folders():
        ids = golden_history.nodeids(folder)
        tests = (without_path(nodeid).partition("[")[0] for nodeid in ids)
        names += ids if ":" in incomplete else [*tests, str(folder)]
    return _items(names, incomplete)


def programs(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Cases as pytest names them, without the target if it is the only parameter; files until one is named."""
    ids = (
        nodeid.removesuffix(f"[{folder.name}]")
        for folder in _folders()
        for nodeid in golden_history.nodeids(folder)
    )
    files = [] if ":" in incomplete else [CompletionItem(incomplete, type="file")]
    return [*_items(ids, incomplete), *files]


def targets(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a target: those of installed packages too, without importing torch."""
    from pytest_compile_golden.targets import target_names

    return _items(target_names(), incomplete)


def stages(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """A stage's name, also as the last of several, or after the `+` that adds it."""
    from pytest_compile_golden.stages import stages as registered

    *before, last = incomplete.split(",")
    sign = "+" if last.startswith("+") else ""
    start = ",".join([*before, sign]) if before else sign
    return _items((start + stage.name for stage in registered()), incomplete)


def _folders() -> Iterator[PurePosixPath]:
    try:
        root = find_project().goldens
        yield from golden_history.cases(root) if root.is_dir() else ()
    except (click.ClickException, CompileGoldenError, OSError):
        # Completion has no way to show errors.
        return


def _items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(name)
        for name in dict.fromkeys(names)
        if name.startswith(incomplete)
    ]
