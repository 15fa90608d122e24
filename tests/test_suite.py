"""An existing suite, which knows nothing of us: each test that compiles something is a case."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_compile_golden.environments.run_suite import Request
from pytest_compile_golden.formats import get_format
from pytest_compile_golden.formats.decisions import DecisionsFormat
from pytest_compile_golden.goldens import assertion
from pytest_compile_golden.messages.sentences import sentence
from tests.forked import Forks, RunInProject

SUITE = "--compile-golden-suite"
TESTS = """
import os
import unittest

import pytest
import torch

EDITED = "EDITED" in os.environ
model = torch.compile(lambda x: x.sin().sum() if EDITED else x.sin())

def fn(x):
    return x.exp() + 1

def test_one():
    assert torch.allclose(model(torch.ones(4)), model(torch.ones(4)))

def test_other():
    model(torch.ones(4))

def test_both_directions():
    def double(x):
        return x * 2

    first, second = torch.ones(3, requires_grad=True), torch.ones(4, requires_grad=True)
    results = torch.compile(fn)(first), torch.compile(double)(second)
    for result in reversed(results):  # what is compiled last belongs to what was compiled first
        result.sum().backward()
    assert first.grad.numel() == 3

def test_breaks():
    def broken(x):
        y = x.cos()
        print()
        return y.sin()

    compiled = torch.compile(broken)
    compiled(torch.ones(3))
    compiled(torch.ones(5))

class TestLayers(unittest.TestCase):
    def test_repeated(self):
        for _ in range(1 if EDITED else 3):
            torch.compiler.reset()
            torch.compile(fn)(torch.ones(2))
        if EDITED:
            torch.compile(torch.neg)(torch.ones(2))

def test_compiles_nothing():
    assert fn(torch.ones(1)) > 3

def test_may_compile():
    fn(torch.ones(1)) if EDITED else torch.compile(fn)(torch.ones(1))

def test_skips():
    pytest.skip("no card")

@pytest.mark.xfail
def test_known():
    torch.compile(fn)(torch.ones(2))
    assert False
"""
CASES = [
    "TestLayers.test_repeated",
    "test_both_directions",
    "test_breaks",
    "test_may_compile",
    "test_one",
    "test_other",
]


def _goldens(project: pytest.Pytester) -> dict[str, str]:
    """The body of each golden, by the names of its test, target and file."""
    folder = project.path / "goldens" / "test_theirs"
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_text().partition("\n\n")[2]
        for path in paths
    }


def _compiles(text: str) -> dict[str, dict[str, str]]:
    return {name: dict(texts) for name, texts in get_format("decisions").read(text)}


def test_each_test_that_compiles_something_has_one_golden(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(test_theirs=TESTS)
    new = compiling(SUITE)
    new.assert_outcomes(passed=1, failed=6, skipped=1, xfailed=1)
    new.stdout.fnmatch_lines(
        [
            "6 cases: *6 new.",
            "FAILED test_theirs.py::test_one - missing golden: decisions",
        ]
    )
    compiling(SUITE, "--snapshot-update").assert_outcomes(
        passed=7, skipped=1, xfailed=1
    )
    goldens = _goldens(project)
    assert list(goldens) == [f"{case}/native-cpu/decisions.txt" for case in CASES]
    # Whatever ran before, and whatever the process has compiled.
    assert (
        goldens["test_one/native-cpu/decisions.txt"]
        == goldens["test_other/native-cpu/decisions.txt"]
    )
    compiling(SUITE).assert_outcomes(passed=7, skipped=1, xfailed=1)
    compiling(SUITE, "-k", "test_other").assert_outcomes(passed=1, deselected=8)
    # Without the option, their goldens are nobody's business.
    compiling().assert_outcomes(passed=7, skipped=1, xfailed=1)

    both = _compiles(goldens["test_both_directions/native-cpu/decisions.txt"])
    assert list(both) == ["fn", "double"]
    assert all(
        "graph_0_backward:" in compile["scheduler_nodes"] for compile in both.values()
    )
    assert "aten.exp" in both["fn"]["scheduler_nodes"]
    assert "nodes_backward = " in both["double"]["metrics"]
    breaks = _compiles(goldens["test_breaks/native-cpu/decisions.txt"])
    resumed = "torch_dynamo_resume_in_broken"
    assert list(breaks) == ["broken", resumed, "broken.2", f"{resumed}.2"]
    assert "graph_breaks = 1\n" in breaks["broken"]["metrics"]
    assert "expected 3, actual 5" in breaks["broken.2"]["recompiles"]
    assert goldens["TestLayers.test_repeated/native-cpu/decisions.txt"].endswith(
        "compile fn.3: as fn\n"
    )


def test_what_is_decided_otherwise_fails_its_test_and_can_be_accepted(
    project: pytest.Pytester,
    compiling: RunInProject,
    forks: Forks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project.makepyfile(test_theirs=TESTS)
    compiling(SUITE, "--snapshot-update")
    monkeypatch.setenv("EDITED", "1")
    changed = compiling(SUITE, "--compile-golden-pending=pending")
    changed.assert_outcomes(passed=3, failed=4, skipped=1, xfailed=1)
    said = changed.stdout.str()
    assert (
        "first divergence  scheduler_nodes: operations of other kinds: pointwise -> reduction sum (and 1 more)"
        in said
    )
    assert "first divergence  the test no longer compiles anything" in said
    assert (
        "first divergence  no longer compiled: fn.2\n  then              no longer compiled: fn.3"
        in said
    )
    assert (
        'accept            pytest --compile-golden-suite "test_theirs.py::test_one" --snapshot-update'
        in said
    )
    changed.stdout.fnmatch_lines(
        ["6 cases: 2 unchanged, 4 changed (3 distinct changes)*"]
    )
    pending = ("--pending", "pending")
    shown = forks.run_command(project.path, "show", *pending)
    shown.stdout.fnmatch_lines(
        [
            "  graph has 1 more call: aten.sum",
            "  in 2 cases:",
            "    test_theirs.py::test_one",
        ]
    )
    assert forks.run_command(project.path, "accept", *pending).ret == 0
    compiling(SUITE).assert_outcomes(passed=7, skipped=1, xfailed=1)
    assert "test_may_compile/native-cpu/decisions.txt" not in _goldens(project)


def test_two_recordings_of_a_suite_are_compared(
    project: pytest.Pytester,
    compiling: RunInProject,
    forks: Forks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project.makepyfile(test_theirs=TESTS)
    compiling(SUITE, "--compile-golden-record=recorded/1")
    monkeypatch.setenv("EDITED", "1")
    compiling(SUITE, "--compile-golden-record=recorded/2")
    compared = forks.run_command(project.path, "diff", "recorded/1", "recorded/2")
    # A test that is expected to fail is recorded as far as it got; one that compiles nothing is not counted.
    compared.stdout.fnmatch_lines(
        [
            "7 cases: 3 unchanged, 4 changed (3 distinct changes)*",
            "1 case: no longer compiled: fn.2",
            "  compiled now: neg",
            "1 case: the test no longer compiles anything",
            "    test_theirs.py::test_may_compile",
            # Decisions do not say which kernel reads and writes how much.
            "2 cases: unexplained: no change of these cases is known to move this",
            "  2 cases  scheduler_nodes  operations of other kinds: pointwise -> reduction sum",
            "                            also: *",
        ]
    )


def test_nothing_is_changed_but_caches_that_a_test_does_not_switch_on(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(
        test_theirs="""
import torch
import torch._functorch.config
from torch._dynamo import convert_frame
from torch._dynamo.utils import counters
from torch._inductor import compile_fx, config
from torch._inductor.utils import fresh_inductor_cache

ORIGINAL = convert_frame._compile, compile_fx.fx_codegen_and_compile
COUNTED = {}

def compiled(times):
    torch.compiler.reset()
    torch.compile(lambda x: x.sin() * times)(torch.ones(4))

def test_with_caches():
    counters.clear()
    with fresh_inductor_cache(), config.patch(fx_graph_cache=True):
        compiled(2)
        assert counters["inductor"]["fxgraph_cache_miss"] == 1
        compiled(2)
        assert counters["inductor"]["fxgraph_cache_hit"] == 1
    COUNTED.update(counters["stats"])
    config.max_fusion_size = 1
    torch.backends.cudnn.benchmark = True
    torch.backends.disable_global_flags()  # as torch's own TestCase does

def test_as_it_was_left():
    assert counters["stats"] == COUNTED
    assert config.max_fusion_size != 1 and not torch.backends.cudnn.benchmark
    assert not config.fx_graph_cache and not torch._functorch.config.enable_autograd_cache
    compiled(3)

def teardown_function(function):
    assert (convert_frame._compile, compile_fx.fx_codegen_and_compile) == ORIGINAL
    assert config.fx_graph_cache and torch._functorch.config.enable_autograd_cache
"""
    )
    compiling(
        SUITE, "--snapshot-update", "-Werror::pytest_compile_golden.errors.CaseWarning"
    ).assert_outcomes(passed=2)
    cached = _compiles(_goldens(project)["test_with_caches/native-cpu/decisions.txt"])
    assert "scheduler_nodes" in cached["<lambda>"]


QUICK = """
import os
import pytest
import torch

def compiled(fn=lambda x: x + 1):
    torch.compile(fn, backend="eager")(torch.ones(2))

def test_stays():
    compiled()

def test_goes():
    compiled()

def test_is_skipped():
    if "SKIP" in os.environ:
        pytest.skip("no card today")
    compiled()
"""


def test_a_golden_is_removed_with_its_test_but_not_while_it_is_skipped(
    project: pytest.Pytester,
    compiling: RunInProject,
    forks_with_torch: Forks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project.makepyfile(test_theirs=QUICK)
    compiling(
        SUITE, "--snapshot-update", "-n2", python=forks_with_torch.python
    ).assert_outcomes(passed=3)
    assert len(_goldens(project)) == 3
    monkeypatch.setenv("SKIP", "1")
    project.makepyfile(
        test_theirs=QUICK.replace("def test_goes():\n    compiled()\n", "")
    )
    left = compiling(SUITE)
    assert left.ret == pytest.ExitCode.TESTS_FAILED
    left.stdout.fnmatch_lines(
        [
            "goldens of 1 case that no longer exist*",
            "  goldens/test_theirs/test_goes/native-cpu",
        ]
    )
    compiling(SUITE, "--snapshot-update").assert_outcomes(passed=1, skipped=1)
    assert list(_goldens(project)) == [
        f"{test}/native-cpu/decisions.txt" for test in ("test_is_skipped", "test_stays")
    ]


def test_a_case_may_have_decisions_as_its_only_golden(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(
        test_theirs="""
import os
import pytest
import torch

@pytest.mark.compile_golden(stages="decisions", target="cuda-sm90")
def test_case(compile_stages, golden):
    def fn(x, y):
        return x.softmax(-1) @ y if "EDITED" in os.environ else x.relu() @ y

    assert compile_stages(fn, torch.randn(8, 8), torch.randn(8, 8)) == golden
"""
    )
    compiling("--snapshot-update").assert_outcomes(passed=1)
    goldens = _goldens(project)
    assert list(goldens) == ["test_case/cuda-sm90/decisions.txt"]
    [(name, texts)] = _compiles(goldens["test_case/cuda-sm90/decisions.txt"]).items()
    assert name == "" and {"scheduler_nodes", "metrics"} <= texts.keys()
    compiling().assert_outcomes(passed=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITED", "1")
        changed = compiling()
    changed.assert_outcomes(failed=1)
    changed.stdout.fnmatch_lines(
        ["  first divergence  post_grad / pattern prepare_softmax_pattern: now runs *"]
    )


def test_a_compile_that_begins_in_another_function_is_compared() -> None:
    decisions = get_format("decisions")
    old = "compile inner:\n  metrics:\n    kernels = 2\ncompile fn:\n  metrics:\n    kernels = 1\n"
    new = old.replace("inner", "outer").replace("kernels = 2", "kernels = 3")
    found = [*decisions.edits_of(decisions.read(old), decisions.read(new))]
    assert [sentence(change) for change in found] == [
        "the compile that began in inner begins in outer",
        "kernels up",
    ]
    assert isinstance(decisions, DecisionsFormat)
    # What `matrix` shows of a suite's test.
    assert decisions.totals(new + "compile fn.2: as fn\n") == {"kernels": 5}
    one_more = decisions.read(new + "compile third:\n")
    found = [*decisions.edits_of(decisions.read(old), one_more)]
    assert {change.code for change in found} == {"compile-gone", "compile-added"}


def test_the_suite_of_another_project_runs_in_that_project(
    project: pytest.Pytester, forks_with_torch: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, here = project.mkdir("theirs"), project.mkdir("here")
    (theirs / "setup.cfg").write_text(
        "[tool:pytest]\naddopts = -p no:hypothesispytest\n", encoding="utf-8"
    )
    (theirs / "helpers.py").write_text(
        "def add(x):\n    return x + 1\n", encoding="utf-8"
    )
    (theirs / "conftest.py").write_text("", encoding="utf-8")
    (theirs / "test_theirs.py").write_text(
        f"from helpers import add\n{QUICK}", encoding="utf-8"
    )
    monkeypatch.chdir(here)
    python = str(forks_with_torch.python)
    arguments = (
        "diff",
        python,
        python,
        "--suite",
        str(theirs / "test_theirs.py"),
        "--case",
        "test_goes",
        "--no-sources",
    )
    unknown = forks_with_torch.run_command(
        project.path, *arguments, "--case", "test_made_up[0]"
    )
    assert unknown.ret == 2
    unknown.stderr.fnmatch_lines(
        ["*: running the suite", "Error: no case *matches 'test_made_up[[]0]'*"]
    )
    same = forks_with_torch.run_command(project.path, *arguments, "--keep", "kept")
    assert same.ret == 0
    same.stdout.fnmatch_lines(["1 case: 1 unchanged, 0 changed."])
    assert (
        here
        / "kept"
        / "1"
        / "test_theirs"
        / "test_goes"
        / "native-cpu"
        / "decisions.txt"
    ).is_file()


SKIPPED = """
import pytest
import torch

on_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="requires CUDA")

@on_gpu
def test_for_a_gpu():
    torch.compile(torch.sin)(torch.ones(2, device="cuda"))

@on_gpu
@pytest.mark.parametrize("n", [1, 2])
def test_for_a_gpu_too(n): ...

@pytest.mark.skip(reason="takes long")
def test_for_later(): ...
"""


def test_a_run_says_how_many_tests_are_skipped_for_lack_of_a_gpu(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(test_skipped=SKIPPED)
    result = compiling(SUITE)
    result.assert_outcomes(skipped=4)
    result.stdout.fnmatch_lines(
        [
            "skipped for a reason that names a GPU: 3. *--virtual-gpu h100 runs such tests*"
        ]
    )


LARGE = """
import os

import pytest
import torch


def layers(x, n):
    for _ in range(n):
        x = torch.sin(x) if "EDITED" in os.environ else torch.cos(x)
    return x

@pytest.mark.compile_golden(target="cpu-avx2")
@pytest.mark.parametrize("n", [3, 42])
def test_layers(compile_stages, golden, n):
    assert compile_stages(layers, torch.randn(8), n) == golden

@pytest.mark.compile_golden(target="cpu-avx2", stages="+post_grad_graph")
def test_whole(compile_stages, golden):
    assert compile_stages(layers, torch.randn(8), 42) == golden
"""


def test_of_a_large_capture_the_decisions_are_kept(
    project: pytest.Pytester, compiling: RunInProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages = Path(__file__).parents[1] / "docs/stages.md"
    assert f"more than {assertion.LARGE} nodes" in stages.read_text()
    project.makepyfile(test_mine=LARGE)
    # A graph of 400 takes ten times as long to compile.
    project.makeconftest(
        "from pytest_compile_golden.goldens import assertion\nassertion.LARGE = 40\n"
    )
    compiling("--snapshot-update").assert_outcomes(passed=3)
    folder = project.path / "goldens" / "test_mine"
    kept = {path.parts[-3]: path.parent for path in folder.glob("*/*/*.txt")}
    assert (kept["test_layers[3]"] / "post_grad_graph.py").exists()
    assert (kept["test_whole"] / "post_grad_graph.py").exists()
    assert {path.name for path in kept["test_layers[42]"].iterdir()} <= {
        "decisions.txt",
        "evidence.jsonl",
    }
    compiling().assert_outcomes(passed=3)
    monkeypatch.setenv("EDITED", "1")
    compiling().assert_outcomes(failed=3)
    # A case keeps the goldens that it has, whatever its size.
    shutil.rmtree(kept["test_layers[42]"])
    shutil.copytree(kept["test_whole"], kept["test_layers[42]"])
    monkeypatch.delenv("EDITED")
    compiling().assert_outcomes(passed=3)


def test_only_the_named_files_of_a_suite_are_run(tmp_path: Path) -> None:
    """Not all that the project has, whether or not cases are named."""
    for name in ("test_one.py", "test_other.py"):
        (tmp_path / name).touch()
    request = Request(tmp_path, suite=("test_one.py",))
    for cases, files in (
        ((), "test_one.py"),
        (("*relu*",), "test_one.py"),
        (("test_other.py::test_it",), "test_other.py"),
    ):
        command = replace(request, cases=cases).command(
            Path("python"), tmp_path / "recorded"
        )
        assert [argument for argument in command if argument.endswith(".py")] == [files]


DRAWN = """
import random, pytest, torch
@pytest.mark.parametrize("n", [random.random(), float(torch.rand(())), random.random()])
def test_it(n):
    pass
"""


def test_parameters_that_a_module_draws_are_the_same_in_each_run(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    project.makeconftest("import random, torch\nrandom.seed()\ntorch.seed()")
    project.makepyfile(test_one=DRAWN, test_two=DRAWN)

    def names() -> list[str]:
        result = forks_with_torch.run_pytest(
            project.path, "--compile-golden-suite", "--collect-only", "-q"
        )
        return [line for line in result.outlines if "::test_it[" in line]

    first = names()
    assert len(first) == 6 and names() == first
    one, two = (
        [name.split("[")[1] for name in half] for half in (first[:3], first[3:])
    )
    assert one == two
