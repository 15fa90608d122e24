"""The GitHub action and the pre-commit hook: what they run is run here, as GitHub and pre-commit run it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.paper import PaperProject

ROOT = Path(__file__).parents[1]
BASH = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
"""As GitHub runs `shell: bash`."""
CASE = "def test_it(draw, golden):\n    assert draw(ink={!r}) == golden\n"


@pytest.fixture
def shell(paper: PaperProject, monkeypatch: pytest.MonkeyPatch) -> PaperProject:
    """A project with an accepted case, in which `python` and `pytest` are this environment's."""
    paper.test(CASE.format("a\n"))
    paper.update().assert_outcomes(passed=2)
    monkeypatch.setenv(
        "PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return paper


def steps() -> dict[str, dict[str, Any]]:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    return {step["name"]: step for step in action["runs"]["steps"]}


def test_the_action_checks_and_keeps_what_changed(shell: PaperProject) -> None:
    check, show = steps()["Check"], steps()["Show what changed"]
    summary = shell.path / "summary.md"
    environment = {
        **os.environ,
        "CASES": "cases",
        "ARGUMENTS": "-q",
        "GITHUB_STEP_SUMMARY": str(summary),
    }

    def run(step: dict[str, Any]) -> int:
        return subprocess.run(
            [*BASH, step["run"]], cwd=shell.path, env=environment, check=False
        ).returncode

    assert run(check) == 0
    shell.test(CASE.format("b\n"))
    assert run(check) == 1
    assert run(show) == 0 and "2 changed (1 distinct change)" in summary.read_text()
    kept = steps()["Keep it for review"]["with"]["path"]
    assert shell.command("accept", "--pending", kept).ret == 0
    assert run(check) == 0


@pytest.mark.wide
def test_the_action_installs_itself_with_the_torch_that_is_asked_for(
    shell: PaperProject,
) -> None:
    command = [*BASH, steps()["Install"]["run"]]
    torch = metadata.version("torch").partition("+")[0]
    inputs = {
        "TORCH": torch,
        "INSTALL": "pluggy pytest",
        "PIP_ARGS": "--dry-run --no-deps --ignore-installed --quiet --report -",
        "GITHUB_ACTION_PATH": str(ROOT),
    }
    report = subprocess.run(
        command,
        env={**os.environ, **inputs},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    chosen = {
        each["metadata"]["name"]: each["metadata"]["version"]
        for each in json.loads(report)["install"]
    }
    assert sorted(chosen) == ["pluggy", "pytest", "pytest-compile-golden", "torch"]
    assert chosen["torch"].partition("+")[0] == torch


def test_inputs_reach_the_shell_as_variables() -> None:
    """Never as text of a script, which an input could end."""
    for name, step in steps().items():
        assert "${{" not in step.get("run", ""), name


def test_the_hook_runs_the_cases_of_a_commit(shell: PaperProject) -> None:
    (hook,) = yaml.safe_load(
        (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    )
    files = ["cases/test_paper.py", "paper_test.py", "conftest.py", "cases/paper.py"]
    assert [file for file in files if re.search(hook["files"], file)] == files[:2]
    command = [*shlex.split(hook["entry"]), files[0]]
    assert subprocess.run(command, cwd=shell.path, check=False).returncode == 0
    shell.test(CASE.format("b\n"))
    assert subprocess.run(command, cwd=shell.path, check=False).returncode == 1
