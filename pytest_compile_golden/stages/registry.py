"""The ordered pipeline: which stages there are, and how each turns a record into an artifact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.names import check
from pytest_compile_golden.observe.record import Record
from pytest_compile_golden.stages.artifact import Artifact


@dataclass(frozen=True)
class Stage:
    """A named point of the pipeline.

    `render` returns None where the compile has no such stage (no joint graph in inference, no C++ on a GPU).
    `canonical` maps a text to what counts in a comparison; two texts are the same behaviour when it is equal.
    """

    name: str
    extension: str
    """The golden's file type without a dot: `py`, `txt`, `toml`, `cpp`."""
    summary: str
    render: Callable[[Record], Artifact | None]
    canonical: Callable[[str], object]
    default: bool = False
    """Whether `assert capture == golden` checks it."""
    devices: frozenset[str] = field(default_factory=lambda: frozenset({"cpu", "cuda"}))
    """Device types that can have this stage."""
    training_only: bool = False
    depth: Callable[[str, str], str] | None = None
    """How deep the change goes from a golden's text to another that differs in canonical form: `fusion`, `hints only`.
    """
    shown: Callable[[str, str], tuple[list[str], list[str]]] | None = None
    """The lines of two such texts that a diff compares; without one, all lines as they are."""

    @property
    def comment(self) -> str:
        """What starts a comment line in this file type."""
        return "//" if self.extension == "cpp" else "#"


_stages: dict[str, Stage] = {}


def register_stage(stage: Stage, *, after: str | None = None) -> None:
    """Put `stage` into the pipeline, at the end or right after the stage named `after`.

    Raises CompileGoldenError where the name is taken or `after` does not exist.
    """
    if stage.name in _stages:
        raise CompileGoldenError(f"stage {stage.name!r} is registered already; choose another name.")
    if after is None:
        _stages[stage.name] = stage
        return
    names = list(_stages)
    if after not in _stages:
        raise CompileGoldenError(f"no stage {after!r} to come after; stages are: {', '.join(names)}.")
    at = names.index(after) + 1
    ordered = [*_stages.values()]
    ordered.insert(at, stage)
    _stages.clear()
    _stages.update((each.name, each) for each in ordered)


def unregister_stage(name: str) -> None:
    """Take a registered stage out of the pipeline again; nothing happens where there is none of that name."""
    _stages.pop(name, None)


def stages() -> tuple[Stage, ...]:
    """All stages in pipeline order."""
    return tuple(_stages.values())


def get_stage(name: str) -> Stage:
    """The stage called `name`; UnknownName, naming the others, where there is none."""
    check("stage", [name], _stages)
    return _stages[name]


def stage_or_stand_in(name: str, extension: str) -> Stage:
    """The stage called `name`, or a stand-in for one that a conftest.py registers, which a command does not load.

    To a stand-in only identical texts are the same behaviour: at worst, an overlay too many is kept.
    """
    return _stages.get(name) or Stage(name, extension, name, lambda record: None, str)
