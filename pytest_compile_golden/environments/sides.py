"""What can be compared: a recorded run, the goldens of a version, an interpreter with torch, or a torch version."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.environments.install_torch import python_of
from pytest_compile_golden.errors import SideFailed
from pytest_compile_golden.recordings import corpus_rows, recording, torch_trace
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.recordings.recording import Recording


@dataclass(frozen=True)
class FromRecording:
    """A run that was recorded before, here or elsewhere."""

    label: str
    """As it was named on the command line."""
    folder: Path


@dataclass(frozen=True)
class FromGoldens:
    """What goldens say about a torch version, which need not be installed."""

    label: str
    goldens: Goldens
    torch: str


@dataclass(frozen=True)
class Traced:
    """What torch itself logged of a program's compiles, with TORCH_TRACE."""

    label: str
    path: Path
    """The folder, or one of its files."""


@dataclass(frozen=True)
class Interpreter:
    """A Python that has torch, this package and what the cases need."""

    label: str
    python: Path


@dataclass(frozen=True)
class Release:
    """A torch version, to be installed into an environment of its own."""

    label: str
    torch: str
    pins: tuple[str, ...] = ()
    """Requirements that override those of torch and the project: `triton==3.8.0`."""


@dataclass(frozen=True)
class Corpus:
    """The programs of a corpus on one torch version, of which `crater` kept rows."""

    label: str
    path: Path
    of: corpus_rows.TorchRows


Read = FromRecording | FromGoldens | Traced | Corpus
"""The sides that are there already."""
Side = Read | Interpreter | Release


def read(side: Read, others: Collection[PurePosixPath] = ()) -> Recording:
    """The recording of `side`. Raises GoldenError, and UnknownSide for a version that the goldens do not know.

    others: the folders of cases that it is compared with; the goldens of their target's base may count for these.
    """
    if isinstance(side, FromRecording):
        return recording.read(side.folder)
    if isinstance(side, Traced):
        return torch_trace.read(side.path)
    if isinstance(side, Corpus):  # the texts of thousands of programs are many
        with closing(corpus_rows.Rows(side.path)) as file:
            return corpus_rows.numbers(file, side.of)
    return side.goldens.recording(side.torch, others)


def runs(side: Side) -> bool:
    """Whether the suite has to run for it."""
    return isinstance(side, (Interpreter, Release))


def traced(text: str) -> Traced:
    """The TORCH_TRACE folder, or the file of one, that `text` names. Raises SideFailed if there is none."""
    path = Path(text).expanduser().absolute()
    if not path.exists():
        raise SideFailed(
            f"{text} does not exist. Run the program with TORCH_TRACE={text}, which writes it."
        )
    return Traced(text, path)


def corpora(text: str) -> list[Side]:
    """A side for each torch version in the file of rows that `text` names, oldest first; none if it is no such file."""
    path = Path(text)
    if not corpus_rows.is_rows(path):
        return []
    with closing(corpus_rows.Rows(path)) as file:
        return [
            Corpus(of.torch, path, of)
            for of in sorted(file.sides(), key=lambda of: Version(of.torch))
        ]


GOLDENS = "goldens"
"""How a command line names the project's goldens, wherever their folder is: `goldens@2.13.0`."""


def parse(text: str, goldens: Goldens) -> Side:
    """The side that `text` names. Raises SideFailed if it names none.

    goldens: the project's.
    """
    name, separator, torch = text.rpartition("@")
    if separator and name == GOLDENS:
        if not goldens.root.is_dir():
            raise SideFailed(
                f"{text}: this project has no goldens yet in {goldens.root}. Create them with `pytest --compile-golden "
                "--snapshot-update`, or name another folder: FOLDER@VERSION."
            )
        return FromGoldens(text, goldens, _version(torch, text))
    # Not resolved: an environment's python is a link to an interpreter that has no torch.
    path = Path(os.path.normpath(Path.cwd() / Path(text).expanduser()))
    if path.is_dir():
        # Which is seen at once, while a trace is looked for in every folder of it.
        if recording.is_recording(path) or recording.shards(path):
            return FromRecording(text, path)
        if torch_trace.is_trace(path):
            return Traced(text, path)
        if python_of(path).exists():
            return Interpreter(text, python_of(path))
        raise SideFailed(
            f"{text} is a folder, but neither a recorded run (pytest --compile-golden --compile-golden-record DIR) nor "
            "a trace of torch's (TORCH_TRACE=DIR python PROGRAM), nor a virtual environment."
        )
    folder = Path(str(path).rpartition("@")[0])
    if separator and folder.is_dir():
        return FromGoldens(text, Goldens(folder), _version(torch, text))
    if separator and folder.parent.is_dir() and not path.is_file():
        there = sorted(
            {
                GOLDENS,
                *(beside.name for beside in folder.parent.iterdir() if beside.is_dir()),
            }
        )
        raise SideFailed(f"{text}: {unknown('folder', folder.name, there)}")
    if path.is_file():
        if corpus_rows.is_rows(path):
            raise SideFailed(
                f"{text} is a corpus. Compare its torches with `compile-golden crater --into {text}`."
            )
        if not os.access(path, os.X_OK):
            raise SideFailed(
                f"{text} is not executable, so it cannot be used as an interpreter."
            )
        return Interpreter(text, path)
    torch, *pins = text.split() or [""]
    return Release(text, _version(torch, text), tuple(_pin(pin, text) for pin in pins))


def _pin(requirement: str, text: str) -> str:
    try:
        return str(Requirement(requirement))
    except InvalidRequirement:
        raise SideFailed(
            f"{text}: {requirement!r} is not a requirement such as triton==3.8.0."
        ) from None


def _version(torch: str, text: str) -> str:
    try:
        return str(Version(torch))
    except InvalidVersion:
        raise SideFailed(
            f"{text} is neither a recorded folder, nor an interpreter, nor a torch version such as 2.15.0 (or "
            "'2.15.0 triton==3.8.0'), nor the goldens for one such as goldens@2.15.0."
        ) from None
