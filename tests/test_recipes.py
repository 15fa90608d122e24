"""The recipes in CONTRIBUTING.md, followed in a copy of the repository: what they list is all it takes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_compile_golden.report import json_report
from tests.forked import Forks

ROOT = Path(__file__).parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_ROWS = re.compile(r"^ *\| (`[^|]+) \|", re.M)


def listed_paths(recipe: str) -> list[str]:
    """The paths that a recipe's table lists."""
    section = CONTRIBUTING.partition(f"\n## {recipe}\n")[2].partition("\n## ")[0]
    return [
        listed_path
        for row in _ROWS.findall(section)
        for listed_path in re.findall(r"`([^`]+)`", row)
    ]


def test_every_listed_path_exists() -> None:
    for recipe in ("A case", "A stage", "A target", "A new torch version"):
        assert listed_paths(recipe), recipe
        for listed_path in listed_paths(recipe):
            name = listed_path.replace("TRITON_<version>", "Makefile")
            assert (ROOT / name).exists() or re.fullmatch(r"[A-Z_]+", name), (
                f"{recipe}: {listed_path}"
            )


PROBE = '''
"""Counts what the example of a recipe is about."""

from pytest_compile_golden.facts.graphs import Lowered
from pytest_compile_golden.torch_internals import recipe as names


class LoweredProbe:
    def install(self, hooks, recorder):
        def lowers(lowering, target, args, kwargs):
            recorder.add("lowered_calls", Lowered(str(target)))

        hooks.before(names.CALL, lowers)
'''

NAMES = '''
"""What the example of a recipe is about."""

from pytest_compile_golden.torch_internals.private_name import Name

CALL = Name("torch._inductor.graph:GraphLowering.call_function", "what is lowered", stages=("lowered_calls",))
'''

FORMAT = '''
"""Operators, one a line."""

from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format


class LoweredFormat(Format):
    def render(self, record, stage):
        return Artifact(stage, self.write(each.operator for each in record.get(stage)))


LOWERED = LoweredFormat()
'''

CASE = """
import torch


def test_recipe(compile_stages, lowered_calls, golden):
    captured = compile_stages(torch.sin, torch.randn(8))
    assert captured.target == "cuda-recipe" and captured["cost"] is not None
    assert str(lowered_calls(torch.sin, torch.randn(8))) == "aten.sin.default\\n"
    assert captured == golden
"""


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new), encoding="utf-8")


def _append(path: Path, text: str) -> None:
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(before + text, encoding="utf-8")


def _probe(folder: Path) -> None:
    (folder / "lowered.py").write_text(PROBE, encoding="utf-8")
    _replace(
        folder / "__init__.py",
        "BUILT_IN: tuple[BuiltIn, ...] = (\n",
        'BUILT_IN: tuple[BuiltIn, ...] = (\n    BuiltIn("lowered:LoweredProbe", ("lowered_calls",)),\n',
    )


def _format(folder: Path) -> None:
    (folder / "lowered.py").write_text(FORMAT, encoding="utf-8")
    _replace(
        folder / "__init__.py",
        "_BUILT_IN = {\n",
        '_BUILT_IN = {\n    "lowered": "lowered:LOWERED",\n',
    )


def _list_stage(page: Path) -> None:
    _replace(
        page,
        "| `lowered_ir`, `scheduler_nodes` |",
        "| `lowered_calls`, `lowered_ir`, `scheduler_nodes` |",
    )


STAGE: dict[str, Callable[[Path], None]] = {
    "pytest_compile_golden/facts/": lambda folder: _append(
        folder / "graphs.py",
        "\n\n@dataclass(frozen=True)\nclass Lowered:\n    operator: str\n",
    ),
    "pytest_compile_golden/observe/probes/": _probe,
    "pytest_compile_golden/torch_internals/": lambda folder: _append(
        folder / "recipe.py", NAMES
    ),
    "pytest_compile_golden/formats/": _format,
    "pytest_compile_golden/stages.py": lambda path: _replace(
        path,
        '    _inductor("lowered_ir",',
        '    Stage("lowered_calls", "what is lowered", "lowered"),\n    _inductor("lowered_ir",',
    ),
    "docs/stages.md": _list_stage,
}
TARGET: dict[str, Callable[[Path], None]] = {
    "pytest_compile_golden/targets/devices.py": lambda path: _replace(
        path,
        "GPUS: Mapping[str, Gpu] = {\n",
        "GPUS: Mapping[str, Gpu] = {\n"
        '    "cuda-recipe": Gpu(A100_SXM_80GB, Rates({"f32": 1}, {"f32": 1}, 1, 1, source="none"), "none"),\n',
    ),
    "docs/targets.md": lambda path: _replace(
        path, "`cuda-sm80` (A100),", "`cuda-recipe`, `cuda-sm80` (A100),"
    ),
}


LISTED = "import runpy\nrunpy.run_path('tests/test_docs.py')['test_every_stage_and_target_is_listed']()\n"


def test_declarations_in_the_listed_files_take_effect_everywhere(
    tmp_path: Path,
    project: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    forks_with_bare_torch: Forks,
) -> None:
    assert (listed_paths("A stage"), listed_paths("A target")) == ([*STAGE], [*TARGET])
    assert listed_paths("A case") == ["cases/", "goldens/", "cases/README.md"]
    root = tmp_path / "copy"
    shutil.copytree(ROOT / "pytest_compile_golden", root / "pytest_compile_golden")
    (root / "tests").mkdir()
    shutil.copy(ROOT / "README.md", root / "README.md")
    shutil.copytree(ROOT / "docs", root / "docs")
    shutil.copy(ROOT / "tests" / "test_docs.py", root / "tests" / "test_docs.py")
    for listed_path, edit in (*STAGE.items(), *TARGET.items()):
        edit(root / listed_path)
    case_file = root / "cases" / "test_recipe.py"
    case_file.parent.mkdir()
    case_file.write_text(CASE, encoding="utf-8")
    (root / "pytest.ini").write_text(
        "[pytest]\naddopts = -p no:cacheprovider\n", encoding="utf-8"
    )
    (root / "listed.py").write_text(LISTED, encoding="utf-8")
    monkeypatch.chdir(root)
    monkeypatch.setenv("PYTHONPATH", str(root))

    options = (
        "--compile-golden-target=cuda-recipe",
        "--compile-golden-stages=+lowered_calls,+cost",
    )
    report = root / "report.json"
    arguments = (
        "--compile-golden",
        *options,
        "--snapshot-update",
        f"--compile-golden-report={report}",
    )
    forks_with_bare_torch.run_pytest(tmp_path, "cases", *arguments).assert_outcomes(
        passed=1
    )
    goldens = root / "goldens" / "cases" / "test_recipe" / "test_recipe" / "cuda-recipe"
    assert "aten.sin.default" in (goldens / "lowered_calls.txt").read_text(
        encoding="utf-8"
    )
    (case,) = json_report.read(report).cases
    names = [stage.stage for stage in case.stages]
    assert case.target == "cuda-recipe" and names.index("lowered_calls") < names.index(
        "scheduler_nodes"
    )
    listed = forks_with_bare_torch.run_script(tmp_path, root / "listed.py")
    assert listed.ret == 0, listed.stderr.str()
    found = forks_with_bare_torch.run_command(tmp_path, "doctor").stdout.str()
    assert "lowered_calls  what is lowered" in found and "cuda-recipe" in found
