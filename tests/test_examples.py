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
    "models": 3,
    "quantised_cpu": 2,
    "training": 4,
}
"""How many tests each has, on all of its targets; of models, those of one architecture."""
# Inputs by name, as diffusers has them.
MODEL = """
import torch
from torch import nn
from compile_tests import TorchCompileTesterMixin


class Model(nn.Module):
    _repeated_blocks = ("Linear",)

    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))

    def forward(self, sample, *, scale=None):
        return self.parts(sample) * (1 if scale is None else scale)


class TestModelCompile(TorchCompileTesterMixin):
    different_shapes_for_compilation = ((4, 4), (8, 4))

    def get_model(self):
        return Model()

    def get_dummy_input(self, height=16, width=4):
        return {"sample": torch.randn(height, width), "scale": torch.ones(height, 1)}

    def get_repeated_block_input(self):
        return {"input": torch.randn(2, 4)}
"""


@pytest.mark.parametrize("name", PASSED)
def test_an_example(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    forks_with_torch: Forks,
    forks_with_models: Forks,
) -> None:
    chosen: tuple[str, ...] = ()
    if name == "models":
        pytest.importorskip("transformers")
        # The other architecture shows the same, and takes as long.
        chosen = (
            "-k",
            "llama",
        )
    folder = tmp_path / name
    shutil.copytree(
        EXAMPLES / name, folder, ignore=shutil.ignore_patterns("__pycache__", ".*cache")
    )
    monkeypatch.chdir(folder)
    forks = forks_with_models if name == "models" else forks_with_torch
    forks.run_pytest(folder, "--compile-golden", "-n0", *chosen).assert_outcomes(
        passed=PASSED[name]
    )


def test_a_copied_mixin_says_why_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> None:
    for name in ("compile_tests.py", "conftest.py", "pyproject.toml"):
        shutil.copy(EXAMPLES / "diffusion" / name, tmp_path)
    (tmp_path / "test_model.py").write_text(MODEL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = forks_with_torch.run_pytest(tmp_path, "--compile-golden", "-n0")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*assert 1 (there are: forward:*size mismatch at index 0. expected 4, actual 8) == 0"
        ]
    )


def test_every_example_is_run_and_explained() -> None:
    there = {
        folder.name
        for folder in EXAMPLES.iterdir()
        if (folder / "pyproject.toml").exists()
    }
    assert there == {*PASSED}
    # Hidden folders are caches of tools, such as the one that ruff makes beside its settings.
    for readme in [
        path / "README.md" for path in EXAMPLES.glob("[!.]*") if path.is_dir()
    ]:
        assert len(readme.read_text(encoding="utf-8").splitlines()) < 60, readme
