"""The plugin's options and ini keys, and what they come to for a run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

DEFAULT_TARGETS = ("cuda-sm90", "cpu-avx2")
SWITCH = "--compile-golden"


def add_options(parser: pytest.Parser) -> None:
    """Declare every option, each with an ini key of the same name."""
    group = parser.getgroup("compile-golden", "golden tests of torch.compile")
    group.addoption(
        SWITCH,
        action="store_true",
        default=None,
        help="run the tests that use compile-golden's fixtures (else skipped)",
    )
    group.addoption(
        f"{SWITCH}-target",
        action="append",
        metavar="NAMES",
        help=f"compile for these targets only; repeatable, or comma-separated (default: {', '.join(DEFAULT_TARGETS)})",
    )
    group.addoption(
        f"{SWITCH}-stages",
        metavar="NAMES",
        help="what `assert capture == golden` checks: comma-separated stages, `all`, or `+NAME` to add to the default",
    )
    group.addoption(f"{SWITCH}-dir", metavar="DIR", help="where the goldens are (default: `goldens` under rootdir)")
    group.addoption(
        f"{SWITCH}-policy",
        metavar="POLICY",
        help="what max-autotune picks on a virtual target: `aten`, `triton` or `name:<regex>`",
    )
    parser.addini("compile_golden", f"same as {SWITCH}", type="bool", default=False)
    parser.addini("compile_golden_target", f"default of {SWITCH}-target", type="args", default=list(DEFAULT_TARGETS))
    parser.addini("compile_golden_stages", f"default of {SWITCH}-stages", type="args", default=[])
    parser.addini("compile_golden_dir", f"default of {SWITCH}-dir, relative to rootdir", default="goldens")
    parser.addini("compile_golden_policy", f"default of {SWITCH}-policy", default="")


@dataclass(frozen=True)
class Settings:
    """A run's options, resolved; names are not yet checked against what is registered."""

    enabled: bool
    targets: tuple[str, ...]
    """What a case without a marker is generated for."""
    selected: tuple[str, ...] | None
    """The targets that the command line limits the run to; None for no limit."""
    ini_stages: tuple[str, ...]
    cli_stages: tuple[str, ...]
    folder: Path
    folder_given: str | None
    """The folder as named on the command line."""
    policy: str | None
    update: bool
    ci: bool


def settings_of(config: pytest.Config) -> Settings:
    """Read the run's settings. Raises UsageError for a goldens folder that syrupy would clean up."""
    option = config.getoption
    limit = names(option("compile_golden_target")) or None
    default = names(config.getini("compile_golden_target")) or DEFAULT_TARGETS
    given = option("compile_golden_dir")
    if given:
        folder = (config.invocation_params.dir / given).resolve()
    else:
        folder = config.rootpath / (config.getini("compile_golden_dir") or "goldens")
    # syrupy treats every file it does not know in a folder of this name as unused, and deletes it on an update.
    syrupys = Path(option("snapshot_dirname", "__snapshots__")).name
    below = folder.relative_to(config.rootpath) if folder.is_relative_to(config.rootpath) else folder
    if syrupys in below.parts:
        raise pytest.UsageError(
            f"goldens cannot live in {folder}: syrupy keeps its snapshots in folders called {syrupys!r}, and deletes "
            f"what it does not know there. Choose another {SWITCH}-dir (or --snapshot-dirname)."
        )
    return Settings(
        enabled=bool(option("compile_golden") or config.getini("compile_golden")),
        targets=tuple(dict.fromkeys((*default, *(limit or ())))),
        selected=limit,
        ini_stages=names(config.getini("compile_golden_stages")),
        cli_stages=names(option("compile_golden_stages")),
        folder=folder,
        folder_given=given,
        policy=option("compile_golden_policy") or config.getini("compile_golden_policy") or None,
        update=bool(option("update_snapshots", False)),
        ci=os.environ.get("CI", "").lower() not in ("", "0", "false"),
    )


def names(value: str | Iterable[str] | None) -> tuple[str, ...]:
    """Comma-separated names, from one string or several."""
    if value is None:
        return ()
    several = [value] if isinstance(value, str) else value
    return tuple(dict.fromkeys(name.strip() for each in several for name in each.split(",") if name.strip()))


def resolve_stages(specs: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The stages that a capture is checked for: the default set, changed by each of `specs` in turn.

    A list replaces what came before it, `all` is every stage, `+name` adds. In pipeline order.
    Raises CompileGoldenError for a stage that does not exist.
    """
    from pytest_compile_golden.stages import get_stage, stages

    chosen = {stage.name for stage in stages() if stage.default}
    for spec in specs:
        if any(not name.startswith("+") for name in spec):
            chosen = set()
        for name in spec:
            if name == "all":
                chosen |= {stage.name for stage in stages()}
            else:
                chosen.add(get_stage(name.removeprefix("+")).name)
    return tuple(stage.name for stage in stages() if stage.name in chosen)
