"""`compile-golden site RECORDINGS… --into DIR`: static pages that show what changed from one recording to the next."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import click

from pytest_compile_golden.cli import record_sides, shared_options
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.garbage_collection import collect_all
from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.environments import sides
from pytest_compile_golden.environments.sides import (
    Corpus,
    FromGoldens,
    FromRecording,
)
from pytest_compile_golden.errors import GoldenError, UnknownName
from pytest_compile_golden.features.crater import compare_corpora
from pytest_compile_golden.recordings.corpus_rows import Rows
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report import compare_recordings
from pytest_compile_golden.report.model import Report


@click.command(short_help="Create or extend a site of static pages from recordings.")
@click.argument("recordings", nargs=-1, required=True)
@click.option(
    "--into",
    type=shared_options.FOLDER,
    required=True,
    help="An existing site, or a new folder.",
)
@click.option("--title", help="Title of a new site (default: names the project).")
@click.option(
    "--url", metavar="ADDRESS", help="Where the site will be hosted, for its feed."
)
def site(
    recordings: tuple[str, ...], into: Path, title: str | None, url: str | None
) -> None:
    """Create static pages from RECORDINGS, oldest first, or add them to the site in DIR.

    Each is a folder that --compile-golden-record wrote, the goldens for a version (goldens@2.13.0), or the file of
    `crater`, which has a run for each torch. Each run is compared with the one before it: there is a report for every
    step, charts of the numbers of every case that changed, a feed and a badge. A run that is already on the site is
    skipped.
    """
    from pytest_compile_golden.features.site import site_history, site_pages
    from pytest_compile_golden.report import reporters

    site_pages.require_charts()  # before anything is read or written
    several = list(_sides(recordings))
    history = site_history.read(
        into, title or f"What torch.compile does with {find_project().name}"
    )
    newest = None
    if history.entries:
        scratch = tempfile.TemporaryDirectory(prefix="compile-golden-")
        folder = Path(click.get_current_context().with_resource(scratch))
        newest = site_history.read_newest(into, folder)
    to, usual = console(), find_project().usual
    for side in several:
        label, added = (
            side.label,
            sides.read(
                side, [] if newest is None else [case.folder for case in newest.cases]
            ),
        )
        compare = (
            partial(_over_corpus, side)
            if isinstance(side, Corpus)
            else partial(compare_recordings.report, only_examples=True, usual=usual)
        )
        number = len(history.entries)
        history, report = site_history.with_recording(
            history, newest, added, label, compare
        )
        if len(history.entries) == number:
            show(to, [("", f"{label}: already on the site")])
            continue
        newest = added
        entry = history.entries[-1]
        if report is not None and entry.report is not None:
            reporters.write(report, into / entry.report)
        show(to, [("", f"{label}: {entry.headline}")])
        del report
        collect_all()  # of each step, that is as much again as what is kept
    if newest is None:
        raise GoldenError("there is nothing to make a site from.")
    into.mkdir(parents=True, exist_ok=True)
    site_history.write_newest(into, newest)
    site_pages.write(into, history, url)
    site_history.write(into, history)
    show(to, [("", f"{into / 'index.html'}")])


def _sides(texts: Sequence[str]) -> Iterator[FromRecording | FromGoldens | Corpus]:
    others = iter(
        record_sides.parse_sides([text for text in texts if not sides.corpora(text)])
    )
    for text in texts:
        for side in sides.corpora(text) or [next(others)]:
            if not isinstance(side, (FromRecording, FromGoldens, Corpus)):
                raise click.UsageError(
                    f"{side.label} is not recorded. Record it first, with `pytest --compile-golden "
                    "--compile-golden-record DIR` or `compile-golden diff --keep DIR`."
                )
            yield side


def _over_corpus(
    corpus: Corpus, before: Recording, added: Recording, _old: str, _new: str
) -> Report:
    """Of a corpus, the site keeps only numbers: the texts of both torch versions are in its file."""
    old, new, rows = str(before.run.torch), str(added.run.torch), Rows(corpus.path)
    torches = [side.torch for side in rows.sides()]
    if old not in torches:
        where = f"torch in {corpus.path}"
        raise UnknownName(
            f"the newest on the site is compared with: {unknown(where, old, torches)}"
        )
    return compare_corpora.compared(rows, old, new)
