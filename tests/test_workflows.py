"""Workflows here and to copy: what runs a project's code may write nothing, and actions are pinned by commit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted(
    path
    for pattern in (
        ".github/workflows/*.yml",
        "pytest_compile_golden/**/*.yml",
        "examples/**/workflows/*.yml",
    )
    for path in ROOT.glob(pattern)
)
PAGES = [ROOT / "action.yml", *sorted((ROOT / "docs").glob("*.md")), *WORKFLOWS]
OWN = re.compile(r"OWNER/pytest-compile-golden@TAG")
PINNED = re.compile(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
RUNS_CODE = re.compile(
    r"(^|[;&|({]|\$\()\s*(pip|pytest|python|make|compile-golden|npm)\s", re.M
)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def jobs(path: Path) -> dict[str, tuple[dict[str, str], list[dict[str, Any]]]]:
    """Each job's permissions and steps."""
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    # Without one, a job may have all that the repository gives.
    usual = workflow["permissions"]
    return {
        name: (job.get("permissions", usual), job["steps"])
        for name, job in workflow["jobs"].items()
    }


@pytest.mark.parametrize("path", WORKFLOWS, ids=named)
def test_a_job_that_may_write_runs_nothing_of_the_project(path: Path) -> None:
    for name, (permissions, steps) in jobs(path).items():
        assert isinstance(permissions, dict), name
        if "write" not in permissions.values():
            continue
        for step in steps:
            assert not step.get("uses", "").startswith("actions/checkout@"), name
            assert not RUNS_CODE.search(step.get("run", "")), name


@pytest.mark.parametrize("path", WORKFLOWS, ids=named)
def test_no_token_is_kept_beside_a_checkout(path: Path) -> None:
    for _, steps in jobs(path).values():
        for step in steps:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    for used in re.findall(
        r"^\s*(?:- )?uses: (.*)$", path.read_text(encoding="utf-8"), re.M
    ):
        assert PINNED.fullmatch(used) or OWN.fullmatch(used), used


def test_no_text_of_a_report_is_part_of_a_script() -> None:
    """An expression in a script is replaced before the shell reads it."""
    for path in WORKFLOWS:
        for name, (_, steps) in jobs(path).items():
            for step in steps:
                assert not re.search(
                    r"\$\{\{ *(needs|steps|github\.event|inputs)", step.get("run", "")
                ), name


def test_workflows_lint() -> None:
    lint = [Path(sys.executable).parent / "actionlint", *WORKFLOWS]
    subprocess.run(lint, check=True, env={**os.environ, "PATH": os.defpath})
