"""`compile-golden bisect CASE`: the first torch version that compiles a case differently, and where it diverges."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from pytest_compile_golden.cli import (
    console,
    explain_changes,
    find_cases,
    record_sides,
    shared_options,
    shell_completion,
)
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.cli.side_progress import SideProgress
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.environments import bisect_versions
from pytest_compile_golden.environments.bisect_versions import Bisection
from pytest_compile_golden.environments.side_recorder import (
    RecordingCache,
    Result,
    SideRecorder,
)
from pytest_compile_golden.environments.sides import Release, Side, runs
from pytest_compile_golden.errors import (
    CompileGoldenError,
    EnvironmentFailed,
    UnknownName,
)
from pytest_compile_golden.goldens.metric_history import Thresholds
from pytest_compile_golden.recordings import compare_cases
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report.styled_lines import Line, printable


@click.command(short_help="Find the torch version, or pass, that changed a case.")
@click.argument("case", shell_complete=shell_completion.cases)
@click.argument("candidates", nargs=-1)
@click.option(
    "--good", metavar="A", help="Last known good version, or date of a nightly."
)
@click.option("--bad", metavar="B", help="First known bad one.")
@record_sides.run_options
@shared_options.torch_repo
@explain_changes.prove_option
@click.option("--fresh", is_flag=True, help="Forget the runs of earlier bisections.")
@click.option(
    "--numerics",
    is_flag=True,
    help="Find what makes CASE differ from eager on this torch.",
)
@click.option(
    "-o",
    "--output",
    type=shared_options.FILE,
    help="With --numerics: the path of the script for what is found.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="With --numerics: format on stdout.",
)
def bisect(
    case: str,
    candidates: tuple[str, ...],
    good: str | None,
    bad: str | None,
    run: record_sides.RunOptions,
    torch_repo: Path | None,
    prove: bool,
    fresh: bool,
    numerics: bool,
    output: Path | None,
    form: str,
) -> None:
    """Find the first torch version that compiles CASE differently, and the first divergence there.

    \b
    bisect CASE --good 2.12.1 --bad 2.15.0            every release between them that pip finds
    bisect CASE --good 2026-09-01 --bad 2026-09-30 --pip "--pre --index-url URL"      nightlies
    bisect CASE PYTHON PYTHON ...                     interpreters, from good to bad
    bisect --numerics CASE                            the part of this torch's compiler that makes CASE go wrong

    If both versions of torch are installed, this is followed by what torch's authors changed in the function that is
    blamed.

    Each run halves what is left. Runs are remembered: an interrupted bisection continues where it stopped.

    With --numerics, torch's own compiler bisector, judged by `numerics`, names the backend, the part of it, and which
    pass, decomposition or lowering in that part; a script for it is written.

    CASE is a test id, the folder of its goldens, or a part of either.

    Exits with 0 if the first is found, with 1 if both ends do the same or cannot be run, and with 2 if the command
    itself is wrong: no such case, target or version.
    """
    if numerics:
        _numerics(
            find_cases.resolved(case),
            (*candidates, *filter(None, (good, bad))),
            run,
            output,
            form,
        )
        return
    if form != "text":
        raise click.UsageError(
            "--format json is for --numerics; `compile-golden diff --format json` compares versions."
        )
    case = find_cases.named(case)
    sides = _sides(case, candidates, good, bad, run)
    # One case needs no second process, which would only import torch again.
    run = replace(run, processes=run.processes or 1)
    side_recorder = run.side_recorder([case], runs=1)
    memory = RecordingCache(side_recorder.request, find_project(run.project).goldens)
    if fresh:
        memory.forget()
    with SideProgress() as watcher:
        runner = _Runner(side_recorder, memory, watcher, sides)
        last = len(sides) - 1
        runner.record(0, last)
        for end in (0, last):
            result = runner.result(end)
            if isinstance(result, UnknownName):
                raise result
            if isinstance(result, CompileGoldenError):
                raise click.ClickException(
                    f"{sides[end].label}, one of the two ends, could not be run: {result}"
                )
        search = Bisection(last)
        if runner.differs(last):
            search.run(runner.differs)
    to = console.console()
    if not runner.differs(last):
        console.show(
            to,
            [
                (
                    "",
                    f"{sides[-1].label} does the same as {sides[0].label}: there is nothing to find.",
                )
            ],
        )
        sys.exit(1)
    usual = find_project(run.project).usual
    console.show(
        to,
        _result_lines(sides, search, runner, torch_repo, run if prove else None, usual),
    )


def _numerics(
    case: str,
    sides: Sequence[str],
    run: record_sides.RunOptions,
    output: Path | None,
    form: str,
) -> None:
    from pytest_compile_golden.api import numerics_tool

    if sides:
        raise click.UsageError(
            "--numerics is only about the installed torch: leave out candidates, --good and --bad."
        )
    if len(run.targets) > 1:
        raise click.UsageError("--numerics takes only one --target.")
    numerics_tool().bisect(
        case, next(iter(run.targets), None), run.timeout, output, form
    )


@dataclass
class _Runner:
    """Runs candidates by number, each once."""

    _side_recorder: SideRecorder
    _memory: RecordingCache
    _watcher: SideProgress
    _sides: Sequence[Side]
    _results: dict[int, Result] = field(default_factory=dict)
    ran: int = 0
    remembered: int = 0

    def record(self, *numbers: int) -> None:
        """Get the results of several candidates at the same time."""
        for number in numbers:
            side = self._sides[number]
            recording = self._memory.get(side) if runs(side) else None
            if recording is not None:
                self.remembered += 1
                self._results[number] = recording
        to_run = [number for number in numbers if number not in self._results]
        sides = [
            (self._sides[number], self._memory.folder(self._sides[number]))
            for number in to_run
        ]
        self.ran += sum(runs(side) for side, _ in sides)
        self._results.update(
            zip(
                to_run,
                self._side_recorder.record_all(sides, self._watcher),
                strict=True,
            )
        )

    def result(self, number: int) -> Result:
        """How the case behaves on the version with this number; run if it was not yet."""
        if number not in self._results:
            self.record(number)
        return self._results[number]

    def name(self, number: int) -> str:
        """The candidate's torch version, and what the user called it if that says more."""
        from pytest_compile_golden.report import compare_recordings

        result = self.result(number)
        label = self._sides[number].label
        return (
            compare_recordings.named(result.run, label)
            if isinstance(result, Recording)
            else label
        )

    def differs(self, number: int) -> bool | None:
        """Whether the candidate differs from the good one; None if it could not be run at all."""
        good, other = self.result(0), self.result(number)
        assert isinstance(good, Recording)
        return (
            compare_cases.recordings_differ(good, other)
            if isinstance(other, Recording)
            else None
        )


def _sides(
    case: str,
    candidates: Sequence[str],
    good: str | None,
    bad: str | None,
    run: record_sides.RunOptions,
) -> list[Side]:
    """The candidates in order, the good end first. Raises UnknownName if none of them can have the case."""
    if candidates:
        labels = list(candidates)
        for end in (good, bad):
            if end is not None and end not in labels:
                raise click.UsageError(f"{end} is not one of the candidates.")
        low = 0 if good is None else labels.index(good)
        high = len(labels) - 1 if bad is None else labels.index(bad)
        chosen = labels[low : high + 1] if low <= high else labels[high : low + 1][::-1]
        sides = record_sides.parse_sides(chosen)
        if all(map(runs, sides)):
            run.check_cases([case])
    elif good is None or bad is None:
        raise click.UsageError(
            "name the candidates, or give versions or dates as --good and --bad."
        )
    else:
        run.check_cases([case])
        wanted = record_sides.wanted("0", run.pip, run.python)
        try:
            versions = bisect_versions.between(good, bad, wanted.python, wanted.pip)
        except EnvironmentFailed as error:
            raise click.UsageError(str(error)) from None
        sides = [Release(version, version) for version in versions]
    if len(sides) < 2:
        raise click.UsageError("bisect needs at least two candidates.")
    return sides


def _result_lines(
    sides: Sequence[Side],
    search: Bisection,
    runner: _Runner,
    repository: Path | None,
    proving_run: record_sides.RunOptions | None,
    usual: Thresholds,
) -> list[Line]:
    """proving_run: how to compile to prove the cause; None to leave that out. usual: see `report`."""
    from pytest_compile_golden.report import compare_recordings, proofs, torch_changes
    from pytest_compile_golden.report.failure_text import Failure, render

    first, before = sides[search.bad], sides[search.good]
    outcomes = {0: ("", "good"), len(sides) - 1: ("", "differs")}
    outcomes |= {
        number: ("", "differs" if differs else "same as good")
        for number, differs in search.differs.items()
    }
    outcomes |= dict.fromkeys(search.failed, ("bad", "could not be run"))
    outcomes[search.bad] = ("title", "the first that differs")
    names = {number: printable(runner.name(number)) for number in outcomes}
    width = max(map(len, names.values()))
    lines: list[Line] = [
        (style, f"  {names[number]:{width}}  {outcome}")
        for number, (style, outcome) in sorted(outcomes.items())
    ]
    if search.undecided:
        skipped = ", ".join(sides[number].label for number in search.undecided)
        lines.append(
            (
                "bad",
                f"the change may be in one that could not be run: {printable(skipped)}",
            )
        )
    old, new = runner.result(search.good), runner.result(search.bad)
    report = compare_recordings.report(
        old, new, before.label, first.label, detail="brief", usual=usual
    )
    if proving_run is not None:
        report = explain_changes.with_proofs(
            report, [before, first], [old, new], proving_run
        )
    report = explain_changes.with_sources(
        report, [before, first], [old, new], repository
    )
    for case in report.cases:
        if case.outcome == "changed":
            lines += [
                ("", ""),
                *render(Failure(case, report.new.torch, before="before")),
            ]
        elif not case.as_before:
            lines += [
                ("", ""),
                ("title", printable(case.nodeid)),
                ("bad", f"  {printable(case.error or case.outcome)}"),
            ]
    searched = explain_changes.searched(before, first, report.old.torch)
    lines += [*torch_changes.render(report), *proofs.render(report, searched)]
    lines += [("dim", f"  {printable(note)}") for note in report.notes]
    remembered = f", {runner.remembered} remembered" if runner.remembered else ""
    lines += [
        ("", ""),
        (
            "good",
            f"first that differs: {names[search.bad]}, after {names[search.good]} "
            f"({quantity(runner.ran, 'run')}{remembered})",
        ),
    ]
    return lines
