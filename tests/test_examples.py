"""The example repositories pass their own tests, run the way somebody who copies one would run them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.forked import Forks

EXAMPLES = Path(__file__).parents[1] / "examples"
PASSED = {
    "diffusion": 3,
    "inference_engine": 6,
    "kernels": 6,
    "models": 6,
    "quantised_cpu": 2,
    "training": 3,
}
"""How many tests each has, on all of its targets."""


@pytest.mark.parametrize("name", PASSED)
def test_an_example(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks) -> None:
    if name == "models":
        pytest.importorskip("transformers")
    folder = tmp_path / name
    shutil.copytree(EXAMPLES / name, folder, ignore=shutil.ignore_patterns("__pycache__", ".*cache"))
    monkeypatch.chdir(folder)
    forks_with_torch.run_pytest(folder, "--compile-golden", "-n0").assert_outcomes(passed=PASSED[name])


def test_every_example_is_run_and_explained() -> None:
    there = {folder.name for folder in EXAMPLES.iterdir() if (folder / "pyproject.toml").exists()}
    assert there == {*PASSED}
    for folder in [path for path in EXAMPLES.iterdir() if path.is_dir()]:
        assert len((folder / "README.md").read_text(encoding="utf-8").splitlines()) < 60, folder.name
