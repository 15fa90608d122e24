"""What the options and ini keys of a run come to; `pytest_options.py` declares them."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_compile_golden.changes.change import Severities, check_codes
from pytest_compile_golden.common.constants import (
    CACHE,
    DEFAULT_TARGETS,
    SWITCH,
    UPDATE_KINDS,
)

if TYPE_CHECKING:
    from pytest_compile_golden.goldens.golden_paths import Bases
    from pytest_compile_golden.goldens.metric_history import Thresholds

RECORDED_STAGES = (
    "+graph_breaks",
    "+recompiles",
    "+dynamo_graph",
    "+pre_grad_graph",
    "+joint_graph",
    "+forward_graph",
    "+backward_graph",
    "+cost",
)
"""Stages that a recording also holds by default: where in the pipeline a change appears, and what kernels cost."""


@dataclass(frozen=True)
class Settings:
    """A run's options, resolved; names are not yet checked against what is registered."""

    enabled: bool
    suite: bool
    """Whether tests that use none of our fixtures are cases too."""
    targets: tuple[str, ...]
    """The targets that a case without a marker is generated for."""
    base_lines: tuple[str, ...]
    """A line for each target whose goldens are overlays of another target's."""
    selected: tuple[str, ...] | None
    """The targets that the command line limits the run to; None for no limit."""
    cases: tuple[str, ...]
    """The cases that the command line limits the run to; empty for no limit."""
    ini_stages: tuple[str, ...]
    cli_stages: tuple[str, ...]
    folder: Path
    folder_given: str | None
    """The folder as named on the command line."""
    policy: str | None
    config_lines: tuple[str, ...]
    """Torch settings for the whole run as on the command line, `KEY=VALUE`."""
    kernel_configs: str
    """`first` or `all`: which of its configurations a kernel is compiled in."""
    update: frozenset[str]
    """The kinds of change that are accepted; empty if the run only compares."""
    reason: str | None
    prune: bool
    changed: bool
    """Whether cases are left out that have not changed since they passed."""
    pending: Path | None
    """Where failing cases leave their artifacts; None if pytest has no cache and no folder was given."""
    pending_given: str | None
    """The same, as on the command line."""
    record: Path | None
    """Where everything is recorded; None if the run compares."""
    executed: bool
    """Whether it is recorded what cases executed of torch."""
    changed_only: Path | None
    """The older recording that cases are taken over from that executed nothing of torch that differs."""
    despite_libraries: bool
    """Whether they are although torch's compiled libraries differ."""
    any_target: bool
    """Whether a marker's target means any target of its kind: such cases are then generated for `selected` too."""
    devices: tuple[Path, ...]
    """Files that each describe one more virtual target."""
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    """Codes of changes, with wildcards, that fail cases, and that are ignored."""
    strict: bool
    """Whether every change fails its case."""
    timeout: float | None
    """Seconds a case may take."""
    reports: tuple[Path, ...]
    """The report files to write."""
    ci: bool

    @cached_property
    def bases(self) -> Bases:
        """Raises GoldenError if a line is wrong. Lazy: none of our modules is imported before a case needs it."""
        from pytest_compile_golden.goldens.golden_paths import parse_bases

        return parse_bases(self.base_lines)

    @cached_property
    def usual(self) -> Thresholds:
        """How far a metric must move to count, by the project's goldens; read when the first metric has changed."""
        from pytest_compile_golden.goldens.metric_history import thresholds

        return thresholds(self.folder)

    @cached_property
    def severities(self) -> Severities:
        """Raises UnknownName for a pattern that matches no code."""
        return severities(Severities(strict=self.strict), self.select, self.ignore)

    @cached_property
    def config(self) -> Mapping[str, object]:
        """Torch settings for the whole run; they override torch's defaults, and a case's own settings override them."""
        return dict(map(_setting, self.config_lines))


def settings_of(config: pytest.Config) -> Settings:
    """Read the run's settings. Raises UsageError for wrong ones, such as a goldens folder that syrupy would clean."""
    option = config.getoption
    limit = names(option("compile_golden_target")) or None
    default = names(config.getini("compile_golden_target")) or DEFAULT_TARGETS
    directory = option("compile_golden_dir")
    if directory:
        folder = (config.invocation_params.dir / directory).resolve()
    else:
        folder = config.rootpath / (config.getini("compile_golden_dir") or "goldens")
    # syrupy treats every file it does not know in a folder of this name as unused, and deletes it on an update.
    syrupys = Path(option("snapshot_dirname", "__snapshots__")).name
    below = (
        folder.relative_to(config.rootpath)
        if folder.is_relative_to(config.rootpath)
        else folder
    )
    if syrupys in below.parts:
        raise pytest.UsageError(
            f"goldens cannot live in {folder}: syrupy keeps its snapshots in folders called {syrupys!r}, and deletes "
            f"files that it does not know there. Choose another {SWITCH}-dir (or --snapshot-dirname)."
        )
    record = _record(config, folder)
    return Settings(
        enabled=is_enabled(config),
        suite=_suite(config),
        targets=tuple(dict.fromkeys((*default, *(limit or ())))),
        base_lines=tuple(config.getini("compile_golden_target_base")),
        selected=limit,
        cases=tuple(option("compile_golden_case") or ()),
        ini_stages=names(config.getini("compile_golden_stages")),
        cli_stages=names(option("compile_golden_stages"))
        or (RECORDED_STAGES if record else ()),
        folder=folder,
        folder_given=directory,
        policy=option("compile_golden_policy")
        or config.getini("compile_golden_policy")
        or None,
        config_lines=_config_lines(config),
        kernel_configs=option("compile_golden_kernel_configs")
        or config.getini("compile_golden_kernel_configs"),
        update=_update(config),
        reason=option("compile_golden_reason"),
        prune=option("compile_golden_prune"),
        changed=option("compile_golden_changed"),
        pending=None
        if record or option("compile_golden_config")
        else _pending(config, folder),
        pending_given=option("compile_golden_pending"),
        record=record,
        executed=is_executed(config),
        changed_only=_changed_only(config),
        despite_libraries=option("compile_golden_despite_libraries"),
        any_target=option("compile_golden_any_target"),
        devices=tuple(
            config.invocation_params.dir / name
            for name in option("compile_golden_device") or ()
        ),
        select=names(config.getini("compile_golden_select")),
        ignore=names(config.getini("compile_golden_ignore")),
        strict=option("compile_golden_strict"),
        timeout=_timeout(
            option("compile_golden_timeout") or config.getini("compile_golden_timeout")
        ),
        reports=tuple(
            config.invocation_params.dir / name
            for name in option("compile_golden_report") or ()
        ),
        ci=_in_ci(),
    )


def is_enabled(config: pytest.Config) -> bool:
    """Whether cases run: an option or an ini key asks for them, or for the whole suite."""
    return bool(
        config.getoption("compile_golden")
        or config.getini("compile_golden")
        or _suite(config)
    )


def _suite(config: pytest.Config) -> bool:
    return bool(
        config.getoption("compile_golden_suite")
        or config.getini("compile_golden_suite")
    )


def severities(
    given: Severities, select: Sequence[str], ignore: Sequence[str]
) -> Severities:
    """`given` with the codes of changes that a project, or a test, selects and ignores. Raises UnknownName."""
    if select or ignore:
        from pytest_compile_golden.messages import sentences

        assert sentences.TABLE  # importing the table registers every type of change
        check_codes((*select, *ignore))
    return given.having(select, ignore)


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def _update(config: pytest.Config) -> frozenset[str]:
    """The kinds to accept. Raises UsageError for one that does not exist."""
    if config.getoption("update_snapshots", False):
        return frozenset(UPDATE_KINDS)
    text = config.getoption("compile_golden_update")
    kinds = frozenset(names(text))
    unknown = sorted(kinds - set(UPDATE_KINDS))
    if unknown or (text is not None and not kinds):
        raise pytest.UsageError(
            f"{SWITCH}-update takes {', '.join(UPDATE_KINDS)}, comma-separated; not {', '.join(unknown) or 'nothing'}."
        )
    return (
        kinds | {"new"}
        if config.getoption("update_new_snapshots_only", False)
        else kinds
    )


def _setting(line: str) -> tuple[str, object]:
    key, _, value = line.partition("=")
    try:
        return key, ast.literal_eval(value)
    except (ValueError, SyntaxError):  # a string, as most people write it: ATEN,TRITON
        return key, value


def _config_lines(config: pytest.Config) -> tuple[str, ...]:
    """Raises UsageError for a wrong one, and if goldens would be accepted with them: no other run could match those."""
    lines = tuple(config.getoption("compile_golden_config") or ())
    for line in lines:
        key, equals, _ = line.partition("=")
        if not (key and equals):
            raise pytest.UsageError(
                f"{SWITCH}-config takes KEY=VALUE, such as max_autotune=True, not {line!r}."
            )
    if lines and (_update(config) or config.getoption("compile_golden_prune")):
        raise pytest.UsageError(
            f"{SWITCH}-config shows what a setting changes; goldens are accepted without it. If a case should always "
            "have it, pass config={...} to the capture."
        )
    return lines


def _pending(config: pytest.Config, goldens: Path) -> Path | None:
    """The folder of the pending store. Raises UsageError if it would mix with the goldens."""
    option, ini = (
        config.getoption("compile_golden_pending"),
        config.getini("compile_golden_pending"),
    )
    if option or ini:
        base = config.invocation_params.dir if option else config.rootpath
        folder = Path(os.path.normpath(base / (option or ini)))
        if folder.is_relative_to(goldens) or goldens.is_relative_to(folder):
            raise pytest.UsageError(
                f"{SWITCH}-pending {folder} and the goldens {goldens} must not contain each other. "
                "Choose another folder."
            )
        return folder
    return cache_folder(config, CACHE) if is_enabled(config) else None


def cache_folder(config: pytest.Config, name: str) -> Path | None:
    """A folder in pytest's cache; None if there is no cache."""
    cache = getattr(config, "cache", None)
    try:
        return None if cache is None else Path(cache.mkdir(name))
    except OSError:  # a project that cannot be written to can still be compared
        return None


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is one of pytest-xdist's workers."""
    return hasattr(config, "workerinput")


def needs_worker(config: pytest.Config) -> bool:
    """Whether the cases run in one pytest-xdist worker although nobody asked for it, so that a crash ends only a case.

    Only in CI, where no debugger or terminal needs the process; `-n0` or `-s` keeps everything in it.
    """
    if is_worker(config):
        return False
    option = config.option
    uses_xdist = (
        option.numprocesses is not None or option.tx
        if config.pluginmanager.hasplugin("xdist")
        else True
    )
    one_process = option.usepdb or option.collectonly or option.capture == "no"
    return bool(is_enabled(config) and _in_ci() and not (uses_xdist or one_process))


def _record(config: pytest.Config, goldens: Path) -> Path | None:
    """The folder to record into. Raises UsageError if it is not empty, or if the run should also accept goldens."""
    option = config.getoption("compile_golden_record")
    if not option:
        return None
    folder = Path(os.path.normpath(config.invocation_params.dir / option))
    if folder.is_relative_to(goldens) or goldens.is_relative_to(folder):
        raise pytest.UsageError(
            f"{SWITCH}-record {folder} and the goldens {goldens} must not contain each other."
        )
    if any(
        (
            _update(config),
            *(
                config.getoption(f"compile_golden_{name}")
                for name in ("prune", "report")
            ),
        )
    ):
        raise pytest.UsageError(
            f"{SWITCH}-record compares nothing, so there is nothing to accept, prune or report."
        )
    # When workers start, the controller has already begun to write.
    if (
        not is_worker(config)
        and folder.exists()
        and (not folder.is_dir() or any(folder.iterdir()))
    ):
        raise pytest.UsageError(
            f"{SWITCH}-record {folder} already exists. Name a new folder, or remove this one."
        )
    return folder


def is_executed(config: pytest.Config) -> bool:
    """Whether it is recorded what cases executed of torch."""
    options = config.known_args_namespace
    return bool(options.compile_golden_executed or options.compile_golden_changed_only)


def _changed_only(config: pytest.Config) -> Path | None:
    """Raises UsageError for options that need others."""
    option = config.getoption
    old = option("compile_golden_changed_only")
    if is_executed(config) and not option("compile_golden_record"):
        name = "changed-only" if old else "executed"
        raise pytest.UsageError(
            f"{SWITCH}-{name} is for a recording: add {SWITCH}-record DIR."
        )
    if option("compile_golden_despite_libraries") and not old:
        raise pytest.UsageError(
            f"{SWITCH}-despite-libraries is for {SWITCH}-changed-only OLD."
        )
    return config.invocation_params.dir / old if old else None


def _timeout(value: str) -> float | None:
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < 1e6:
        raise pytest.UsageError(
            f"{SWITCH}-timeout takes a number of seconds above 0, not {value!r}."
        )
    return seconds


def names(value: str | Iterable[str] | None) -> tuple[str, ...]:
    """Comma-separated names, from one string or several."""
    if value is None:
        return ()
    several = [value] if isinstance(value, str) else value
    return tuple(
        dict.fromkeys(
            name.strip() for text in several for name in text.split(",") if name.strip()
        )
    )


def resolve_stages(specs: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The stages that a capture is checked for, in pipeline order: the default set, changed by each of `specs` in turn.

    A list replaces what came before it, `all` is every stage, `+name` adds one, `-name` removes one.
    Raises CompileGoldenError for a stage that does not exist.
    """
    from pytest_compile_golden.stages import get_stage, stages

    chosen = {stage.name for stage in stages() if stage.default}
    for spec in specs:
        if any(not name.startswith(("+", "-")) for name in spec):
            chosen = set()
        for name in spec:
            if name == "all":
                chosen |= {stage.name for stage in stages()}
            else:
                stage = get_stage(name.removeprefix("+").removeprefix("-")).name
                chosen = chosen - {stage} if name.startswith("-") else chosen | {stage}
    return tuple(stage.name for stage in stages() if stage.name in chosen)
