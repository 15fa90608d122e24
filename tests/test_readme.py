"""The README's examples work as shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from pytest_compile_golden import capture
from pytest_compile_golden.stages import stages
from pytest_compile_golden.targets import target_names
from pytest_compile_golden.targets.target import _targets
from tests.forked import RunInProject

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_cases_shown_run_and_are_accepted(project: pytest.Pytester, compiling: RunInProject) -> None:
    blocks = [block for block in re.findall(r"```python\n(.*?)```", README, re.S) if "def test_" in block]
    assert len(blocks) == 2
    project.makepyfile(test_shown="import torch\n" + "\n".join(blocks))
    result = compiling("--snapshot-update")
    result.assert_outcomes(passed=3)  # two targets, and only the GPU for the Triton code
    compiling().assert_outcomes(passed=3)


def test_capture_without_pytest_as_shown() -> None:
    block = next(block for block in re.findall(r"```python\n(.*?)```", README, re.S) if "capture(model" in block)
    shown: dict[str, object] = {}
    exec(f"import torch\nmodel = torch.nn.Linear(8, 8)\nx = torch.randn(4, 8)\n{block}", shown)


def test_a_custom_card_can_be_registered_as_shown() -> None:
    block = next(block for block in re.findall(r"```python\n(.*?)```", README, re.S) if "register_target(" in block)
    try:
        exec(block, {})
        assert "triton_code" in capture(torch.sin, torch.randn(64), target="cuda-workstation")
    finally:
        _targets.remove("cuda-workstation")


def test_every_stage_and_target_is_listed() -> None:
    table = README.partition("| stage | contents |")[2].partition("\n\n")[0]
    rows = [row.partition(" | ")[0] for row in table.splitlines() if row.startswith("| `")]
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == [stage.name for stage in stages()]
    for name in target_names():
        assert f"`{name}`" in README, name


def test_the_function_that_trace_takes_has_the_form_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_compile_golden.cli.program import compiled

    page = (Path(__file__).parents[1] / "docs" / "passes.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.S)
    monkeypatch.chdir(tmp_path)
    shown = Path("shown_in_docs.py")
    shown.write_text(f"import torch\n\n{block}", encoding="utf-8")
    (captured,) = compiled(f"{shown}::block", "cpu-avx2")
    assert "backward_graph" in captured
