"""What the processes that search and compile say to each other, as msgpack."""

from __future__ import annotations

import msgspec

from pytest_compile_golden.features.reduce.small_program import SmallProgram
from pytest_compile_golden.goldens.case_files import StoredArtifact


class Prepare(msgspec.Struct, tag=True, frozen=True):
    """Have torch do what a process does once for a target; what is asked later starts from there."""

    target: str


class Extract(msgspec.Struct, tag=True, frozen=True):
    """Run a case, a script or another program, and write what it compiles as programs."""

    what: str
    target: str | None
    folder: str
    """The folder to run in."""
    seconds: int
    suite: bool = False
    """Whether it is a test that is no case of ours: what it gives to torch.compile is what it compiles."""
    values: bool = False
    """Whether inputs are also to be written with their values, for what they decide."""


class TryProgram(msgspec.Struct, tag=True, frozen=True):
    """Compile a program."""

    text: str
    """See `SmallProgram.text`."""
    target: str
    stages: tuple[str, ...]
    seconds: int
    values: bool = False
    """Whether to compare what it computes with eager, instead of taking stages."""
    matches: str = ""
    """The pattern, or the pass of patterns, whose matches are counted."""


class Describe(msgspec.Struct, tag=True, frozen=True):
    """Run a program without compiling it, and tell of which type each value in it is."""

    text: str
    target: str
    seconds: int


class Show(msgspec.Struct, tag=True, frozen=True):
    """Run a script as it is, with the target as its device, and return what it prints."""

    text: str
    target: str
    seconds: int


Request = Prepare | Extract | TryProgram | Describe | Show


class TriedProgram(msgspec.Struct, frozen=True):
    """What became of one compile."""

    error: str = ""
    """Why it failed: the class of the error and its first line; empty if it did not."""
    raised_in: str = ""
    """The function of torch that the error came through last."""
    artifacts: tuple[StoredArtifact, ...] = ()
    unavailable: dict[str, str] = {}
    wrong: str = ""
    """How its results differ from eager's, if that was asked; empty if they do not."""
    matches: int = 0


class Extracted(msgspec.Struct, frozen=True):
    """One compile of what was run."""

    target: str
    tried: TriedProgram
    stages: tuple[str, ...]
    """What the case checks."""
    programs: tuple[SmallProgram, ...] = ()
    """Each graph that Dynamo made of it, and the function itself, as far as they can be written."""
    refused: tuple[str, ...] = ()
    """Why some of them cannot be."""


class WorkerAnswer(msgspec.Struct, frozen=True):
    """The answer to one request."""

    error: str = ""
    """Why there is none: the process crashed or took too long, or what was asked cannot be done."""
    tried: TriedProgram = TriedProgram()
    extracted: tuple[Extracted, ...] = ()
    types: dict[str, str] = {}
    """The expression that makes a value of the same type, by name."""
    printed: str = ""
    processor_s: float = 0.0
    """What it took, with the compilers that it ran, in seconds of processor time."""
