"""Declares the plugin's options and ini keys, and refuses unknown ones; `run_settings.py` reads what was given."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, get_args

import pytest

from pytest_compile_golden.common.constants import (
    DEFAULT_TARGETS,
    SWITCH,
    UPDATE_KINDS,
    KernelConfigs,
)

_Kind = Literal["bool", "string", "args", "linelist"]

_INI: tuple[tuple[str, _Kind, object, str], ...] = (
    ("compile_golden", "bool", False, f"same as {SWITCH}"),
    ("compile_golden_suite", "bool", False, f"same as {SWITCH}-suite"),
    (
        "compile_golden_target",
        "args",
        list(DEFAULT_TARGETS),
        f"default for {SWITCH}-target",
    ),
    (
        "compile_golden_target_base",
        "linelist",
        [],
        "a line `target: base` for each target whose goldens are kept only where they differ from another target's",
    ),
    ("compile_golden_stages", "args", [], f"default for {SWITCH}-stages"),
    (
        "compile_golden_dir",
        "string",
        "goldens",
        f"default for {SWITCH}-dir, relative to rootdir",
    ),
    ("compile_golden_policy", "string", "", f"default for {SWITCH}-policy"),
    (
        "compile_golden_kernel_configs",
        "string",
        "first",
        f"default for {SWITCH}-kernel-configs",
    ),
    (
        "compile_golden_pending",
        "string",
        "",
        f"default for {SWITCH}-pending, relative to rootdir",
    ),
    (
        "compile_golden_requirements",
        "args",
        [],
        "pip arguments for what the cases need, in environments that `compile-golden diff` creates",
    ),
    (
        "compile_golden_select",
        "args",
        [],
        "codes of changes that fail a case; * matches any text",
    ),
    (
        "compile_golden_ignore",
        "args",
        [],
        "codes of changes that are ignored, unless they are selected",
    ),
    ("compile_golden_timeout", "string", "", f"default for {SWITCH}-timeout"),
)


def add_options(parser: pytest.Parser) -> None:
    """Declare the options and the ini keys."""
    group = parser.getgroup("compile-golden", "golden tests for torch.compile")

    def switch(name: str, meaning: str) -> None:
        group.addoption(
            f"{SWITCH}{name}", action="store_true", default=False, help=meaning
        )

    def value(name: str, metavar: str, meaning: str) -> None:
        group.addoption(f"{SWITCH}{name}", metavar=metavar, help=meaning)

    def values(name: str, metavar: str, meaning: str) -> None:
        group.addoption(
            f"{SWITCH}{name}", action="append", metavar=metavar, help=meaning
        )

    group.addoption(
        SWITCH,
        action="store_true",
        default=None,
        help="run the tests that use compile-golden's fixtures (otherwise they are skipped)",
    )
    values(
        "-target",
        "NAMES",
        f"compile only for these targets; repeatable, or comma-separated (default: {', '.join(DEFAULT_TARGETS)})",
    )
    values(
        "-case",
        "GLOB",
        "run only cases whose id or folder matches, and no other tests; repeatable; * matches any text",
    )
    switch(
        "-suite",
        "each other test that compiles something is a case, too: what the compiler decides is compared with a golden",
    )
    switch(
        "-changed",
        "leave out the cases whose sources, goldens and torch have not changed since they passed; not in CI",
    )
    value(
        "-stages",
        "NAMES",
        "what `assert capture == golden` checks: comma-separated stages, `all`, or `+NAME` to add to the default "
        "and `-NAME` to remove from it",
    )
    value("-dir", "DIR", "the goldens folder (default: `goldens` under rootdir)")
    value(
        "-policy",
        "POLICY",
        "what max-autotune picks on a virtual target: `aten`, `triton` or `name:<regex>`",
    )
    values(
        "-config",
        "KEY=VALUE",
        "compile every case with this torch setting, as for `config=` of a capture; repeatable; such a run "
        "accepts nothing",
    )
    group.addoption(
        f"{SWITCH}-kernel-configs",
        choices=get_args(KernelConfigs),
        help="which configurations of a kernel the stages below Triton show: the `first` that is offered, or `all`",
    )
    value(
        "-update",
        "KINDS",
        f"accept only changes of these kinds: {', '.join(UPDATE_KINDS)} (--snapshot-update accepts all)",
    )
    value(
        "-reason",
        "TEXT",
        "why; recorded in the metrics golden next to each metric that this update accepts",
    )
    switch(
        "-prune",
        "after a complete, passing run, remove the goldens that no case compares any more; accept nothing",
    )
    value(
        "-pending",
        "DIR",
        "where failing cases leave their artifacts for `compile-golden review` (default: in pytest's cache)",
    )
    value(
        "-record",
        "DIR",
        "compare nothing; write every artifact to this new folder, for `compile-golden diff`",
    )
    switch(
        "-executed",
        f"with {SWITCH}-record: keep which functions of torch each case executed; each runs in a fork",
    )
    value(
        "-changed-only",
        "OLD",
        f"with {SWITCH}-record: take over from OLD, a recording made with {SWITCH}-executed, the cases that executed "
        "nothing of torch that differs now, but for a sample; implies that option",
    )
    switch(
        "-despite-libraries",
        "the same although torch's compiled libraries differ: changes in C++ are not seen",
    )
    switch(
        "-any-target",
        f"also run cases marked for a target on the targets of {SWITCH}-target that are the same kind of device",
    )
    values(
        "-device",
        "FILE",
        "add a virtual target with the device properties in this file, as written by `compile-golden fidelity`",
    )
    values(
        "-report",
        "FILE",
        "write a report of the run: FILE.json, FILE.md or FILE.html; repeatable",
    )
    switch(
        "-strict",
        "fail a case for every change, including those that are only noted, or that compile_golden_ignore names",
    )
    value("-timeout", "SECONDS", "fail a case that takes longer (default: no limit)")
    for key, kind, default, meaning in _INI:
        parser.addini(key, meaning, kind, default)


def check_options(
    config: pytest.Config, parser: pytest.Parser, args: Sequence[str]
) -> None:
    """Raise UsageError for an option of ours that does not exist; pytest's own error does not say which ones do."""
    known = [
        f"--{name.replace('_', '-')}"
        for name in vars(config.option)
        if name.startswith("compile_golden")
    ]
    options, unknown = parser.parse_known_and_unknown_args(args)
    for argument in unknown:
        option = argument.partition("=")[0]
        if option.startswith(SWITCH):
            raise _unknown("option", option, known)
    if not (options.rootdir or options.inifilename):
        _check_rootdir(
            config,
            args,
            options.file_or_dir,
            bool(getattr(options, "numprocesses", None)),
        )


def _check_rootdir(
    config: pytest.Config, args: Sequence[str], tests: Sequence[str], workers: bool
) -> None:
    """Raise UsageError if pytest looked for its configuration in a folder that one of our options names.

    It does so before it knows options of plugins (_pytest/config/__init__.py: Config.parse): an existing path behind
    one is a path of tests to it, unless `=` joins them. `workers`: processes of pytest-xdist will look for it again,
    when the run has made the folder.
    """
    here, found = config.invocation_params.dir.resolve(), config.inipath
    folder = here if found is None else found.parent.resolve()
    named = [(here / test.partition("::")[0]).resolve() for test in tests] or [here]
    for option, value in pairwise(args):
        if not option.startswith(SWITCH) or "=" in option or value in tests:
            continue
        path = (here / value).resolve()
        if path.exists():
            inside = [path] if found is None else named
        elif workers and not tests:
            inside = [path]
        else:
            continue
        if not any(one.is_relative_to(folder) for one in inside):
            raise pytest.UsageError(
                f"pytest takes {value} for a path of tests, and derives rootdir from it: write {option}={value}."
            )


def check_ini(config: pytest.Config) -> None:
    """Raise UsageError for an ini key of ours that does not exist; pytest only warns."""
    known = [key for key, *_ in _INI]
    with warnings.catch_warnings():
        # Deprecated in favour of asking for each key by name, which finds no key whose name is wrong.
        warnings.simplefilter("ignore")
        given = list(config.inicfg)
    for key in given:
        if key.startswith("compile_golden") and key not in known:
            raise _unknown("ini key", key, known)


def _unknown(kind: str, name: str, known: Sequence[str]) -> pytest.UsageError:
    from pytest_compile_golden.common.name_matching import unknown

    return pytest.UsageError(unknown(kind, name, known))
