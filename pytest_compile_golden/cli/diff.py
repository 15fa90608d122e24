"""`compile-golden diff OLD NEW`: what changes from one torch to another."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_compile_golden.cli import console, old_defaults, running, sources
from pytest_compile_golden.environments import sides
from pytest_compile_golden.errors import ReportError
from pytest_compile_golden.installed import torch_version
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.recordings.recording import Recording

if TYPE_CHECKING:
    from pytest_compile_golden.report.model import Report


class _Diff(click.Command):
    """Without sides it is `show`: the difference between the goldens and the last run."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        # What a shell completes has no arguments yet, and is about sides.
        with_sides = bool(args) and not args[0].startswith("-")
        if not (with_sides or {"-h", "--help"} & {*args} or extra.get("resilient_parsing")):
            from pytest_compile_golden.cli.show import show

            with suppress(click.UsageError):  # it takes no arguments, only options of its own
                return show.make_context(info_name, [*args], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=_Diff, short_help="Compare two torch versions, recordings or goldens.")
@click.argument("old")
@click.argument("new")
@running.case_option
@running.run_options
@running.keep_option
@click.option("--report", "reports", multiple=True, type=click.Path(path_type=Path), help="Also a .html, .md or .json.")
@click.option("--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text", help="On stdout.")
@click.option(
    "--sources/--no-sources",
    "with_sources",
    default=None,
    help="Also how the functions of torch's that are blamed changed, where both torchs are installed: seconds. "
    "By default where a side is run now.",
)
@sources.repository_option
@click.option(
    "--triton",
    "of_triton",
    is_flag=True,
    help="OLD and NEW are versions of Triton, which compile the same kernels down to machine code; torch is the one "
    "that is installed here.",
)
@click.option(
    "--try-defaults",
    is_flag=True,
    help="Also which changes go away with torch's old defaults: NEW is run again with them, a few times.",
)
@click.option("--full", is_flag=True, help="Every changed case with its diff, not only each distinct change once.")
def diff(
    old: str,
    new: str,
    cases: tuple[str, ...],
    run: running.RunOptions,
    keep: Path | None,
    reports: tuple[Path, ...],
    form: str,
    with_sources: bool | None,
    torch_repo: Path | None,
    of_triton: bool,
    try_defaults: bool,
    full: bool,
) -> None:
    """Compare what torch.compile does on two sides, case by case; no golden is involved. Without sides: show what the
    last run left pending, as `compile-golden show` does.

    OLD and NEW are each a torch version (2.13.0), one with other packages than it asks for ('2.13.0 triton==3.8.0'), an
    interpreter or its environment, a folder that --compile-golden-record wrote, or what the goldens say of a version
    (goldens@2.13.0), which needs no torch. What is not recorded yet is run now, both sides at the same time.

    Exits with 0 where both do the same but for looks, with 1 where they differ or a side did not run, with 2 where
    the command itself is wrong.
    """
    from pytest_compile_golden.report import comparing, reporters

    click.get_current_context().with_resource(comparing.all_kept())
    if of_triton:
        torch = (torch_version() or "").partition("+")[0]
        old, new = (f"{torch} triton=={version}" for version in (old, new))
        run = replace(run, stages=run.stages or "triton_code,ttgir,ptx,kernel_resources,metrics")
    several = running.parse_sides([old, new])
    if try_defaults and not (sides.runs(several[1]) and with_sources is not False):
        raise click.UsageError(
            "--try-defaults runs NEW again, and reads both torchs' sources: NEW has to be a version or an interpreter."
        )
    try:
        for path in reports:
            reporters.check(path)
        before, after = running.record_all(run, cases, several, keep)
        report = comparing.report(before, after, old, new, brief=form != "json" and not reports)
        wanted = torch_repo is not None or any(map(sides.runs, several)) if with_sources is None else with_sources
        if wanted:
            report = sources.added(report, several, [before, after], torch_repo)
        if try_defaults and isinstance(before, Recording):
            report = old_defaults.tried(report, before, several[1], run)
        for path in reports:
            reporters.write(report, path)
    except ReportError as error:
        raise click.UsageError(str(error)) from None
    _print(report, form, full)
    sys.exit(1 if report.differs else 0)


def _print(report: Report, form: str, full: bool) -> None:
    if form == "json":
        from pytest_compile_golden.report import document

        click.echo(document.render(report), nl=False)
    elif form == "markdown":
        from pytest_compile_golden.report import markdown

        click.echo(markdown.render(report), nl=False)
    else:
        from pytest_compile_golden.report import overview, torch_changes
        from pytest_compile_golden.report.failure import Failure, render
        from pytest_compile_golden.report.lines import printable

        to = console.console()
        for case in report.cases if full else ():
            if case.outcome == "error":
                lines = [("bad", f"  {printable(line)}") for line in split_lines(case.error or "")]
                console.show(to, [("title", printable(case.nodeid)), *lines, ("", "")])
            elif case.outcome == "changed":
                console.show(to, [*render(Failure(case, report.new.torch, before="before"), verbosity=2), ("", "")])
        width = to.width if sys.stdout.isatty() else None
        console.show(to, overview.render(report, cosmetic=full, width=width))
        console.show(to, torch_changes.render(report))
