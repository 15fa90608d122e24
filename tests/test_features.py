"""The core on its own: the package without the folder of features does what it can, and names what it lacks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pytest_compile_golden
from tests.paper import CONFTEST, INI

PACKAGE = Path(pytest_compile_golden.__file__).parent
TEST = """
def test_it(draw, golden):
    assert draw(ink="one", press="two", tally="kernels = 1") == golden
"""
CAPTURE = """
import torch
from pytest_compile_golden import CompileGoldenError, capture, numerics

captured = capture(lambda x: x.sin() + 1, torch.randn(8), target="cuda-sm90")
print(captured["triton_code"].names)
for ask in (lambda: captured["ptx"], lambda: numerics(lambda x: x + 1, torch.randn(8), target="native-cpu")):
    try:
        ask()
    except CompileGoldenError as error:
        print(type(error).__name__, error)
"""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that lacks the features, and with the tests."""
    root = tmp_path_factory.mktemp("core")
    shutil.copytree(
        PACKAGE,
        root / PACKAGE.name,
        ignore=shutil.ignore_patterns("features", "*.pyc.*"),
    )
    shutil.copytree(
        Path(__file__).parent, root / "tests", ignore=shutil.ignore_patterns("*.pyc.*")
    )
    shutil.copy(PACKAGE.parent / "pyproject.toml", root)
    return root


def run(core: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTEST")
    }
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(core)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_paper_project_passes(core: Path, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text(INI)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_paper.py").write_text(TEST)
    pytest_of = ("-m", "pytest", "--compile-golden", "-p", "no:cacheprovider")
    assert run(core, tmp_path, *pytest_of, "--snapshot-update").returncode == 0
    again = run(core, tmp_path, *pytest_of)
    assert again.returncode == 0, again.stdout
    assert "2 cases: 2 unchanged" in again.stdout
    numerics = run(core, tmp_path, *pytest_of, "--compile-golden-numerics")
    assert "there is no option '--compile-golden-numerics'" in numerics.stderr


def test_commands(core: Path, tmp_path: Path) -> None:
    command = ("-m", "pytest_compile_golden")
    listed = run(core, tmp_path, *command, "--help")
    assert listed.returncode == 0
    assert "review" in listed.stdout and "fuzz" not in listed.stdout
    experiment = run(core, tmp_path, *command, "patterns")
    assert (
        "patterns is an experiment, which is not installed: it is in labs/patterns"
        in experiment.stderr
    )
    missing = run(core, tmp_path, *command, "site", "goldens@2.13.0", "--into", "site")
    assert missing.returncode == 1
    assert (
        "site is not installed: it is in pytest_compile_golden/features/site"
        in missing.stderr
    )
    assert (
        "there is no command 'sight'" in run(core, tmp_path, *command, "sight").stderr
    )


def test_a_capture_names_what_is_missing(core: Path, tmp_path: Path) -> None:
    (tmp_path / "taken.py").write_text(CAPTURE)
    done = run(core, tmp_path, "taken.py")
    assert done.returncode == 0, done.stderr
    kernels, stage, check = done.stdout.splitlines()
    assert "triton_poi_fused_add_sin" in kernels
    assert stage.startswith("StageUnavailable ptx is unavailable")
    assert (
        "kernel compiler is not installed: it is in pytest_compile_golden/features/machine_code"
        in stage
    )
    assert check.startswith(
        "NotInstalled numerics is not installed: it is in pytest_compile_golden/features/numerics"
    )


@pytest.mark.parametrize("file", ["test_store.py", "test_header.py"])
def test_tests_of_the_core(core: Path, file: str) -> None:
    done = run(
        core,
        core,
        "-m",
        "pytest",
        f"tests/{file}",
        "-q",
        "-p",
        "no:cacheprovider",
        "-n0",
    )
    assert done.returncode == 0, done.stdout
