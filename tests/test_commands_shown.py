"""Each command that the README and the pages of docs/ show is run in a small project, or listed with what runs it."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.forked import Forks, skip_without
from tests.test_docs import PAGES, ROOT

CASE = """
import torch

def {}(compile_stages, golden):
    assert compile_stages({}) == golden
"""
PROJECT = {
    "pytest.ini": "[pytest]\ncompile_golden_target = cuda-sm90\n",
    "cases/test_softmax.py": CASE.format(
        "test_softmax", "torch.softmax, torch.randn(128, 1024), -1"
    ),
    "cases/test_models.py": CASE.format(
        "test_gpt_block", "lambda x: (x * 1 + 1).relu(), torch.randn(64)"
    )
    + CASE.format(
        "test_gpt_block_training",
        "torch.nn.Linear(8, 8), torch.randn(4, 8), train=True",
    ),
    "model.py": "import torch\n\ndef block():\n    return lambda x: (x * 1).relu().sum(0), torch.randn(64, 64)\n",
    "package/module.py": "import torch\n\n@torch.compile\ndef name(x):\n    return torch.softmax(x, -1)\n",
    "mine.py": "import torch\n\ndef programs():\n    yield 'relu', lambda: (torch.relu, (torch.randn(64),))\n",
    "KernelBench/KernelBench/level1/1_relu.py": (
        "import torch\n\nclass Model(torch.nn.ReLU):\n    pass\n\n"
        "def get_inputs():\n    return [torch.randn(64)]\n\ndef get_init_inputs():\n    return []\n"
    ),
    "issue.py": "import torch\n\nprint(torch.compile(torch.sin, backend='eager')(torch.ones(4)))\n",
}
"""The files that the commands name, as small as they can be."""

ELSEWHERE = {
    r"(python -m )?pip install|git worktree|make ": "sets a machine up",
    r"compile-golden (bisect|diff|env|matrix) .*\b2\.1\d\.\d|compile-golden bisect CASE|compile-golden env list": (
        "other versions of torch: tests/test_versions.py, tests/test_bisect.py"
    ),
    r"compile-golden prove |\(cd \.\./before ": "another version of torch: tests/test_prove.py",
    r"compile-golden packages ": "other versions of torch: tests/test_packages.py",
    r"compile-golden diff --triton ": "other versions of Triton: tests/test_versions.py",
    r"compile-golden crater .*--torch": "other versions of torch: tests/test_crater.py",
    r"compile-golden triage .*--torch": "other versions of torch: tests/test_triage.py",
    r"compile-golden (reduce|case) ": "other versions of torch, and minutes: tests/test_reduce.py",
    r"compile-golden (bisect --numerics|fuzz) ": "minutes: tests/test_wrong_settings.py",
    r"compile-golden patterns": "minutes: tests/test_patterns.py",
    r"(pytest|PYTEST_ADDOPTS=|compile-golden run).*--(virtual-)?gpu ": "a GPU in memory: tests/test_virtual_gpu.py",
    r"compile-golden review": "a terminal: tests/test_review.py",
    r"pytest .*--compile-golden-target=rocm": "a process for AMD's cards alone: tests/test_targets_rocm.py",
    r"compile-golden fidelity": "every case on a real device: tests/test_fidelity.py",
    r"compile-golden doctor --try": "a process for each target: tests/test_canary.py",
    r"compile-golden doctor --sources": "a wheel of another torch version: tests/test_reading_ahead.py",
    r"compile-golden warm|pytest --compile-golden-watch": "a process that stays: tests/test_warm.py",
    r"pytest .*--compile-golden-(executed|changed-only)": "processes that import torch anew, to note what "
    "they execute: tests/test_executed_functions.py",
    r"TORCH_TRACE=|compile-golden diff --trace": "processes that import torch anew: tests/test_torch_trace.py",
    r"compile-golden init (llama|model\.pt2)": "transformers, or an exported program: tests/test_init.py",
    r".*_COMPILE_GOLDEN_COMPLETE": "a shell that completes: tests/test_completing.py",
    r"python -m benchmarks\.wheels": "a CUDA wheel",
    r"jq ": "another program",
}
"""Commands that this project cannot show, with what they would take and the tests that run them."""

MAX_AUTOTUNE = "--compile-golden-config max_autotune=True --compile-golden-config dynamo.specialize_float=True"
ENDS_WITH = {
    ("README.md", "pytest --compile-golden"): 1,  # "fails: there is no golden yet"
    ("review.md", "pytest --compile-golden"): 1,
    (
        "suites.md",
        "pytest --compile-golden-suite tests/",
    ): 1,  # "there are no goldens yet"
    ("review.md", "compile-golden diff"): 1,  # "exits with 1 if anything is pending"
    (
        "versions.md",
        f"pytest --compile-golden {MAX_AUTOTUNE}",
    ): 1,  # a Linear has choices then
}
"""The exit status of those that do not end with 0."""

Run = Callable[[str], pytest.RunResult]


def shown(page: Path) -> Iterator[str]:
    """The commands in a page's blocks, in order."""
    for language, block in re.findall(
        r"```(\w*)\n(.*?)```", page.read_text(encoding="utf-8"), re.S
    ):
        for line in block.replace("\\\n", " ").splitlines():
            command = line.removeprefix("$ ")
            if command != line or (language == "sh" and line):
                yield " ".join(re.sub(r"\s#.*", "", command).split())


def elsewhere(command: str) -> bool:
    return any(re.match(expression, command) for expression in ELSEWHERE)


RUN_HERE = {
    page.name: commands
    for page in PAGES
    if "examples" not in page.parts
    and (commands := [each for each in shown(page) if not elsewhere(each)])
}
"""By page. Those of the examples are run by tests/test_examples.py and tests/test_unittest.py."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, forks_with_torch: Forks) -> Path:
    """The project with its goldens, for each page to copy."""
    folder = tmp_path_factory.mktemp("shown") / "project"
    for name, text in PROJECT.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    run_in(
        folder,
        forks_with_torch,
        "pytest --compile-golden --snapshot-update -n0 -p no:cacheprovider",
    )
    assert (folder / "goldens").is_dir()
    return folder


def run_in(folder: Path, forks: Forks, command: str) -> pytest.RunResult:
    """Run `pytest ...`, in this process, or `compile-golden ...` in a folder, as a shell would."""
    program, *words = shlex.split(command)
    arguments = [
        str(path)
        for word in words
        for path in (sorted(folder.glob(word)) if "*." in word else [word])
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("CI", "PYTEST_XDIST_WORKER"):
            patch.delenv(name, raising=False)
        if program == "pytest":
            return forks.run_pytest(
                folder.parent, *arguments, "-n0", "-p", "no:hypothesispytest"
            )
        assert program == "compile-golden", command
        # What `init` writes is run in a process of its own; `triage` has one that imports torch anew.
        python = forks.python if arguments[0] == "init" else None
        return forks.run_command(folder.parent, *arguments, python=python)


@pytest.mark.parametrize("page", RUN_HERE)
def test_the_commands_of_a_page(
    page: str, recorded: Path, tmp_path: Path, forks_with_torch: Forks
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(recorded, folder)

    def run(command: str) -> pytest.RunResult:
        return run_in(folder, forks_with_torch, command)

    prepare(page, folder, run)
    for command in RUN_HERE[page]:
        if "goldens@" in command:  # of several versions: a few of this repository's own
            skip_without("pygal")
            released(folder / "goldens")
        result = run(command)
        assert result.ret == ENDS_WITH.get((page, command), 0), command
        assert "Traceback" not in result.stderr.str(), command


def prepare(page: str, folder: Path, run: Run) -> None:
    """What a page's commands find, besides goldens that are as they should be."""
    softmax = folder / "cases" / "test_softmax.py"
    if page == "README.md":
        shutil.rmtree(folder / "goldens")
    if page == "suites.md":
        theirs = folder / "tests" / "test_theirs.py"
        theirs.parent.mkdir()
        theirs.write_text(
            "import torch\n\ndef test_theirs():\n    torch.compile(torch.sin)(torch.ones(4))\n",
            encoding="utf-8",
        )
    if page == "review.md":
        for path in (softmax, folder / "cases" / "test_models.py"):
            path.write_text(
                path.read_text()
                .replace("64", "96")
                .replace("8", "16")
                .replace("1024", "4096"),
                encoding="utf-8",
            )
    if page == "nightly.md":
        for night in ("2026-11-26", "2026-11-27"):
            run(f"pytest --compile-golden --compile-golden-record {night}")
    if page == "report.md":
        for shard in (1, 2):
            run(
                f"pytest --compile-golden --compile-golden-report=shard-{shard}.json -k {('gpt', 'softmax')[shard - 1]}"
            )
        run(
            "pytest --compile-golden --compile-golden-record=recorded/2.16.0.dev20260901"
        )


def released(goldens: Path) -> None:
    shutil.rmtree(goldens)
    shutil.copytree(
        ROOT / "goldens" / "cases" / "test_settings_code",
        goldens / "cases" / "test_settings_code",
    )


def test_the_readmes_commands_in_a_project_made_by_init(
    tmp_path: Path, forks_with_torch: Forks
) -> None:
    """In a package, `init` puts goldens where setuptools does not take them for one."""
    skip_without("pygal")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "blocks"\nversion = "1"\n', encoding="utf-8"
    )
    (folder / "blocks.py").write_text(
        "import torch\n\ndef scaled(x):\n    return x * 2\n", encoding="utf-8"
    )
    made = run_in(
        folder,
        forks_with_torch,
        "compile-golden init blocks:scaled --input 'f32[64]' --no-record",
    )
    assert made.ret == 0, made.stderr.str()
    for command in RUN_HERE["README.md"]:
        if "goldens@" in command:
            released(folder / "tests" / "compile" / "goldens")
        result = run_in(folder, forks_with_torch, command)
        assert result.ret == ENDS_WITH.get(("README.md", command), 0), command


def test_what_is_run_elsewhere_is_shown_and_tested() -> None:
    commands = [command for page in PAGES for command in shown(page)]
    for expression, why in ELSEWHERE.items():
        assert any(re.match(expression, command) for command in commands), expression
        for path in re.findall(r"tests/\w+\.py", why):
            assert (ROOT / path).exists(), path
    here = {(page, command) for page, each in RUN_HERE.items() for command in each}
    assert {*ENDS_WITH} <= here
