"""`compile-golden diff OLD NEW`: what changes between two versions of torch."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_compile_golden.cli import (
    console,
    explain_changes,
    record_sides,
    shared_options,
)
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.garbage_collection import gc_paused
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.environments import sides
from pytest_compile_golden.errors import ReportError

if TYPE_CHECKING:
    from pytest_compile_golden.report.case_report import Detail
    from pytest_compile_golden.report.model import Report
    from pytest_compile_golden.report.proofs import Searched


class _Diff(click.Command):
    """Without sides it is `show`: the difference between the goldens and the last run."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        # Shell completion has no arguments yet, and completes sides.
        with_sides = bool(args) and not args[0].startswith("-")
        if not (
            with_sides or {"-h", "--help"} & set(args) or extra.get("resilient_parsing")
        ):
            from pytest_compile_golden.cli.show import show

            # `show` takes no arguments, only its own options.
            with suppress(click.UsageError):
                return show.make_context(info_name, list(args), parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(
    cls=_Diff, short_help="Compare two torch versions, recordings or goldens."
)
@click.argument("old")
@click.argument("new")
@shared_options.case
@record_sides.run_options
@shared_options.keep
@shared_options.report
@shared_options.form
@click.option(
    "--sources/--no-sources",
    "with_sources",
    default=None,
    help="Also show how the torch functions that are blamed changed, if both versions of torch are installed; takes "
    "seconds. The default if a side is run now.",
)
@shared_options.torch_repo
@click.option(
    "--trace",
    "of_trace",
    is_flag=True,
    help="OLD and NEW are what torch itself logged of any program's compiles (TORCH_TRACE=DIR python PROGRAM): the "
    "folders, or a file of each, such as the one of a rank.",
)
@click.option(
    "--triton",
    "of_triton",
    is_flag=True,
    help="OLD and NEW are versions of Triton, which compile the same kernels down to machine code; torch is the "
    "version installed here.",
)
@explain_changes.prove_option
@explain_changes.reduce_option
@click.option(
    "--numerics",
    "compare_with_eager",
    is_flag=True,
    help="Also compare what each side computes with eager: a change that fixes a wrong result is no regression.",
)
@click.option(
    "--full",
    is_flag=True,
    help="Show every changed case with its diff, not just each distinct change; reports keep the texts of all of them.",
)
def diff(
    old: str,
    new: str,
    cases: tuple[str, ...],
    run: record_sides.RunOptions,
    keep: Path | None,
    reports: tuple[Path, ...],
    form: str,
    with_sources: bool | None,
    torch_repo: Path | None,
    of_trace: bool,
    of_triton: bool,
    prove: bool,
    reduced: int,
    full: bool,
) -> None:
    """Compare what torch.compile does on two sides, case by case; no goldens are involved. Without sides, show what the
    last run left pending, like `compile-golden show`.

    OLD and NEW are each a torch version (2.13.0), a version with packages other than those it requires
    ('2.13.0 triton==3.8.0'), an interpreter or its environment, a folder that --compile-golden-record or TORCH_TRACE
    wrote, or the goldens for a version (goldens@2.13.0); folders and goldens need no torch. Sides that are not recorded
    yet are run now, both at the same time.

    Exits with 0 if both do the same apart from cosmetic differences, with 1 if they differ or a side did not run, and
    with 2 if the command itself is wrong.
    """
    from pytest_compile_golden.report import compare_recordings, reporters

    click.get_current_context().with_resource(gc_paused())
    if of_triton:
        torch = (torch_version() or "").partition("+")[0]
        old, new = (f"{torch} triton=={version}" for version in (old, new))
        run = replace(
            run, stages=run.stages or "triton_code,ttgir,ptx,kernel_resources,metrics"
        )
    several = (
        [sides.traced(old), sides.traced(new)]
        if of_trace
        else record_sides.parse_sides([old, new])
    )
    try:
        before, after = record_sides.record_all(run, cases, several, keep)
        shown: Detail = (
            "full"
            if form == "json" or reports
            else "brief"
            if form == "markdown" or full
            else "terse"
        )
        usual = find_project(run.project).usual
        report = compare_recordings.report(
            before, after, old, new, shown, only_examples=not full, usual=usual
        )
        if prove:  # first: sources are then those of what is proved
            report = explain_changes.with_proofs(report, several, [before, after], run)
        if reduced and report.differs:
            report = explain_changes.with_programs(
                report, explain_changes.pythons_of(several, [before, after]), reduced
            )
        wanted = (
            torch_repo is not None or any(map(sides.runs, several))
            if with_sources is None
            else with_sources
        )
        if wanted:
            report = explain_changes.with_sources(
                report, several, [before, after], torch_repo
            )
        for path in reports:
            reporters.write(report, path)
    except ReportError as error:
        raise click.UsageError(str(error)) from None
    searched = (
        None
        if of_trace
        else explain_changes.searched(several[0], several[1], report.old.torch)
    )
    _print(report, form, full, searched)
    sys.exit(1 if report.differs else 0)


def _print(report: Report, form: str, full: bool, searched: Searched | None) -> None:
    """searched: see `proofs.render`; None for a trace, which has no case."""
    if form == "json":
        from pytest_compile_golden.report import json_report

        click.echo(json_report.render(report), nl=False)
    elif form == "markdown":
        from pytest_compile_golden.report import markdown

        click.echo(markdown.render(report), nl=False)
    else:
        from pytest_compile_golden.report import (
            proofs,
            small_programs,
            terminal_report,
            torch_changes,
        )
        from pytest_compile_golden.report.failure_text import Failure, render
        from pytest_compile_golden.report.styled_lines import printable

        to = console.console()
        for case in report.cases if full else ():
            if case.error is not None:
                lines = [
                    ("bad", f"  {printable(line)}")
                    for line in split_lines(case.error or "")
                ]
                console.show(to, [("title", printable(case.nodeid)), *lines, ("", "")])
            if case.is_change:
                console.show(
                    to,
                    [
                        *render(
                            Failure(case, report.new.torch, before="before"),
                            verbosity=2,
                        ),
                        ("", ""),
                    ],
                )
        width = to.width if sys.stdout.isatty() else None
        console.show(to, terminal_report.render(report, cosmetic=full, width=width))
        proved = proofs.render(report, searched) if searched else []
        console.show(
            to, [*torch_changes.render(report), *small_programs.render(report), *proved]
        )
