"""`compile-golden fuzz`: Inductor settings, alone or in pairs, that make a case go wrong."""

from __future__ import annotations

import hashlib
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from pytest_compile_golden.cli import shared_options, shell_completion
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.find_cases import resolved
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common import json_files
from pytest_compile_golden.common.constants import CACHE
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.errors import CompileGoldenError, UnknownName
from pytest_compile_golden.features.numerics.commands.repeated_judging import Trials
from pytest_compile_golden.report.styled_lines import Line, printable

if TYPE_CHECKING:
    from labs.fuzz.search import Fuzz, SettingsTrial, Value

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_FORMAT = 1
_SHOWN = 12
"""Lines shown of what is wrong with a setting."""


def _seconds(ctx: click.Context, option: click.Parameter, text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if match is None:
        raise click.BadParameter(f"{text!r} is not a duration: write 90s, 5m or 1h.")
    return float(match[1]) * _UNITS[match[2]]


@click.command(short_help="Search for Inductor settings that break a case.")
@click.argument(
    "case", metavar="FILE::FUNCTION | CASE", shell_complete=shell_completion.programs
)
@shared_options.target
@click.option(
    "--for",
    "limit",
    default="5m",
    show_default=True,
    callback=_seconds,
    help="How long to search: 90s, 5m, 1h.",
)
@click.option(
    "--setting",
    "globs",
    multiple=True,
    metavar="GLOB",
    help="Only settings that match, such as triton.*; repeatable.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Seed for the order and for numeric values.",
)
@click.option(
    "--timeout",
    type=float,
    default=60.0,
    show_default=True,
    help="Seconds allowed for one compile and run.",
)
@click.option("--fresh", is_flag=True, help="Forget earlier trials.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Format on stdout.",
)
def fuzz(
    case: str,
    target: str | None,
    limit: float,
    globs: tuple[str, ...],
    seed: int,
    timeout: float,
    fresh: bool,
    form: str,
) -> None:
    """Compile CASE with pairs of Inductor settings and judge each with `numerics`: wrong results, failed compiles,
    crashed processes. A finding is narrowed down to a single setting if one is enough.

    Values are those of torch's own configuration fuzzer: flipped switches, other named choices, random numbers. First,
    each setting is tried once, paired with another; then the pairs of settings that change the generated code, then
    the others. Trials are remembered: the same command continues where it stopped, until the case or torch changes.

    Exits with 0 if nothing was found, with 1 if something was or the case cannot be judged, and with 2 if the command
    itself is wrong.
    """
    case = resolved(case)
    trials = Trials(case, target, timeout)
    from labs.fuzz.search import Fuzz, SettingsTrial, settings
    from pytest_compile_golden.targets import get_target

    plain = trials.verdict({})
    if plain.bad:
        raise CompileGoldenError(
            f"{case} goes wrong without any setting changed; `compile-golden bisect --numerics` says why.\n{plain.text}"
        )
    if plain.kind != "right":
        raise CompileGoldenError(f"{case} cannot be judged: {plain.text}")
    chosen = {
        name: value
        for name, value in settings(get_target(plain.target).device_type, seed).items()
        if not globs or any(fnmatchcase(name, glob) for glob in globs)
    }
    if not chosen:
        raise UnknownName(
            f"torch {torch_version()} has no setting to try that matches {' or '.join(globs)}."
        )
    facts = f"{case}\0{plain.target}\0{torch_version()}\0{seed}\0{globs}"
    path = (
        find_project().cache
        / f"{CACHE}-fuzz"
        / f"{hashlib.sha256(facts.encode()).hexdigest()[:16]}.json"
    )
    if fresh:
        path.unlink(missing_ok=True)
    fuzzed = Fuzz(chosen, seed, path, plain.code)
    end = time.monotonic() + limit

    def tried(some: Mapping[str, Value]) -> SettingsTrial:
        verdict = trials.verdict(some)
        if verdict.kind != "right":
            click.echo(printable(f"  {_words(some)}: {verdict.kind}"), err=True)
        return SettingsTrial(
            {**some},
            verdict.kind,
            verdict.bad,
            verdict.text,
            verdict.code == plain.code,
        )

    fuzzed.run(tried, lambda: time.monotonic() < end)
    if form == "json":
        click.echo(_as_json(fuzzed, case, plain.target), nl=False)
    else:
        show(console(), _lines(fuzzed, case, plain.target))
    sys.exit(1 if fuzzed.findings else 0)


def _as_json(fuzzed: Fuzz, case: str, target: str) -> str:
    """Everything that was tried, and how to reproduce each finding."""
    return json_files.render(
        {
            "format": _FORMAT,
            "case": case,
            "target": target,
            "torch": torch_version(),
            "seed": fuzzed.seed,
            "settings": fuzzed.settings,
            "pairs": fuzzed.pairs,
            "remembered": fuzzed.remembered,
            "tried": fuzzed.tried,
            "left_out": fuzzed.omitted,
            "findings": [
                {**asdict(finding), "again": _marked(case, target, finding.settings)}
                for finding in fuzzed.findings
            ],
        }
    )


def _lines(fuzzed: Fuzz, case: str, target: str) -> list[Line]:
    pairs = [trial for trial in fuzzed.tried if len(trial.settings) > 1]
    idle = sum(pair.same_code for pair in pairs)
    lines: list[Line] = [
        (
            "title",
            printable(
                f"{case} on {target}, torch {torch_version()}, seed {fuzzed.seed}"
            ),
        ),
        (
            "",
            f"{len(pairs)} of {fuzzed.pairs} pairs of {len(fuzzed.settings)} settings tried, {fuzzed.remembered} "
            f"trials remembered; {idle} pairs do not change the generated code",
        ),
    ]
    lines += [
        (
            "dim",
            printable(
                f"left out: {_words(trial.settings)}: {next(iter(split_lines(trial.text)), '')}"
            ),
        )
        for trial in fuzzed.omitted
    ]
    for finding in fuzzed.findings:
        lines += [
            ("", ""),
            ("bad", printable(f"{_words(finding.settings)}: {finding.outcome}")),
        ]
        lines += [
            ("", f"  {printable(line)}") for line in split_lines(finding.text)[:_SHOWN]
        ]
        lines += [
            (
                "",
                printable(
                    f"  to reproduce it: {_marked(case, target, finding.settings)}"
                ),
            )
        ]
    found = (
        ("bad", quantity(len(fuzzed.findings), "finding"))
        if fuzzed.findings
        else ("good", "nothing found")
    )
    return [*lines, ("", ""), found]


def _marked(case: str, target: str, settings: Mapping[str, Value]) -> str:
    name = case.partition("::")[2]
    if name.isidentifier() and not name.startswith("test"):
        return f"have {name} return the options {{'config': {settings!r}}}, and pass --target {target}"
    return f'@pytest.mark.compile_golden(target="{target}", config={settings!r})'


def _words(settings: Mapping[str, Value]) -> str:
    return " and ".join(f"{name}={value!r}" for name, value in settings.items())
