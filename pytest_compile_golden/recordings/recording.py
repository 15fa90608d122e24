"""A recorded run: every artifact as text in the goldens' own layout, and what became of each case."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import fields, files

FORMAT = 1
RUN = "run.json"
CASE = "case.json"
OUTCOMES = ("passed", "failed", "error", "skipped")
_WHAT = "recording"


@dataclass(frozen=True)
class RecordedArtifact:
    """One stage's text."""

    stage: str
    stem: str
    """The stage's name; `.2` or a name after it for one more of the same stage."""
    extension: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.stem}.{self.extension}"


@dataclass(frozen=True)
class RecordedCase:
    """What one case gave, however it ended."""

    folder: PurePosixPath
    """Where its goldens would be below the goldens folder, and where it is below the recorded one."""
    nodeid: str
    target: str
    outcome: str
    """One of OUTCOMES: `failed` in the test itself, `error` around it or with its whole process."""
    message: str | None
    """Why it did not pass."""
    seconds: float | None
    """How long it took; None where nothing was run."""
    artifacts: tuple[RecordedArtifact, ...] = ()
    unavailable: Mapping[str, str] = field(default_factory=dict)
    """Stages that this torch could not show, each with the reason."""

    @property
    def verdict(self) -> str:
        """The outcome as it counts between two torches: a test that skips because torch cannot show a stage is well."""
        return "passed" if self.outcome == "skipped" and self.unavailable else self.outcome

    def text(self, stem: str) -> str | None:
        return next((each.text for each in self.artifacts if each.stem == stem), None)


@dataclass(frozen=True)
class Run:
    """What was run, on what. Written when the run begins and again when it ends."""

    torch: str | None
    """As installed, with the local part (`+cpu`); None where there is none."""
    triton: str | None
    python: str
    platform: str
    normaliser: int
    targets: tuple[str, ...]
    options: Mapping[str, str]
    """What else decided on the artifacts: `stages`, `policy`, `timeout`, and the command line as `arguments`."""
    started: str
    """UTC, ISO 8601."""
    seconds: float | None = None
    cases: int | None = None
    """How many there were to run; None where that is not known yet."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Test files that could not be collected, each with the reason."""
    exit_status: int | None = None
    """pytest's; None until the run ended."""


@dataclass(frozen=True)
class Recording:
    """A whole recorded folder."""

    run: Run
    cases: tuple[RecordedCase, ...]
    damaged: tuple[str, ...] = ()
    """Why each case that cannot be read could not be."""

    @property
    def partial(self) -> str | None:
        """Why this is not all there is to the run; None where it is."""
        run, found = self.run, len(self.cases)
        if run.exit_status is None or run.cases is None:
            cases = "its cases" if run.cases is None else f"{run.cases} cases"
            return f"the run did not end; {found} of {cases} were recorded"
        if run.errors:
            return f"{', '.join(sorted(run.errors))} could not be collected"
        if self.damaged:
            return f"{len(self.damaged)} of {run.cases} cases cannot be read"
        if found < run.cases:
            return f"{run.cases - found} of {run.cases} cases were not run"
        return None


def write_run(root: Path, run: Run) -> None:
    """Put the run's own facts beside its cases. Raises GoldenError where that is not possible."""
    facts = {"format": FORMAT, **asdict(run), "targets": list(run.targets)}
    files.write(root / RUN, _json(facts), _WHAT)


def write_case(root: Path, case: RecordedCase) -> None:
    """Put a case into its folder. `case.json` comes last: until it is there, the case was not recorded."""
    folder = files.inside(root, case.folder, _WHAT)
    for artifact in case.artifacts:
        files.write(folder / artifact.name, artifact.text, _WHAT)
    artifacts = [
        {"stage": each.stage, "stem": each.stem, "extension": each.extension, "text_sha256": fields.digest(each.text)}
        for each in case.artifacts
    ]
    facts = {
        "format": FORMAT,
        "case": case.folder.as_posix(),
        "nodeid": case.nodeid,
        "target": case.target,
        "outcome": case.outcome,
        "message": case.message,
        "seconds": None if case.seconds is None else round(case.seconds, 3),
        "artifacts": artifacts,
        "unavailable": dict(case.unavailable),
    }
    files.write(folder / CASE, _json(facts), _WHAT)


def is_recording(root: Path) -> bool:
    """Whether a folder looks like a recorded run."""
    return (root / RUN).is_file()


def shards(root: Path) -> list[Path]:
    """The recorded runs right in a folder, as a download of several parts of one run lays them."""
    return sorted(each for each in root.iterdir() if is_recording(each) and not each.is_symlink())


def read(root: Path) -> Recording:
    """A recorded folder, or one of shards, as one. It is not trusted: nothing outside of it is read.

    Raises GoldenError where it is no recorded run; a damaged case is one of `damaged` and costs no other.
    """
    root = root.resolve()
    parts = [] if is_recording(root) or not root.is_dir() else shards(root)
    if parts:
        return merge([read(part) for part in parts])
    run = read_run(root)
    cases, damaged = [], []
    for path in sorted(root.rglob(CASE)):
        folder = PurePosixPath(path.parent.relative_to(root).as_posix())
        try:
            cases.append(_read_case(root, folder))
        except GoldenError as error:
            damaged.append(str(error))
    return Recording(run, tuple(cases), tuple(damaged))


def read_run(root: Path) -> Run:
    """The facts of a recorded folder alone. Raises GoldenError."""
    data = files.read(files.inside(root, PurePosixPath(RUN), _WHAT))
    if data is None:
        raise GoldenError(f"{root} is no recorded run: it has no {RUN}. Make one with --compile-golden-record DIR.")
    return _run(data.decode("utf-8", "replace"), str(root / RUN))


def merge(parts: Sequence[Recording]) -> Recording:
    """The shards of one run as one recording.

    Raises GoldenError where they are not of one torch and normaliser, or hold a case twice.
    """
    first = parts[0].run
    for part in parts[1:]:
        for fact in ("torch", "triton", "normaliser"):
            if getattr(part.run, fact) != getattr(first, fact):
                raise GoldenError(
                    f"shards of one run have one {fact}, these have {getattr(first, fact)} and "
                    f"{getattr(part.run, fact)}. Merge those of one version, and compare versions with "
                    "`compile-golden diff`."
                )
    cases: dict[PurePosixPath, RecordedCase] = {}
    for case in (case for part in parts for case in part.cases):
        if case.folder in cases:
            raise GoldenError(f"{case.nodeid} is in two of the shards. Give each shard cases of its own.")
        cases[case.folder] = case
    runs = [part.run for part in parts]
    seconds = [run.seconds for run in runs if run.seconds is not None]
    counts = [run.cases for run in runs if run.cases is not None]
    ended = len(counts) == len(parts) and all(run.exit_status is not None for run in runs)
    run = replace(
        first,
        targets=tuple(dict.fromkeys(target for run in runs for target in run.targets)),
        started=min(run.started for run in runs),
        seconds=sum(seconds) if ended and seconds else None,
        cases=sum(counts) if ended else None,
        errors={name: why for run in runs for name, why in run.errors.items()},
        exit_status=max(run.exit_status or 0 for run in runs) if ended else None,
    )
    ordered = tuple(cases[folder] for folder in sorted(cases))
    return Recording(run, ordered, tuple(message for part in parts for message in part.damaged))


def _read_case(root: Path, folder: PurePosixPath) -> RecordedCase:
    where = files.inside(root, folder, _WHAT)
    texts = {}
    for path in where.iterdir():
        if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
            # A text that is not UTF-8 does not match its digest, which names it.
            texts[path.name] = (files.read(path) or b"").decode("utf-8", "replace").replace("\r\n", "\n")
    case = _case(texts.get(CASE, ""), texts, str(where / CASE))
    if case.folder != folder:
        raise GoldenError(f"{where} holds case {case.folder}. Put it in its own folder.")
    return case


def _run(text: str, where: str) -> Run:
    try:
        facts = _facts(text, where)
        return Run(
            torch=fields.optional_string(facts["torch"]),
            triton=fields.optional_string(facts["triton"]),
            python=fields.string(facts["python"]),
            platform=fields.string(facts["platform"]),
            normaliser=fields.whole(facts["normaliser"]),
            targets=tuple(fields.string(each) for each in facts["targets"]),
            options=fields.strings(facts["options"]),
            started=fields.string(facts["started"]),
            seconds=fields.optional_seconds(facts["seconds"]),
            cases=fields.optional_whole(facts["cases"]),
            errors=fields.strings(facts["errors"]),
            exit_status=fields.optional_whole(facts["exit_status"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(where, error) from None


def _case(text: str, texts: dict[str, str], where: str) -> RecordedCase:
    try:
        facts = _facts(text, where)
        if facts["outcome"] not in OUTCOMES:
            raise ValueError(f"{facts['outcome']!r} is no outcome")
        case = RecordedCase(
            folder=fields.folder(facts["case"]),
            nodeid=fields.string(facts["nodeid"]),
            target=fields.string(facts["target"]),
            outcome=facts["outcome"],
            message=fields.optional_string(facts["message"]),
            seconds=fields.optional_seconds(facts["seconds"]),
            artifacts=tuple(_artifact(each, texts) for each in facts["artifacts"]),
            unavailable=fields.strings(facts["unavailable"]),
        )
        if len({each.stem.casefold() for each in case.artifacts}) != len(case.artifacts):
            raise ValueError("two artifacts of one name")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(where, error) from None
    return case


def _artifact(facts: Any, texts: dict[str, str]) -> RecordedArtifact:
    stage, stem, extension = fields.artifact_name(facts)
    text = fields.text(fields.string(facts["text_sha256"]), f"{stem}.{extension}", texts)
    return RecordedArtifact(stage, stem, extension, text)


def _facts(text: str, where: str) -> dict[str, Any]:
    facts = json.loads(text)
    if not isinstance(facts, dict):
        raise TypeError("no table")
    if facts["format"] != FORMAT:
        raise GoldenError(
            f"{where} has format {facts['format']!r}, this version reads {FORMAT}. "
            "Record again with this version of pytest-compile-golden."
        )
    return facts


def _damaged(where: str, error: Exception) -> GoldenError:
    return GoldenError(f"{where} is damaged ({type(error).__name__}: {error}). Record the run again.")


def _json(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, indent=1) + "\n"
