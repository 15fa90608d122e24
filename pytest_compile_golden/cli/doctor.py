"""`compile-golden doctor`: what the installed torch supports, and which private names moved in another one."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from importlib import util
from pathlib import Path

import click
from packaging.version import Version
from rich.console import Console
from rich.table import Column
from rich.text import Text

from pytest_compile_golden.api.captured import kernel_compiler
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.constants import NEWEST_PYTHON, NEWEST_TORCH
from pytest_compile_golden.common.installed_torch import other_triton
from pytest_compile_golden.errors import CompileGoldenError, NotInstalled
from pytest_compile_golden.report.styled_lines import grid
from pytest_compile_golden.torch_internals import (
    Attribute,
    Name,
    lost_stages,
    overrides,
    subjects,
)
from pytest_compile_golden.torch_source.moved_names import Fate, fate
from pytest_compile_golden.torch_source.torch_package import TorchPackage


@click.command(short_help="Check stages and targets with the installed torch.")
@click.option(
    "--targets",
    is_flag=True,
    help="Only list the targets: what each is, and where its numbers are from.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="List every private name of torch that is used, not only the missing.",
)
@click.option(
    "--try",
    "tried",
    is_flag=True,
    help="Compile three tiny programs for each target (by default those of the project), and check what is seen.",
)
@click.option(
    "--sources",
    type=click.Path(exists=True, path_type=Path),
    help="Read another torch version, from its folder or .whl, and list the names that moved, with their new places.",
)
@click.option(
    "--write",
    is_flag=True,
    help="With --sources: add the new spellings that are sure to a file of the project.",
)
@click.argument("names", metavar="[TARGET]...", nargs=-1)
def doctor(
    targets: bool,
    everything: bool,
    tried: bool,
    sources: Path | None,
    write: bool,
    names: tuple[str, ...],
) -> None:
    """Show which stages and targets work with the installed torch, and what is missing for the others.

    Exits with 1 if a stage or a virtual target cannot work here.
    """
    console = Console(highlight=False)
    if tried:
        sys.exit(0 if _try(console, names) else 1)
    if sources is not None:
        sys.exit(0 if read_ahead(sources, write) else 1)
    if write:
        raise click.UsageError("--write goes with --sources.")
    if names:
        raise click.UsageError("TARGET goes with --try.")
    from pytest_compile_golden.observe.record_compile import environment

    if targets:
        _print_facts(console)
        return
    versions = environment()
    triton = f"triton {versions.triton or 'not installed'}"
    facts = f"torch {versions.torch}, {triton}, Python {versions.python}, {_compiler()}"
    gone, works = _unavailable(), _tried_targets()
    answer, good = _answer(gone, works)
    _print(console, Text(f"{answer} with {facts}\n", style="green" if good else "red"))
    free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    for sentence in _not_tried(
        Version(versions.torch), sys.version_info[:2], free_threaded
    ):
        _print(console, Text(f"{sentence}\n", style="yellow"))
    if (advice := other_triton()) is not None:
        _print(console, Text(f"{advice}\n", style="yellow"))
    _print_stages(console, gone)
    _print_targets(console, works)
    _print_names(console, everything)
    sys.exit(0 if good else 1)


def _not_tried(
    torch: Version, python: tuple[int, int], free_threaded: bool
) -> Iterator[str]:
    """What of the installed torch and Python no release of this package was tried with, a sentence each."""
    if torch.release[:2] > Version(NEWEST_TORCH).release[:2]:
        yield f"not tried: torch {torch.major}.{torch.minor}. `compile-golden doctor --try` checks what is seen of it."
    if python > NEWEST_PYTHON:
        yield (
            f"not tried: Python {'.'.join(map(str, python))}. Bytecode, and what Dynamo traces of it, differ between "
            "versions of Python: `compile-golden doctor --try` checks what is seen."
        )
    if free_threaded:
        yield (
            "not tried: the free-threaded build of Python. A capture watches the whole process, so let no other thread "
            "compile while a case does."
        )


def _answer(
    gone: Mapping[str, Sequence[str]], works: Mapping[str, str | None]
) -> tuple[str, bool]:
    """What works, in a sentence without its end, and whether all does that should."""
    from pytest_compile_golden.targets import get_target

    tried = {
        name: why
        for name, why in works.items()
        if why is not None and get_target(name).virtual
    }
    stages, targets = (
        [name for name, why in gone.items() if why],
        [name for name, why in tried.items() if why],
    )
    if not stages and not targets:
        return (
            f"all {len(gone)} stages and all {len(tried)} virtual targets that were tried work",
            True,
        )
    said = (
        [f"{len(stages)} of {len(gone)} stages are unavailable ({', '.join(stages)})"]
        if stages
        else []
    )
    said += (
        [
            f"{len(targets)} of {len(tried)} virtual targets do not work ({', '.join(targets)})"
        ]
        if targets
        else []
    )
    return " and ".join(said), False


def _try(console: Console, names: tuple[str, ...]) -> bool:
    """Try the installed torch, print what cannot be read, and return whether all of it can."""
    from pytest_compile_golden.api.compat_check import kept_readings
    from pytest_compile_golden.api.compat_check.reading import merged
    from pytest_compile_golden.targets import get_target

    chosen = kept_readings.can_try(
        [get_target(name).name for name in names or find_project().targets]
    )
    reading = merged(
        reading for asked in kept_readings.ask(chosen) for reading in asked.wait()
    )
    if reading is None:
        raise click.UsageError(
            "none of these targets is a built-in virtual one, which are all that can be tried."
        )
    on = ", ".join(chosen)
    if not reading.unread:
        _print(
            console,
            Text(
                f"torch {reading.torch}: all {len(reading.stages)} stages can be read on {on}"
            ),
        )
    else:
        _print(
            console, Text(f"torch {reading.torch}: {reading.title} ({on})", style="red")
        )
    for reason in reading.reasons:
        _print(console, Text(f"    {reason}"))
    return not reading.unread


def _compiler() -> str:
    try:
        return kernel_compiler().cpp_compiler()
    except NotInstalled as error:
        return str(error)


def _unavailable() -> dict[str, list[str]]:
    """Each stage with why it is unavailable with the installed torch; nothing if it is available."""
    from pytest_compile_golden.stages import stages

    lost = {
        device: lost_stages(device)
        for device in sorted({device for stage in stages() for device in stage.devices})
    }
    return {
        stage.name: list(
            dict.fromkeys(
                lost[device][stage.name]
                for device in sorted(stage.devices)
                if stage.name in lost[device]
            )
        )
        for stage in stages()
    }


def _print_stages(console: Console, gone: Mapping[str, Sequence[str]]) -> None:
    from pytest_compile_golden.stages import stages

    for stage in stages():
        style = "bold red" if gone[stage.name] else "bold green"
        _print(console, Text.assemble((stage.name, style), f"  {stage.summary}"))
        for why in gone[stage.name]:
            _print(console, Text(f"    unavailable: {why}", style="red"))


def _print_names(console: Console, everything: bool) -> None:
    """Print how many of torch's private names are here, by subject, and in full those that are not, or all."""
    _print(
        console,
        Text("\nPrivate names of torch and Triton, and what is lost without them:"),
    )
    for subject, rows in subjects().items():
        missing = {row: why for row in rows if (why := row.missing())}
        found = f"{len(rows) - len(missing)} of {len(rows)}"
        _print(
            console,
            Text.assemble(
                (subject, "bold yellow" if missing else "bold green"), f"  {found}"
            ),
        )
        for row in rows if everything else missing:
            why = missing.get(row, row.at.replace(":", "."))
            style = "dim" if row not in missing or not row.expected else "red"
            _print(
                console,
                Text(f"    {why}  {row.use}; without it: {row.lost}", style=style),
            )


def _print_facts(console: Console) -> None:
    """Print what each target represents, what is declared about it, and the sources for that."""
    from pytest_compile_golden.targets import (
        CpuProperties,
        CudaProperties,
        get_target,
        target_names,
    )
    from pytest_compile_golden.targets.devices import CPUS, GPUS, UNSUPPORTED_DEVICES

    sources = {
        name: row.source for table in (GPUS, CPUS) for name, row in table.items()
    }
    for name in target_names():
        target = get_target(name)
        properties = getattr(target, "properties", None)
        if isinstance(properties, (CpuProperties, CudaProperties)):
            device = f"virtual: {properties.in_words}"
        else:
            device = "virtual" if target.virtual else "native: this machine's own"
        _print(console, Text.assemble((name, "bold"), f"  {device}"))
        if target.virtual:
            source = sources.get(name, "as declared by its author")
            rates = (
                "none, so costs have no times"
                if target.rates is None
                else target.rates.source
            )
            for line in (f"properties: {source}", f"peak rates: {rates}"):
                _print(console, Text(f"    {line}", style="dim"))
    for family, why in UNSUPPORTED_DEVICES.items():
        _print(console, Text.assemble((family, "bold"), f"  no target: {why}"))
    _print(
        console,
        Text(
            "\n`compile-golden fidelity` compares a virtual target with its device: docs/fidelity.md."
        ),
    )


def _print(console: Console, line: Text) -> None:
    """Print a line unwrapped, however narrow the terminal: a name that is broken in two cannot be searched for."""
    console.print(line, soft_wrap=True)


def _tried_targets() -> dict[str, str | None]:
    """Each target with why it does not work here: empty if it does, None if it cannot be tried in this process."""
    from pytest_compile_golden.targets import get_target, target_names

    first = get_target(target_names()[0])
    works: dict[str, str | None] = {}
    for name in target_names():
        target = get_target(name)
        if target.vendor != first.vendor:
            works[name] = None
            continue
        try:
            with target.active():
                works[name] = ""
        except CompileGoldenError as error:
            works[name] = str(error)
    return works


def _print_targets(console: Console, works: Mapping[str, str | None]) -> None:
    from pytest_compile_golden.targets import get_target

    table = grid(
        Column("target", no_wrap=True), Column("kind", no_wrap=True), "works here"
    )
    for name, why in works.items():
        virtual = get_target(name).virtual
        if why is None:
            said = Text("in a separate run", style="dim")
        else:
            # A machine without the device has no native target; the installation is not at fault.
            said = (
                Text(why, style="red" if virtual else "dim")
                if why
                else Text("yes", style="green")
            )
        table.add_row(name, "virtual" if virtual else "native", said)
    console.print()
    console.print(table)


def read_ahead(path: Path, write: bool) -> bool:
    """Print what became of each name in the torch at `path`, and return whether all of them can be used.

    With `write`, the new spellings that are sure go into the project's file, which later runs read.
    """
    new = TorchPackage(path)
    rows = [
        row
        for table in subjects().values()
        for row in table
        if row.expected_in(new.version)
    ]

    def fate_of(row: Name) -> Fate | None:
        return fate(
            row.spellings, row.takes, isinstance(row, Attribute), new, _installed()
        )

    fates = {row: found for row in rows if (found := fate_of(row))}
    click.echo(
        f"torch {new.version}: {len(rows) - len(fates)} of {len(rows)} names are as we know them"
    )
    for row, found in fates.items():
        click.echo(f"  {found.said}\n      for {row.use}; without it: {row.lost}")
    sure = {row.at: found.now for row, found in fates.items() if found.now}
    if write and sure:
        file = find_project().root / overrides.FILE
        overrides.write(file, f"torch {new.version}", sure)
        click.echo(f"{len(sure)} new spellings written to {os.path.relpath(file)}")
        fates = {row: found for row, found in fates.items() if not found.now}
    elif sure:
        click.echo(
            f"--write adds the {len(sure)} that are sure to {overrides.FILE}, which every run of the project reads"
        )
    return not fates


@functools.cache
def _installed() -> TorchPackage | None:
    """The installed torch's sources, which have the names as we know them."""
    spec = util.find_spec("torch")
    return (
        None
        if spec is None or spec.origin is None
        else TorchPackage(Path(spec.origin).parents[1])
    )
