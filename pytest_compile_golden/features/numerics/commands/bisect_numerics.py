"""`compile-golden bisect --numerics CASE`: the part of the compiler that makes a program go wrong."""

from __future__ import annotations

import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.common import json_files
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.features.eject import eject_command
from pytest_compile_golden.features.numerics.commands.repeated_judging import (
    Trials,
    Verdict,
)
from pytest_compile_golden.report.styled_lines import Line, printable

if TYPE_CHECKING:
    from pytest_compile_golden.features.eject.eject_script import EjectProbe
    from pytest_compile_golden.features.numerics.torch_bisector import Culprit

_FORMAT = 1
_BACKENDS = {
    "eager": "the backend eager, which runs what Dynamo captured and compiles nothing: Dynamo captured something else, "
    "or the program is not deterministic",
    "aot_eager": "the backend aot_eager: the program is wrong once AOTAutograd has traced it, before Inductor",
    "aot_eager_decomp_partition": "AOTAutograd's decompositions or partitioner, but no single decomposition",
    "aot_eager_decomp_partition_crossref": "an operator's result is not what it promises for fake tensors",
    "inductor": "Inductor, but no part of it that can be turned off on its own: scheduling, fusion or code generation",
}


@dataclass
class _Trials:
    """Runs trials and reports the outcome of each."""

    trials: Trials
    first: Verdict
    made: int = 0
    others: int = 0
    """How many were neither right nor wrong in the same way as the first."""

    def right(self, tried: str) -> bool:
        verdict = self.trials.verdict({}, bisected=self.first.place)
        self.made += 1
        self.others += verdict.kind not in ("right", self.first.kind)
        outcome = (
            verdict.kind
            if verdict.kind in ("right", self.first.kind)
            else f"{verdict.kind}: {verdict.text}"
        )
        click.echo(
            printable(f"  {tried:<60} {next(iter(split_lines(outcome)))}"), err=True
        )
        # A trial that goes wrong in another way is not what we are looking for.
        return verdict.kind != self.first.kind


@dataclass(frozen=True)
class _Found:
    """The result of a bisection; None for what is unknown or does not exist."""

    first: Verdict
    """The verdict on the case as it is."""
    culprit: Culprit | None = None
    made: int = 0
    """The number of trials."""
    others: int = 0
    script: _Script | None = None


@dataclass(frozen=True)
class _Script:
    name: str
    where: str
    """The location in torch or in the user's files; may be empty."""
    said: str


def bisect_numerics(
    case: str, target: str | None, seconds: float, output: Path | None, form: str
) -> None:
    """Find and show it; exits with 1 if there is nothing to find."""
    # Imported before the first trial, which is a fork of this process.
    from pytest_compile_golden.features.numerics import torch_bisector

    trials = Trials(case, target, seconds)
    first = trials.verdict({})
    if first.kind == "unjudged":
        raise CompileGoldenError(f"{case} cannot be judged: {first.text}")
    bisection = _Found(first)
    if first.kind not in ("right", "uncompiled"):
        if form == "text":
            shown = [
                ("", f"  {printable(line)}") for line in split_lines(first.text)[:12]
            ]
            show(console(), [("title", printable(case)), *shown])
        watched = _Trials(trials, first)
        try:
            culprit = torch_bisector.bisect(watched.right)
        except (LookupError, RuntimeError) as error:
            if first.kind == "failed":
                raise CompileGoldenError(
                    f"{case} does not compile, and torch's bisector found no part of the compiler without which it "
                    f"does ({type(error).__name__}: {error}). torch's error: {first.text}"
                ) from None
            raise CompileGoldenError(
                f"torch's bisector gave up ({type(error).__name__}: {error}). The case may not go wrong every time: "
                "make its inputs and random numbers the same in every run."
            ) from None
        script = None if culprit is None else _script(culprit, trials, first, output)
        bisection = _Found(first, culprit, watched.made, watched.others, script)
    if form == "json":
        facts = {
            "format": _FORMAT,
            "case": case,
            "target": first.target,
            "torch": torch_version(),
        }
        click.echo(json_files.render({**facts, **asdict(bisection)}), nl=False)
    else:
        show(console(), _lines(case, bisection))
    sys.exit(0 if bisection.culprit else 1)


def _lines(case: str, bisection: _Found) -> list[Line]:
    if bisection.first.kind == "right":
        right = f"{case} is right: there is nothing to bisect."
        return [("", printable(right)), ("", printable(bisection.first.text))]
    if bisection.first.kind == "uncompiled":
        told = [
            ("", f"  {printable(line)}")
            for line in split_lines(bisection.first.text)[:12]
        ]
        return [
            (
                "bad",
                printable(
                    f"{case} does not compile, so there is no result to judge. torch's error:"
                ),
            ),
            *told,
        ]
    if bisection.culprit is None:
        return [
            (
                "bad",
                "With torch's bisector on, it was right every time: it does not go wrong in every run.",
            )
        ]
    lines = [("", ""), *_culprit_lines(bisection.culprit, bisection)]
    if bisection.script is not None:
        name = ", ".join(filter(None, (bisection.script.name, bisection.script.where)))
        lines += [("", printable(f"  {name}"))] * bool(name) + [
            ("", printable(bisection.script.said))
        ]
    return lines


def _culprit_lines(culprit: Culprit, of: _Found) -> list[Line]:
    trials = f"({of.made} trials)"
    if culprit.setting is not None:
        lines = [f"{culprit.backend}: right with {culprit.setting} {trials}"]
    elif culprit.subsystem is None and of.first.kind == "failed":
        error = next(iter(split_lines(of.first.text)), "")
        only = (
            ", which compiles nothing, so Dynamo or the program itself fails"
            if culprit.backend == "eager"
            else ""
        )
        lines = [
            f"it does not compile with the backend {culprit.backend}{only}: {error} {trials}"
        ]
    elif culprit.subsystem is None:
        lines = [
            f"{_BACKENDS.get(culprit.backend, f'the backend {culprit.backend}')} {trials}"
        ]
    else:
        lines = [
            f"{culprit.backend}, {culprit.subsystem}, number {culprit.number}: {culprit.name} {trials}"
        ]
    if of.others:
        lines.append(
            f"{of.others} trials went wrong in another way and were counted as right; see above"
        )
    return [
        ("good" if number == 0 else "bad", f"found: {printable(line)}")
        for number, line in enumerate(lines)
    ]


def _script(
    culprit: Culprit, trials: Trials, first: Verdict, output: Path | None
) -> _Script | None:
    """Write a script for what was found; None if there can be none."""
    probe = _probe(culprit)
    if probe is None:
        return None
    candidates = trials.ejected(probe, first.place)
    if not candidates:
        return _Script(
            "",
            "",
            "There is no script for it: it did not occur when the program was captured.",
        )
    operator = (
        re.match(r"[\w.]+", culprit.name or "") if probe.stage == "lowering" else None
    )
    with_it = [
        candidate
        for candidate in candidates
        if operator is None or f"{operator[0]}," in candidate.script
    ]
    chosen = eject_command.choose(with_it or candidates)
    message = (
        eject_command.write(chosen, chosen.name, output)
        if chosen.script
        else f"There is no script: {chosen.refused}"
    )
    return _Script(chosen.name, chosen.where or "", message)


def _probe(culprit: Culprit) -> EjectProbe | None:
    """The probe that ejects it; None if there can be no script."""
    from pytest_compile_golden.features.eject.eject_script import EjectProbe

    if culprit.backend == "inductor":
        if culprit.subsystem == "lowerings":
            return EjectProbe(None, "lowering")
        return (
            EjectProbe(culprit.name, None)
            if culprit.name is not None
            else EjectProbe(None, "fusion")
        )
    if culprit.backend == "aot_eager_decomp_partition" and culprit.subsystem is None:
        return EjectProbe("min_cut_rematerialization_partition", None)
    return None
