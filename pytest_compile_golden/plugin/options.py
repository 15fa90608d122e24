"""The plugin's options and ini keys."""

from __future__ import annotations

from typing import get_args

import pytest

from pytest_compile_golden.vocabulary import DEFAULT_TARGETS, SWITCH, UPDATE_KINDS, KernelConfigs


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
        f"{SWITCH}-case",
        action="append",
        metavar="GLOB",
        help="run only cases whose id or folder matches, and no other tests; repeatable; * stands for any text",
    )
    group.addoption(
        f"{SWITCH}-changed",
        action="store_true",
        default=False,
        help="leave out the cases whose sources, goldens and torch are as they were when they passed; not in CI",
    )
    group.addoption(
        f"{SWITCH}-stages",
        metavar="NAMES",
        help="what `assert capture == golden` checks: comma-separated stages, `all`, or `+NAME` to add to the default "
        "and `-NAME` to leave out",
    )
    group.addoption(f"{SWITCH}-dir", metavar="DIR", help="where the goldens are (default: `goldens` under rootdir)")
    group.addoption(
        f"{SWITCH}-policy",
        metavar="POLICY",
        help="what max-autotune picks on a virtual target: `aten`, `triton` or `name:<regex>`",
    )
    group.addoption(
        f"{SWITCH}-config",
        action="append",
        metavar="KEY=VALUE",
        help="compile every case with this setting of torch's, as `config=` of a capture takes it; repeatable; such a "
        "run accepts nothing",
    )
    group.addoption(
        f"{SWITCH}-kernel-configs",
        choices=get_args(KernelConfigs),
        help="the configurations in which stages below Triton show a kernel: the `first` that is offered, or `all`",
    )
    group.addoption(
        f"{SWITCH}-update",
        metavar="KINDS",
        help=f"accept changes of these kinds only: {', '.join(UPDATE_KINDS)} (--snapshot-update accepts all)",
    )
    group.addoption(
        f"{SWITCH}-reason",
        metavar="TEXT",
        help="why: kept in the metrics golden beside each metric that this update accepts",
    )
    group.addoption(
        f"{SWITCH}-prune",
        action="store_true",
        default=False,
        help="after a complete run that passes, remove the goldens that no case compares any more, and accept nothing",
    )
    group.addoption(
        f"{SWITCH}-pending",
        metavar="DIR",
        help="where failing cases leave their artifacts for `compile-golden review` (default: in pytest's cache)",
    )
    group.addoption(
        f"{SWITCH}-record",
        metavar="DIR",
        help="compare nothing: write every artifact into this new folder, for `compile-golden diff`",
    )
    group.addoption(
        f"{SWITCH}-numerics",
        action="store_true",
        default=False,
        help="on native targets and virtual GPUs: run what a case captures, fail where eager computes something else",
    )
    group.addoption(
        f"{SWITCH}-any-target",
        action="store_true",
        default=False,
        help=f"run cases marked for a target also on those of {SWITCH}-target that are the same kind of device",
    )
    group.addoption(
        f"{SWITCH}-device",
        action="append",
        metavar="FILE",
        help="a virtual target with the device properties in this file, as `compile-golden fidelity` writes them",
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
    parser.addini("compile_golden_target", f"default of {SWITCH}-target", type="args", default=list(DEFAULT_TARGETS))
    parser.addini(
        "compile_golden_target_base",
        "a line for each target whose goldens are kept where they differ from another's only: `target: base`",
        type="linelist",
        default=[],
    )
    parser.addini("compile_golden_stages", f"default of {SWITCH}-stages", type="args", default=[])
    parser.addini("compile_golden_dir", f"default of {SWITCH}-dir, relative to rootdir", default="goldens")
    parser.addini("compile_golden_policy", f"default of {SWITCH}-policy", default="")
    parser.addini("compile_golden_kernel_configs", f"default of {SWITCH}-kernel-configs", default="first")
    parser.addini("compile_golden_pending", f"default of {SWITCH}-pending, relative to rootdir", default="")
    parser.addini(
        "compile_golden_requirements",
        "pip's arguments for what cases need, in environments that `compile-golden diff` makes",
        type="args",
        default=[],
    )
    parser.addini("compile_golden_timeout", f"default of {SWITCH}-timeout", default="")
