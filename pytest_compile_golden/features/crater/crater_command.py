"""`compile-golden crater SOURCE...`: what torch.compile does with a whole corpus of programs, on one torch or two."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from pytest_compile_golden import extensions
from pytest_compile_golden.cli import (
    console,
    explain_changes,
    record_sides,
    shared_options,
)
from pytest_compile_golden.common.constants import DEFAULT_TARGET
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.environments import sides
from pytest_compile_golden.errors import SideFailed, UnknownName

if TYPE_CHECKING:
    from pytest_compile_golden.features.crater.compile_row import Job
    from pytest_compile_golden.features.crater.corpus_settings import CorpusSettings
    from pytest_compile_golden.features.crater.run_jobs import Keep
    from pytest_compile_golden.recordings.corpus_rows import Row, Rows, Texts, TorchRows
    from pytest_compile_golden.report.styled_lines import Line

_MODULE = ("-m", "pytest_compile_golden", "crater")
_VERSION = "from pytest_compile_golden.common.installed_torch import torch_version; print(torch_version())"


class Rewriting(Protocol):
    """Writes programs differently, so that torch.compile should make the same of them."""

    def rewrites(self) -> Mapping[str, Mapping[str, Any]]:
        """Inductor settings that rewrite a program, by the name of the identity."""
        ...

    def lines(self, rows: Rows, torch: str) -> list[Line]:
        """What rewriting changed, for the rows of one torch."""
        ...


@click.command(
    short_help="Compile a corpus of programs, and compare torch versions over it."
)
@click.argument("sources", nargs=-1)
@click.option(
    "--into",
    "file",
    type=shared_options.FILE,
    default=Path("crater.db"),
    show_default=True,
    help="The file that keeps a row for each program.",
)
@click.option(
    "--torch",
    "torches",
    multiple=True,
    metavar="V",
    help="A torch version, or an interpreter that has one; the first and the last are compared. By default, "
    "the torch that is installed here.",
)
@shared_options.targets(
    help=f"What to compile for; repeatable.  [default: {DEFAULT_TARGET}]"
)
@click.option(
    "--metrics",
    "only_metrics",
    is_flag=True,
    help="Keep only numbers: faster, but reports less about each change.",
)
@click.option(
    "--metamorphic",
    is_flag=True,
    help="Also compile each program written differently, such as with commuted operands: that should cost no more.",
)
@click.option(
    "--goldens",
    type=shared_options.FILE,
    help="Compare with this file of numbers and digests, one line per program, to be kept in git.",
)
@click.option(
    "--update", is_flag=True, help="Write the rows to --goldens instead of comparing."
)
@click.option(
    "--program",
    "patterns",
    multiple=True,
    metavar="GLOB",
    help="Only programs whose id matches; repeatable.",
)
@click.option(
    "--shard",
    metavar="I/N",
    help="Only part I of N, about equally long by the seconds in --goldens.",
)
@click.option(
    "--add",
    "others",
    multiple=True,
    type=shared_options.EXISTING_FILE,
    help="First import the rows of another file, such as another shard's.",
)
@click.option("--only-run", is_flag=True, help="Only compile; compare later.")
@click.option(
    "--again", is_flag=True, help="Also compile programs that already have a row."
)
@shared_options.processes(help="Programs compiled at once.  [default: one per core]")
@click.option(
    "--on",
    "scheduler",
    metavar="ADDRESS",
    help="Compile on the workers of a Dask scheduler, such as tcp://host:8786, instead of on this machine.",
)
@click.option(
    "--seconds",
    type=float,
    default=300.0,
    show_default=True,
    help="CPU seconds for one program.",
)
@click.option(
    "--memory",
    type=float,
    default=8.0,
    show_default=True,
    help="GiB that a program may allocate.",
)
@shared_options.report
@explain_changes.reduce_option
@shared_options.environment
def crater(
    sources: tuple[str, ...],
    file: Path,
    torches: tuple[str, ...],
    targets: tuple[str, ...],
    only_metrics: bool,
    metamorphic: bool,
    goldens: Path | None,
    update: bool,
    patterns: tuple[str, ...],
    shard: str | None,
    others: tuple[Path, ...],
    only_run: bool,
    again: bool,
    processes: int | None,
    scheduler: str | None,
    seconds: float,
    memory: float,
    reports: tuple[Path, ...],
    reduced: int,
    pip: str,
    python: Path | None,
) -> None:
    """Compile every program of SOURCE... and keep a row of each in one file.

    SOURCE is MODULE:FUNCTION, a function that yields pairs (id, make); a folder of KernelBench programs or of GraphNet
    samples; a .txt list of models; a suite of cases; or whatever a loader of your own reads. Programs that have a row
    already are not compiled again: a run that was stopped goes on where it was. Without SOURCE, only compares.

    With several --torch, the first and the last are compared: what torch changed, what that costs and for whom.
    Exits with 1 if they differ, or if the rows are not as --goldens has them.
    """
    from pytest_compile_golden.features.crater import (
        accepted_programs,
        compare_corpora,
        executors,
        loaders,
    )
    from pytest_compile_golden.features.crater.corpus_settings import (
        CorpusSettings,
        this_side,
    )
    from pytest_compile_golden.features.crater.run_jobs import Limits
    from pytest_compile_golden.recordings.corpus_rows import Rows
    from pytest_compile_golden.report import reporters, small_programs
    from pytest_compile_golden.report.styled_lines import printable

    if update and goldens is None:
        raise click.UsageError("--update writes --goldens FILE: name it.")
    if scheduler is not None and processes is not None:
        raise click.UsageError(
            "--processes is for this machine. With --on, each thread of a worker compiles one."
        )
    rewriting: Rewriting | None = (
        extensions.provided(extensions.TOOLS, extensions.IDENTITIES)
        if metamorphic
        else None
    )
    corpus = CorpusSettings(
        sources,
        targets or (DEFAULT_TARGET,),
        metamorphic,
        not only_metrics,
        Limits(seconds, memory),
    )
    jobs: list[Job] = []
    if torches and sources and scheduler is None:
        command = [
            *sources,
            f"--into={file}",
            "--only-run",
            f"--seconds={seconds}",
            f"--memory={memory}",
        ]
        given: dict[str, Sequence[object]] = {
            "--target": targets,
            "--program": patterns,
            "--shard": [shard],
        }
        given |= {
            "--goldens": [goldens if shard else None],
            "--processes": [processes],
            "--add": others,
        }
        command += [
            f"{name}={value}"
            for name, values in given.items()
            for value in values
            if value is not None
        ]
        switches = {
            "--metrics": only_metrics,
            "--again": again,
            "--metamorphic": metamorphic,
        }
        command += [name for name, is_on in switches.items() if is_on]
        for its in [
            record_sides.interpreter(text, pip, python, partial(_say, text))
            for text in torches
        ]:
            if subprocess.run(
                [its, *_MODULE, *command], stdout=subprocess.DEVNULL, check=False
            ).returncode:
                raise SideFailed(
                    f"{its} did not run the corpus; the reason is above. What is done is kept."
                )
    elif sources:
        known = (
            accepted_programs.seconds(goldens)
            if goldens is not None and goldens.exists()
            else {}
        )
        jobs = _jobs(corpus, patterns, shard, known)
    elif not (others or file.exists()):
        raise click.UsageError(
            f"{file} does not exist. Name SOURCE, what to compile, or another file with --into."
        )
    theirs = [Rows(other) for other in others]
    rows = Rows(file)  # once nothing can be wrong with the command any more
    for other in theirs:
        rows.add(other)
    names: list[str] = []
    if jobs and scheduler is not None:
        with executors.dask(scheduler) as executor:
            for text in torches or (None,):
                named = (
                    text
                    if text is None or not Path(text).exists()
                    else str(Path(text).absolute())
                )
                side = executors.ExecutorSide(
                    corpus,
                    named,
                    pip,
                    None if python is None else str(python),
                    str(Path.cwd()),
                )
                of_side = executors.torch_of(executor, side)
                names.append(of_side.torch)
                _run(
                    jobs,
                    rows,
                    of_side,
                    corpus.with_texts,
                    again,
                    partial(executors.run, executor, side),
                )
    elif jobs:
        here = this_side()
        run_here = partial(
            _run_here, corpus, here.torch, processes or len(os.sched_getaffinity(0))
        )
        _run(jobs, rows, here, corpus.with_texts, again, run_here)
    names = names or [
        _recorded(text, rows) for text in torches or [torch_version() or ""]
    ]
    if only_run:
        return
    to, differs = console.console(), False
    mine = [row for row in rows.all() if not row.rewrite]
    old, new = names[0], names[-1]
    if old != new:
        report = compare_corpora.compared(rows, old, new, patterns)
        if reduced and report.differs:
            if not sources or len(torches) < 2:
                raise click.UsageError(
                    "--reduce compiles programs on both versions: name SOURCE, and --torch twice."
                )
            sides_of = {
                text: record_sides.interpreter(text, pip, python, partial(_say, text))
                for text in torches
            }
            source_of = {
                program.id: source
                for source in sources
                for program in loaders.programs([source])
            }
            report = explain_changes.with_programs(
                report,
                sides_of,
                reduced,
                lambda nodeid: (
                    f"{source_of[nodeid.rpartition('[')[0]]}::{nodeid.rpartition('[')[0]}"
                ),
            )
        console.show(
            to, [*compare_corpora.lines(report), *small_programs.render(report)]
        )
        for path in reports:
            reporters.write(report, path)
        differs = report.differs
    else:
        shown = [row for row in mine if compare_corpora.chosen(row.program, patterns)]
        console.show(
            to, [("", printable(line)) for line in compare_corpora.outcomes(shown, new)]
        )
    if rewriting is not None:
        console.show(to, rewriting.lines(rows, new))
    if goldens is not None:
        mine = [row for row in mine if row.torch == new]
        if update:
            accepted_programs.write(goldens, mine, new, rows.text)
        else:
            told = accepted_programs.compared(goldens, mine, rows.text)
            console.show(to, told)
            differs = differs or bool(told)
    rows.close()
    sys.exit(1 if differs else 0)


def _jobs(
    corpus: CorpusSettings,
    patterns: Sequence[str],
    shard: str | None,
    known: dict[str, float],
) -> list[Job]:
    from pytest_compile_golden.features.crater import compare_corpora, run_jobs
    from pytest_compile_golden.targets import get_target

    for target in corpus.targets:
        get_target(target)
    programs = corpus.programs()
    if shard is not None:
        number, _, of = shard.partition("/")
        if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
            raise click.UsageError(f"--shard takes I/N, such as 2/4, not {shard!r}.")
        programs = run_jobs.shard(programs, int(number), int(of), known)
    if patterns:
        programs = [
            program
            for program in programs
            if compare_corpora.chosen(program.id, patterns)
        ]
        if not programs:
            raise UnknownName(f"no program matches {', '.join(patterns)}.")
    return corpus.jobs(programs)


def _run(
    jobs: Sequence[Job],
    rows: Rows,
    side: TorchRows,
    with_texts: bool,
    again: bool,
    do: Callable[[list[Job], Keep], None],
) -> None:
    """Have `do` do what is left of the jobs on the torch of `side`. Ctrl-C ends it; what is done is kept."""
    from pytest_compile_golden.features.crater import run_jobs
    from pytest_compile_golden.features.crater.live_progress import RunProgress

    known = rows.all()
    left = run_jobs.left(jobs, [] if again else known, side.torch, with_texts)
    rows.keep_side(side)
    if not left:
        return
    seconds = run_jobs.expected(
        [job.program for job in left], run_jobs.recorded_seconds(known)
    )
    with RunProgress(left, seconds) as progress:

        def keep(number: int, row: Row, texts: Texts) -> None:
            rows.keep(row, texts)
            progress.done(number, row)

        try:
            do(left, keep)
        except KeyboardInterrupt:
            raise click.ClickException(
                "stopped; what is done is kept, and the same command goes on from there."
            ) from None


def _run_here(
    corpus: CorpusSettings, torch: str, processes: int, jobs: list[Job], keep: Keep
) -> None:
    from pytest_compile_golden.features.crater import run_jobs

    corpus.prepare()
    run_jobs.run(
        jobs,
        torch,
        keep,
        processes=processes,
        with_texts=corpus.with_texts,
        limits=corpus.limits,
    )


def _say(torch: str, text: str) -> None:
    console.say(f"{torch}: {text}")


def _recorded(text: str, rows: Rows) -> str:
    """The torch with rows that `text` names."""
    torches = [side.torch for side in rows.sides()][::-1]
    [side] = record_sides.parse_sides([text])
    if isinstance(side, sides.Interpreter):
        asked = subprocess.run(
            [os.fspath(side.python), "-c", _VERSION],
            capture_output=True,
            text=True,
            check=False,
        )
        text = asked.stdout.strip()
    elif isinstance(side, sides.Release):
        text = side.torch
    found = next(
        (torch for torch in torches if text in (torch, torch.partition("+")[0])), None
    )
    if found is None:
        raise UnknownName(unknown("torch version with rows", text, torches))
    return found
