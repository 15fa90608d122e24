"""The plugin's options and ini keys."""

from __future__ import annotations

from typing import get_args

import pytest

from pytest_compile_golden.vocabulary import DEFAULT_TARGETS, SWITCH, UPDATE_KINDS, KernelConfigs


def add_options(parser: pytest.Parser) -> None:
    """Declare the options and the ini keys."""
    group = parser.getgroup("compile-golden", "golden tests for torch.compile")
    group.addoption(
        SWITCH,
        action="store_true",
        default=None,
        help="run the tests that use compile-golden's fixtures (otherwise they are skipped)",
    )
    group.addoption(
        f"{SWITCH}-target",
        action="append",
        metavar="NAMES",
        help=f"compile only for these targets; repeatable, or comma-separated (default: {', '.join(DEFAULT_TARGETS)})",
    )
    group.addoption(
        f"{SWITCH}-case",
        action="append",
        metavar="GLOB",
        help="run only cases whose id or folder matches, and no other tests; repeatable; * matches any text",
    )
    group.addoption(
        f"{SWITCH}-changed",
        action="store_true",
        default=False,
        help="leave out the cases whose sources, goldens and torch have not changed since they passed; not in CI",
    )
    group.addoption(
        f"{SWITCH}-stages",
        metavar="NAMES",
        help="what `assert capture == golden` checks: comma-separated stages, `all`, or `+NAME` to add to the default "
        "and `-NAME` to remove from it",
    )
    group.addoption(f"{SWITCH}-dir", metavar="DIR", help="the goldens folder (default: `goldens` under rootdir)")
    group.addoption(
        f"{SWITCH}-policy",
        metavar="POLICY",
        help="what max-autotune picks on a virtual target: `aten`, `triton` or `name:<regex>`",
    )
    group.addoption(
        f"{SWITCH}-config",
        action="append",
        metavar="KEY=VALUE",
        help="compile every case with this torch setting, as for `config=` of a capture; repeatable; such a run "
        "accepts nothing",
    )
    group.addoption(
        f"{SWITCH}-kernel-configs",
        choices=get_args(KernelConfigs),
        help="which configurations of a kernel the stages below Triton show: the `first` that is offered, or `all`",
    )
    group.addoption(
        f"{SWITCH}-update",
        metavar="KINDS",
        help=f"accept only changes of these kinds: {', '.join(UPDATE_KINDS)} (--snapshot-update accepts all)",
    )
    group.addoption(
        f"{SWITCH}-reason",
        metavar="TEXT",
        help="why; recorded in the metrics golden next to each metric that this update accepts",
    )
    group.addoption(
        f"{SWITCH}-prune",
        action="store_true",
        default=False,
        help="after a complete, passing run, remove the goldens that no case compares any more; accept nothing",
    )
    group.addoption(
        f"{SWITCH}-pending",
        metavar="DIR",
        help="where failing cases leave their artifacts for `compile-golden review` (default: in pytest's cache)",
    )
    group.addoption(
        f"{SWITCH}-record",
        metavar="DIR",
        help="compare nothing; write every artifact to this new folder, for `compile-golden diff`",
    )
    group.addoption(
        f"{SWITCH}-numerics",
        action="store_true",
        default=False,
        help="on native targets and virtual GPUs: run what a case captures, and fail if eager computes something else",
    )
    group.addoption(
        f"{SWITCH}-any-target",
        action="store_true",
        default=False,
        help=f"also run cases marked for a target on the targets of {SWITCH}-target that are the same kind of device",
    )
    group.addoption(
        f"{SWITCH}-device",
        action="append",
        metavar="FILE",
        help="add a virtual target with the device properties in this file, as written by `compile-golden fidelity`",
    )
    group.addoption(
        f"{SWITCH}-report",
        action="append",
        metavar="FILE",
        help="write a report of the run: FILE.json, FILE.md or FILE.html; repeatable",
    )
    group.addoption(
        f"{SWITCH}-timeout",
        metavar="SECONDS",
        help="fail a case that takes longer (default: no limit)",
    )
    parser.addini("compile_golden", f"same as {SWITCH}", type="bool", default=False)
    parser.addini("compile_golden_target", f"default for {SWITCH}-target", type="args", default=list(DEFAULT_TARGETS))
    parser.addini(
        "compile_golden_target_base",
        "a line `target: base` for each target whose goldens are kept only where they differ from another target's",
        type="linelist",
        default=[],
    )
    parser.addini("compile_golden_stages", f"default for {SWITCH}-stages", type="args", default=[])
    parser.addini("compile_golden_dir", f"default for {SWITCH}-dir, relative to rootdir", default="goldens")
    parser.addini("compile_golden_policy", f"default for {SWITCH}-policy", default="")
    parser.addini("compile_golden_kernel_configs", f"default for {SWITCH}-kernel-configs", default="first")
    parser.addini("compile_golden_pending", f"default for {SWITCH}-pending, relative to rootdir", default="")
    parser.addini(
        "compile_golden_requirements",
        "pip arguments for what the cases need, in environments that `compile-golden diff` creates",
        type="args",
        default=[],
    )
    parser.addini("compile_golden_timeout", f"default for {SWITCH}-timeout", default="")
