"""A recorded run: every artifact as text in the layout of goldens, and the outcome of each case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec

from pytest_compile_golden.common import files, json_files
from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import case_files
from pytest_compile_golden.goldens.case_files import ArtifactOnDisk, StoredArtifact

FORMAT = 1
RUN = "run.json"
Outcome = Literal["passed", "failed", "error", "skipped"]
"""`failed` is in the test itself, `error` around it or in its whole process."""
_WHAT = "recording"
_MANY = 500
"""Of more cases the texts are not held in memory."""


class RecordedCase(msgspec.Struct, frozen=True, rename={"folder": "case"}):
    """What one case produced, however it ended."""

    folder: PurePosixPath
    """The path of its goldens below the goldens folder, and of the case below the recorded folder."""
    nodeid: case_files.Text
    target: case_files.Text
    outcome: Outcome
    message: case_files.Text | None
    """Why it did not pass."""
    seconds: case_files.Seconds | None
    """How long it took; None if nothing was run."""
    artifacts: tuple[StoredArtifact, ...] = ()
    unavailable: Mapping[case_files.Text, case_files.Text] = msgspec.field(
        default_factory=dict
    )
    """Stages that this torch could not show, each with the reason."""
    keeps: tuple[case_files.Text, ...] | None = None
    """For a case read from goldens, the stems that it has goldens of in any version; None for a case that was run."""
    earlier: Mapping[str, tuple[tuple[str, str], ...]] = msgspec.field(
        default_factory=dict
    )
    """For a case read from goldens, by stem: what older torch versions had, the newest first."""
    wrong: bool = False
    """Whether it did not pass because compiled code computes something else than eager."""
    raised_in: case_files.Text = ""
    """The line of torch, Triton or this package that raised the error; empty if a line of anything else did."""
    format: int = FORMAT

    @property
    def verdict(self) -> str:
        """The outcome for comparing two torches: a test that skips because torch cannot show a stage has passed."""
        return (
            "passed" if self.outcome == "skipped" and self.unavailable else self.outcome
        )

    def says(self, artifact: StoredArtifact) -> bool:
        """Whether the case says anything about an artifact of the other side: goldens are silent about most stages."""
        return self.keeps is None or artifact.stem in self.keeps

    def text(self, stem: str) -> str | None:
        """The text of the artifact with that stem; None if there is none."""
        return next(
            (artifact.text for artifact in self.artifacts if artifact.stem == stem),
            None,
        )

    def check(self) -> None:
        """Nothing besides the checks for every case."""


@dataclass(frozen=True)
class Run:
    """What was run, and on what. Written when the run begins and again when it ends."""

    torch: case_files.Text | None
    """As installed, with the local part (`+cpu`); None if there is none."""
    triton: case_files.Text | None
    python: case_files.Text
    platform: case_files.Text
    normaliser: int
    targets: tuple[case_files.Text, ...]
    options: Mapping[case_files.Text, case_files.Text]
    """What else determined the artifacts: `stages`, `policy`, `timeout`, and the command line as `arguments`."""
    started: case_files.Text
    """UTC, ISO 8601."""
    seconds: case_files.Seconds | None
    cases: int | None
    """How many there were to run; None if that is not known yet."""
    errors: Mapping[case_files.Text, case_files.Text]
    """Test files that could not be collected, each with the reason."""
    exit_status: int | None
    """pytest's; None until the run ended."""
    commit: case_files.Text | None = None
    """The commit of pytorch/pytorch that its torch was built from, as far as known."""
    recorded: int | None = None
    """How many cases were recorded; None until the run ended. A folder with fewer is a part of the run."""


def read_elsewhere(
    torch: str | None, cases: Sequence[RecordedCase], stages: Iterable[str]
) -> Run:
    """The facts of a side that no run recorded, as far as what it was read from says them."""
    return Run(
        torch=torch,
        triton=None,
        python="",
        platform="",
        normaliser=NORMALISER,
        targets=tuple(sorted({case.target for case in cases})),
        options={"stages": ",".join(stages)},
        started="",
        seconds=None,
        cases=len(cases),
        errors={},
        exit_status=0,
    )


@dataclass(frozen=True)
class Recording:
    """A whole recorded folder."""

    run: Run
    cases: tuple[RecordedCase, ...]
    damaged: tuple[str, ...] = ()
    """For each case that could not be read, the reason."""

    @property
    def of_goldens(self) -> bool:
        """Whether it was read from goldens, which are silent about cases that they do not have."""
        return any(case.keeps is not None for case in self.cases)

    @property
    def left_out(self) -> int:
        """How many cases were recorded that this part of the run does not have."""
        here = len(self.cases) + len(self.damaged)
        return 0 if self.run.recorded is None else max(self.run.recorded - here, 0)

    @property
    def partial(self) -> str | None:
        """Why this is not the complete run; None if it is."""
        run, recorded = self.run, len(self.cases) + self.left_out
        if run.exit_status is None or run.cases is None:
            cases = "its cases" if run.cases is None else f"{run.cases} cases"
            return f"the run did not end; {recorded} of {cases} were recorded"
        if run.errors:
            file = min(run.errors)
            others = f" and {len(run.errors) - 1} more" if len(run.errors) > 1 else ""
            return f"{file}{others} could not be collected: {_error(run.errors[file])}"
        if self.damaged:
            return f"{len(self.damaged)} of {run.cases} cases cannot be read"
        if recorded < run.cases:
            return f"{run.cases - recorded} of {run.cases} cases were not run"
        return None


def _error(reason: str) -> str:
    """What pytest reports of a failed collection, in a line: the first that it marks as the error, or the last."""
    lines = [line for line in split_lines(reason) if line.strip()] or ["no reason"]
    marked = (line[1:] for line in lines if line.startswith("E  "))
    return next(marked, lines[-1]).strip()


_OUTDATED = "Record again with this version of pytest-compile-golden."
_ADVICE = "Record the run again."
_RUN = json_files.Document(Run, FORMAT, GoldenError, outdated=_OUTDATED, advice=_ADVICE)
_CASE = json_files.Document(
    RecordedCase, FORMAT, GoldenError, outdated=_OUTDATED, advice=_ADVICE
)


def write_run(root: Path, run: Run) -> None:
    """Write the run's own facts next to its cases. Raises GoldenError if that is not possible."""
    files.write(root / RUN, _run_text(run), _WHAT)


def write_case(root: Path, case: RecordedCase) -> None:
    """Write a case to its folder. The case counts as recorded once its JSON file, which comes last, is there."""
    case_files.write(root, case, _CASE, _WHAT)


def read_case(root: Path, folder: PurePosixPath) -> RecordedCase:
    """One case of a recorded folder. Raises GoldenError if it cannot be read."""
    return case_files.read(root, folder, _CASE, _WHAT)


def packed(whole: Recording) -> Iterator[tuple[PurePosixPath, str]]:
    """Every file that `write_run` and `write_case` would make, below the recorded folder, with its text: those of one
    stage after each other, since they have most in common."""
    yield PurePosixPath(RUN), _run_text(whole.run)
    for case in whole.cases:
        yield case.folder / case_files.NAME, case_files.facts(case)
    artifacts = ((case, each) for case in whole.cases for each in case.artifacts)
    for case, artifact in sorted(artifacts, key=lambda entry: entry[1].name):
        if artifact.text:
            yield case.folder / artifact.name, artifact.text


def _run_text(run: Run) -> str:
    return json_files.render({"format": FORMAT, **asdict(run)})


def is_recording(root: Path) -> bool:
    """Whether a folder looks like a recorded run."""
    return (root / RUN).is_file()


def shards(root: Path) -> list[Path]:
    """The recorded runs directly in a folder, as left by a download of several parts of one run."""
    return sorted(
        folder
        for folder in root.iterdir()
        if is_recording(folder) and not folder.is_symlink()
    )


def read(root: Path) -> Recording:
    """Read a recorded folder, or a folder of shards as one recording. It is not trusted: nothing outside it is read.

    Raises GoldenError if it is not a recorded run; a damaged case is listed in `damaged`, and the others are kept.
    """
    root = root.resolve()
    parts = [] if is_recording(root) or not root.is_dir() else shards(root)
    if parts:
        return merge([read(part) for part in parts])
    run = read_run(root)
    cases, damaged = [], []
    folders = case_files.folders(root)
    for folder in folders:
        try:
            case = read_case(root, folder)
            cases.append(_on_disk(root, case) if len(folders) > _MANY else case)
        except GoldenError as error:
            damaged.append(str(error))
    return Recording(run, tuple(cases), tuple(damaged))


def _on_disk(root: Path, case: RecordedCase) -> RecordedCase:
    folder = root / case.folder
    artifacts = tuple(ArtifactOnDisk.of(each, folder) for each in case.artifacts)
    return msgspec.structs.replace(case, artifacts=artifacts)


def read_run(root: Path) -> Run:
    """Only the run's facts from a recorded folder. Raises GoldenError."""
    data = files.read(files.inside(root, PurePosixPath(RUN), _WHAT))
    if data is None:
        raise GoldenError(
            f"{root} is not a recorded run: it has no {RUN}. Make one with --compile-golden-record DIR."
        )
    return _RUN.parse(data.decode("utf-8", "replace"), str(root / RUN), lambda run: run)


def merge(parts: Sequence[Recording]) -> Recording:
    """Merge the shards of one run into one recording.

    Raises GoldenError if they differ in torch, Triton or normaliser, or if two of them have the same case.
    """
    first = parts[0].run
    for part in parts[1:]:
        for fact in ("torch", "triton", "normaliser"):
            if getattr(part.run, fact) != getattr(first, fact):
                raise GoldenError(
                    f"shards of one run must have the same {fact}, but these have {getattr(first, fact)} and "
                    f"{getattr(part.run, fact)}. Merge shards of one version only, and compare versions with "
                    "`compile-golden diff`."
                )
    cases: dict[PurePosixPath, RecordedCase] = {}
    for case in (case for part in parts for case in part.cases):
        if case.folder in cases:
            raise GoldenError(
                f"{case.nodeid} is in two of the shards. Give each shard its own cases."
            )
        cases[case.folder] = case
    runs = [part.run for part in parts]
    seconds = [run.seconds for run in runs if run.seconds is not None]
    counts = [run.cases for run in runs if run.cases is not None]
    recorded = [run.recorded for run in runs if run.recorded is not None]
    ended = len(counts) == len(parts) and all(
        run.exit_status is not None for run in runs
    )
    run = replace(
        first,
        targets=tuple(dict.fromkeys(target for run in runs for target in run.targets)),
        started=min(run.started for run in runs),
        seconds=sum(seconds) if ended and seconds else None,
        cases=sum(counts) if ended else None,
        recorded=sum(recorded) if ended and len(recorded) == len(parts) else None,
        errors={name: why for run in runs for name, why in run.errors.items()},
        exit_status=max(run.exit_status or 0 for run in runs) if ended else None,
    )
    ordered = tuple(cases[folder] for folder in sorted(cases))
    return Recording(
        run, ordered, tuple(message for part in parts for message in part.damaged)
    )
