"""The example repositories pass their own tests, run the way somebody who copies one would run them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.forked import Forks

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_an_inference_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks) -> None:
    """On the target where all of its fusions happen."""
    engine = tmp_path / "engine"
    shutil.copytree(EXAMPLES / "inference_engine", engine, ignore=shutil.ignore_patterns("__pycache__", ".*cache"))
    monkeypatch.chdir(engine)
    result = forks_with_torch.run_pytest(
        engine, "--compile-golden", "--compile-golden-target=cuda-sm100", "tests/test_fusions.py::test_fusions"
    )
    result.assert_outcomes(passed=1)
