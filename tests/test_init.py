"""`compile-golden init`: a first case, which passes, in a repository that has none, and what goes with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from packaging.version import Version
from torch._subclasses.fake_tensor import FakeTensorMode

from pytest_compile_golden.features.starter import init_command
from pytest_compile_golden.features.starter.transformers_model import of_transformers
from tests.forked import Forks, RunInProject

ROOT = Path(__file__).parents[1]

KEY = "compile_golden_requirements"

_BOTH = ["input_ids", "pixel_values"]

Init = Callable[..., pytest.RunResult]


@pytest.fixture
def compiling(project: pytest.Pytester, forks_with_models: Forks) -> RunInProject:
    return partial(forks_with_models.run_pytest, project.path, "--compile-golden")


@pytest.fixture
def init(project: pytest.Pytester, forks_with_models: Forks) -> Init:
    """Runs `compile-golden init ARGUMENTS` in an empty repository."""
    (project.path / "tox.ini").unlink()

    def run(*arguments: str) -> pytest.RunResult:
        return forks_with_models.run_command(
            project.path, "init", *arguments, python=forks_with_models.python
        )

    return run


def _case(project: pytest.Pytester) -> str:
    (path,) = project.path.glob("tests/compile/test_*.py")
    return path.read_text(encoding="utf-8")


def test_a_transformers_model(
    init: Init, compiling: RunInProject, project: pytest.Pytester
) -> None:
    assert init("vit").ret == 0
    written = _case(project)
    assert "from transformers import ViTConfig, ViTModel" in written
    assert "torch.randn(1, 3, 224, 224)" in written
    assert "assert captured.metrics.graph_breaks == 0" in written
    assert "* layers" in written  # kernels, as a function of the depth
    assert list(project.path.glob("goldens/**/metrics.toml"))
    compiling("-p", "no:cacheprovider").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("name", "made", "called_with"),
    [
        (
            "pegasus",
            "PegasusConfig(num_hidden_layers=layers, decoder_layers=layers)",
            ["input_ids", "decoder_input_ids"],
        ),
        (
            "swin",
            "SwinModel(SwinConfig())",
            ["pixel_values"],
        ),  # has stages: num_hidden_layers means something else
        (
            "clip",
            'text_config={"num_hidden_layers": layers}, vision_config={"num_hidden_layers": layers}',
            _BOTH,
        ),
        (
            "llava",
            'text_config={"num_hidden_layers": layers}, vision_config={"num_hidden_layers": layers}',
            _BOTH[:1],
        ),
        ("funnel", "FunnelModel(FunnelConfig())", ["input_ids"]),  # rejects the setting
        (
            "superpoint",
            "SuperPointForKeypointDetection(SuperPointConfig())",
            ["pixel_values"],
        ),  # has no base model
        (
            "blip-2",
            'text_config={"num_hidden_layers": layers}',
            _BOTH[::-1],
        ),  # both are required
        (
            "idefics3_vision",
            "Idefics3VisionTransformer(",
            ["pixel_values"],
        ),  # its main_input_name is inherited, and wrong
    ],
)
def test_the_depth_of_each_stack_and_the_inputs_that_it_needs(
    name: str, made: str, called_with: list[str]
) -> None:
    program = of_transformers(name)
    assert made in program.make
    assert re.findall(r'"(\w+)": torch', program.kwargs) == called_with


def test_unlimited_positions() -> None:
    assert "(1, 128)" in of_transformers("xlnet").kwargs  # its configuration says -1


def test_parameters_that_ignore_the_default_device_are_moved_to_it() -> None:
    assert of_transformers("xlnet").make.endswith(
        "(num_hidden_layers=layers)).to(torch.get_default_device()).eval()"
    )


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("mimi", '"input_values": torch.randn(1, 1, 16000)'),
        ("patchtst", '"past_values": torch.randn(1, 32, 1)'),
        ("perceiver", '"inputs": torch.randn(1, 128, 768)'),
    ],
)
def test_inputs_as_the_configuration_describes_them(name: str, inputs: str) -> None:
    program = of_transformers(name)
    assert inputs in program.kwargs
    namespace: dict[str, Any] = {"layers": 1}
    exec("\n".join(["import torch", *program.imports]), namespace)
    # Without values, which take no part in whether a model takes an input.
    with FakeTensorMode(), torch.no_grad():
        eval(program.make, namespace)(**eval(program.kwargs, namespace))


def test_a_function_of_ones_own(
    init: Init, compiling: RunInProject, project: pytest.Pytester
) -> None:
    project.makepyfile(
        blocks="import torch\n\ndef scaled(x, by):\n    return torch.softmax(x * by, -1)\n"
    )
    result = init("blocks:scaled", "--input", "bf16[8,128]", "--input", "f32[]")
    assert result.ret == 0
    inputs = "torch.randn(8, 128, dtype=torch.bfloat16), torch.randn(())"
    assert f"captured = compile_stages(scaled, {inputs})" in _case(project)
    assert "assert captured.metrics.kernels == 1" in _case(project)
    compiling("-p", "no:cacheprovider").assert_outcomes(passed=1)
    # As its last line says, in a process that does not search the folder it is started in for modules.
    script = Path(sys.executable).parent / "pytest"
    subprocess.run(
        [script, "--compile-golden", "--collect-only", "-q"],
        cwd=project.path,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


FOLDER = {
    "package/__init__.py": "",
    "package/layers.py": """
import torch

@torch.compile
def projected(x, w):
    return torch.nn.functional.gelu(x @ w)

class Block(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1) + 1

block = torch.compile(Block())

@torch.compile
def scaled(x, settings):
    return x * settings.scale

def prepared(model):
    model.compile()
""",
    "tests/test_layers.py": """
import pytest
import torch

def test_prints():
    @torch.compile
    def f(x):
        print(x.shape)
        return x + 1

    assert f(torch.ones(3)).tolist() == [2, 2, 2]

def test_gpu():
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    torch.compile(torch.sin)(torch.randn(4, device="cuda"))

@pytest.mark.parametrize("size", [1])
def test_sizes(size):
    torch.compile(torch.sin)(torch.randn(size))
""",
    "package/on_a_gpu.py": """
import torch

TABLE = torch.ones(4, device="cuda")

@torch.compile
def scaled(x):
    return x * TABLE
""",
    "tests/test_other.py": "import re\nimport torch\n\nPATTERN = re.compile('x')\n",
}


def test_a_folder(
    init: Init, compiling: RunInProject, project: pytest.Pytester
) -> None:
    """What is compiled in it is listed, and has tests with invariants alone as far as it can be called."""
    for name, text in FOLDER.items():
        path = project.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (project.path / "pytest.ini").write_text(
        "[pytest]\npythonpath = elsewhere\n", encoding="utf-8"
    )
    result = init(".")
    assert result.ret == 0, result.stderr.str()
    shown = result.stdout.str()
    assert "8 calls of torch.compile in .:" in shown and "re.compile" not in shown
    assert (
        "  package/layers.py:4: @torch.compile\n    test_package_layers_projected\n"
        in shown
    )
    assert re.search(
        r"layers.py:14: @torch.compile\n    no test: AttributeError: .*'scale'", shown
    )
    assert (
        "  package/layers.py:19: model.compile()\n    no test: it is neither" in shown
    )
    assert (
        "on_a_gpu.py:6: @torch.compile\n    no test: package.on_a_gpu wants a GPU when it is imported"
        in shown
    )
    written = _case(project)
    assert (
        "compile_stages(package.layers.projected, torch.randn(64, 64), torch.randn(64, 64))"
        in written
    )
    assert "compile_stages(package.layers.Block(), torch.randn(8, 64))" in written
    assert (
        "    captured = compile_stages(test_layers.test_prints, backend=None)\n"
        in written
    )
    assert "    assert captured.metrics.graph_breaks == 1\n" in written
    assert '(target="cuda-sm90")\ndef test_layers_test_gpu(' in written
    assert "golden" not in written.replace("compile_golden", "").replace(
        "no goldens", ""
    )
    compiling("-p", "no:cacheprovider", "tests/compile").assert_outcomes(passed=4)
    assert init(".").ret == 1  # it is not written over


def test_a_folder_in_which_nothing_is_compiled(
    init: Init, project: pytest.Pytester
) -> None:
    project.makepyfile(other="import torch\n")
    result = init(".")
    assert result.ret == 1 and "nothing is compiled in ." in result.stderr.str()


def test_inputs_that_are_scalars(init: Init, project: pytest.Pytester) -> None:
    """Of Python, and tensors that stay on the CPU: on a GPU, a kernel takes them as arguments."""
    project.makepyfile(
        blocks="def scaled(x, by, offset, more):\n    return x * by + offset if more else x\n"
    )
    result = init(
        "blocks:scaled",
        *(f"--input={given}" for given in ("f32[64]", "f32[]cpu", "-0.5", "True")),
    )
    assert result.ret == 0, result.stderr.str()
    inputs = 'torch.randn(64), torch.randn((), device="cpu"), -0.5, True'
    assert f"captured = compile_stages(scaled, {inputs})" in _case(project)
    (code,) = project.path.glob("goldens/**/cuda-sm90/triton_code.py")
    assert "*fp32" in code.read_text() and re.search(
        r"'in_ptr1': 'fp32'|'ks0'|: 'fp32'", code.read_text()
    )


def test_goldens_are_not_a_package_of_the_repository(
    init: Init, project: pytest.Pytester
) -> None:
    """In a package whose modules setuptools discovers, for which it looks in all but a few folders of the root."""
    project.makepyfile(blocks="import torch\n\ndef scaled(x):\n    return x * 2\n")
    project.makepyprojecttoml('[project]\nname = "blocks"\nversion = "1"\n')
    assert init("blocks:scaled", "--input", "f32[64]").ret == 0
    assert (
        list(project.path.glob("tests/compile/goldens/**/metrics.toml"))
        and not (project.path / "goldens").exists()
    )
    assert (
        'compile_golden_requirements = ["--editable", "."]'
        in (project.path / "pyproject.toml").read_text()
    )


def test_an_exported_program(
    init: Init, compiling: RunInProject, project: pytest.Pytester
) -> None:
    exported = torch.export.export(torch.nn.Linear(8, 4), (torch.randn(2, 8),))
    torch.export.save(exported, project.path / "head.pt2")
    assert init("head.pt2").ret == 0
    assert _case(project).split("\n")[2:4] == ["from pathlib import Path", ""]
    assert 'torch.export.load(Path(__file__).parents[2] / "head.pt2")' in _case(project)
    assert (project.path / "pytest.ini").read_text(encoding="utf-8") == "[pytest]\n"
    compiling("-p", "no:cacheprovider").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["nemotron"],
            "*NemotronModel cannot be created from the defaults of NemotronConfig: TypeError: *MODULE:FUNCTION*",
        ),
        (
            ["rwkv"],
            "*RwkvModel(RwkvConfig(num_hidden_layers=layers)).eval() with layers=1 failed: ZeroDivisionError: *",
        ),
        (
            ["qwen2_5_omni"],
            "*several models for qwen2_5_omni. Name one of them: *Qwen2_5OmniForConditionalGeneration*",
        ),
        (
            ["gemma4_assistant"],
            "*Gemma4AssistantConfig() failed: *validat*Give a function *",
        ),
        (
            ["oneformer"],
            "*OneFormerModel requires task_inputs, whose shape is not known here. Give a function *",
        ),
        (["lama"], "*there is no transformers model 'lama'; did you mean 'llama'*"),
        (
            ["blocks:scale"],
            "*there is no function or class in blocks 'scale'; did you mean 'scaled'*",
        ),
        (["nowhere:f"], "*cannot import nowhere*MODULE:FUNCTION*"),
        (
            ["blocks:scaled"],
            "*blocks:scaled cannot be called like that: missing a required argument: 'x'*--input*",
        ),
        (
            ["blocks:scaled", "--input", "float[8]", "--input", "f32[]"],
            "*'float[[]8]' is not a tensor type*",
        ),
        (["missing.pt2"], "*torch.export.load('missing.pt2') failed*"),
    ],
)
def test_it_names_what_it_cannot_make(
    arguments: list[str], message: str, init: Init, project: pytest.Pytester
) -> None:
    project.makepyfile(blocks="def scaled(x, by):\n    return x * by\n")
    result = init(*arguments)
    assert result.ret != 0
    result.stderr.fnmatch_lines([message])
    assert (
        not (project.path / "tests").exists()
        and not (project.path / ".github").exists()
    )


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("pytest.ini", None, "[pytest]\nKEY = --editable .\n"),
        (
            "pytest.ini",
            "[pytest]\naddopts = -ra\n",
            "[pytest]\nKEY = --editable .\naddopts = -ra\n",
        ),
        (
            "setup.cfg",
            "[tool:pytest]\naddopts = -ra",
            "[tool:pytest]\nKEY = --editable .\naddopts = -ra",
        ),
        (
            "pyproject.toml",
            '[project]\nname = "x"\n',
            '[project]\nname = "x"\n\n[tool.pytest.ini_options]\nKEY = ["--editable", "."]\n',
        ),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = '-ra'\n",
            '[tool.pytest.ini_options]\nKEY = ["--editable", "."]\naddopts = \'-ra\'\n',
        ),
    ],
)
def test_settings_go_where_pytests_own_are(
    name: str, before: str | None, after: str, tmp_path: Path
) -> None:
    if before is not None:
        (tmp_path / name).write_text(before, encoding="utf-8")
    assert (
        init_command.write_settings(tmp_path, {KEY: ["--editable", "."]})
        == tmp_path / name
    )
    written = (tmp_path / name).read_text(encoding="utf-8")
    assert written == after.replace("KEY", KEY)
    # Existing settings stay.
    assert init_command.write_settings(tmp_path, {KEY: ["other"]}) is None
    assert (tmp_path / name).read_text(encoding="utf-8") == written


def test_a_corpus(
    init: Init, project: pytest.Pytester, forks_with_models: Forks
) -> None:
    project.makepyfile(
        corpus="import torch\n\ndef programs():\n    yield 'sin', lambda: (torch.sin, (torch.zeros(8),))\n"
    )
    result = init("--crater", "corpus:programs")
    assert result.ret == 0, result.stderr.str()
    assert '"kernels":1' in (project.path / "corpus.txt").read_text(encoding="utf-8")
    path = project.path / ".github/workflows/torch-compile-corpus.yml"
    assert result.stdout.lines[-3] == f"wrote {path.relative_to(project.path)}"
    # What it wrote, run as far as it goes without the packages that it installs.
    job = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert job["env"]["SOURCES"] == "corpus:programs" and not job["env"]["CORPUS"]
    [compare] = [
        each["run"]
        for each in job["jobs"]["corpus"]["steps"]
        if each.get("name") == "Compile and compare"
    ]
    starts = {
        "old/bin/python": "",
        "bin/python": "",
        "bin/compile-golden": "-m pytest_compile_golden",
    }
    for name, options in starts.items():
        start = project.path / name
        start.parent.mkdir(parents=True, exist_ok=True)
        start.write_text(
            f'#!/bin/sh\nexec {forks_with_models.python} {options} "$@"\n',
            encoding="utf-8",
        )
        start.chmod(0o755)
    environment = {
        **os.environ,
        **job["env"],
        "PYTHONPATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(project.path / "summary.md"),
        "PATH": f"{project.path / 'bin'}{os.pathsep}{os.environ['PATH']}",
    }
    subprocess.run(
        ["bash", "-e", "-c", compare], cwd=project.path, check=True, env=environment
    )
    assert ": 1 program: 1 captured" in (project.path / "summary.md").read_text(
        encoding="utf-8"
    )
    assert init("--crater", "corpus:program").ret != 0

    reviewed = project.path / "corpus.txt"
    reviewed.write_text("mine\n", encoding="utf-8")
    assert (
        init("--crater", "corpus:programs").ret == 0
        and reviewed.read_text(encoding="utf-8") == "mine\n"
    )


def test_the_weekly_job_is_the_same_as_this_repositorys_and_lints(
    tmp_path: Path,
) -> None:
    path = init_command.write_weekly_job(tmp_path, "corpus:programs")
    assert path is not None
    ours = yaml.safe_load(
        (ROOT / ".github/workflows/crater.yml").read_text(encoding="utf-8")
    )
    theirs = yaml.safe_load(path.read_text(encoding="utf-8"))
    changed = {
        name
        for name in [*ours["env"]]
        if ours["env"].pop(name) != theirs["env"].pop(name)
    }
    assert theirs == ours and {"CORPUS", "SOURCES", "INSTALL"} <= changed <= {
        "CORPUS",
        "SOURCES",
        "INSTALL",
        "OLD_TORCH",
    }
    subprocess.run(
        [Path(sys.executable).parent / "actionlint", path],
        check=True,
        env={**os.environ, "PATH": os.defpath},
    )
    assert init_command.write_weekly_job(tmp_path, "other") is None


def test_the_job_is_the_same_as_this_repositorys_and_lints(tmp_path: Path) -> None:
    path = init_command.write_job(tmp_path, ["--editable", ".", "transformers"])
    assert path is not None
    ours = yaml.safe_load(
        (ROOT / ".github/workflows/pull-request.yml").read_text(encoding="utf-8")
    )
    theirs = yaml.safe_load(path.read_text(encoding="utf-8"))
    torch_here = f"torch=={Version(torch.__version__).public}"
    assert (
        theirs["env"].pop("INSTALL")
        == f"pytest-compile-golden {torch_here} --editable . transformers"
    )
    assert ours["env"].pop("INSTALL")
    assert theirs == ours
    actionlint = Path(sys.executable).parent / "actionlint"
    subprocess.run(
        [actionlint, path], check=True, env={**os.environ, "PATH": os.defpath}
    )
    assert init_command.write_job(tmp_path, []) is None
