"""Stage fixtures on real compiles: one compile per function, inputs and options; inside the target; error messages."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.forked import Forks, RunInProject

SUITE = """
import pytest
import torch

import pytest_compile_golden.api as api

captures = []
take = api.Capture.__init__


def counting(self, record, *args, **options):
    captures.append(self)
    take(self, record, *args, **options)


@pytest.fixture(autouse=True)
def count(monkeypatch):
    captures.clear()
    monkeypatch.setattr(api.Capture, "__init__", counting)


def f(x, y=None):
    return torch.relu(x) * 2


class Layer(torch.nn.Linear):
    def again(self, x):
        return torch.relu(self(x))


@pytest.mark.compile_golden(target="cpu-avx2")
def test_one_compile_for_the_same_thing(dynamo_graph, post_grad_graph, compile_stages, metrics):
    x = torch.randn(8, 8)
    assert post_grad_graph(f, x) is post_grad_graph(f, x)
    assert str(dynamo_graph(f, x)) == str(compile_stages(f, x)["dynamo_graph"])
    assert metrics(f, x, dynamic=True, config={"max_autotune": False}) is metrics(
        f, x, dynamic=True, config={"max_autotune": False}
    )
    assert len(captures) == 2
    layer = Layer(8, 8)
    assert post_grad_graph(layer.again, x) is post_grad_graph(layer.again, x)
    post_grad_graph(layer.again, torch.randn(8, 8))
    assert len(captures) == 4


@pytest.mark.compile_golden(target=["cuda-sm80", "cpu-avx2"], train=True, config={"epilogue_fusion": False})
def test_body_is_inside_the_target_and_marker_gives_options(compile_stages, compile_target, golden):
    assert torch.cuda.is_available() == (compile_target == "cuda-sm80")
    capture = compile_stages(f, torch.randn(8, 8))
    assert capture.target == compile_target
    assert "backward_graph" in capture.stages
    assert "backward_graph" not in compile_stages(f, torch.randn(8, 8), train=False).stages
    assert capture == golden


def test_default_targets_with_goldens(post_grad_graph, golden):
    assert post_grad_graph(f, torch.randn(8, 8)) == golden


@pytest.mark.compile_golden(target="cpu-avx2", config={"no_such_key": 1})
def test_unknown_config(post_grad_graph):
    post_grad_graph(f, torch.randn(8, 8))


@pytest.mark.compile_golden(target="cuda-sm90")
def test_data_dependent(post_grad_graph):
    post_grad_graph(lambda x: x * x.sum().item(), torch.randn(8, 8))


@pytest.mark.compile_golden(target="cpu-avx2")
def test_stage_that_is_not_there(joint_graph):
    joint_graph(f, torch.randn(8, 8))


@pytest.mark.compile_golden(target="cpu-avx2")
def test_target_given_twice(post_grad_graph):
    with pytest.raises(api.InvalidOption, match=r"argument 'options'.*options of torch.compile as config="):
        post_grad_graph(f, torch.randn(8, 8), options={"epilogue_fusion": False})
    post_grad_graph(f, torch.randn(8, 8), target="cuda-sm90")


class Tagged(torch.Tensor):
    pass


MADE_IN_THE_BODY = {
    "sparse": lambda: torch.eye(4).to_sparse(),
    "coo": lambda: torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 0]]), torch.ones(2), (4, 4)),
    "jagged": lambda: torch.nested.nested_tensor([torch.randn(2, 3), torch.randn(4, 3)], layout=torch.jagged),
    "nested": lambda: torch.nested.nested_tensor([torch.randn(2, 3), torch.randn(4, 3)]),
    "subclass": lambda: torch.eye(4).as_subclass(Tagged),
    "value": lambda: torch.randn(4).sum().item(),
}


@pytest.mark.compile_golden(target="cuda-sm90")
@pytest.mark.parametrize("make", MADE_IN_THE_BODY.values(), ids=MADE_IN_THE_BODY)
def test_made_in_the_body(make, post_grad_graph):
    post_grad_graph(f, make())


@pytest.mark.compile_golden(target="cuda-sm90")
def test_of_its_own(compile_target):
    assert "_nested_tensor" in "aten"
"""

GOLDEN = (
    "test_body_is_inside_the_target_and_marker_gives_options",
    "test_default_targets_with_goldens",
)


KNOWN = """
import torch


def test_known(compile_stages, golden):
    lengths = torch.tensor([4, 2])
    assert compile_stages(lambda x, lengths: x[: lengths.tolist()[1]] + 1, torch.randn(4), lengths) == golden


def test_unknown(compile_stages, golden):
    assert compile_stages(torch.sin, torch.randn(4)) == golden
"""


def test_a_golden_names_the_inputs_whose_values_were_known(
    project: pytest.Pytester, compiling: RunInProject, forks: Forks
) -> None:
    project.makepyfile(test_values=KNOWN)
    goldens, options = (
        project.path / "goldens",
        ("--compile-golden-target=cuda-sm90", "--compile-golden-pending=left"),
    )

    def known_inputs() -> dict[str, bool]:
        found = goldens.rglob("metrics.toml")
        return {
            path.parts[-3]: "\n# known inputs: lengths\n\n" in path.read_text()
            for path in found
        }

    compiling(*options, "--snapshot-update").assert_outcomes(passed=2)
    assert known_inputs() == {"test_known": True, "test_unknown": False}
    shutil.rmtree(goldens)
    compiling(*options).assert_outcomes(failed=2)
    assert forks.run_command(project.path, "accept", "--pending=left").ret == 0
    assert known_inputs() == {"test_known": True, "test_unknown": False}


def test_real_compiles(project: pytest.Pytester, compiling: RunInProject) -> None:
    project.makepyfile(test_real=SUITE)
    result = compiling("--snapshot-update")
    result.assert_outcomes(passed=6, failed=10)
    for line in (
        "*no_such_key*",
        "*this compile has no joint_graph (it only exists in training; capture with train=True)*",
        "*this case is for cpu-avx2; leave out target=*",
        "FAILED test_real.py::test_data_dependent[[]cuda-sm90[]] - *",
        "*Inductor compiles no sparse operations*Keep them out of the case*",
        "*A nested tensor with the strided layout*layout=torch.jagged*CPU target*",
        "*test_made_in_the_body[[]coo-cuda-sm90[]]*",
        "*f needs what the virtual target cuda-sm90 cannot have*",
        "*test_made_in_the_body[[]nested-cuda-sm90[]] needs what the virtual target cuda-sm90 cannot have*",
        "*A tensor on cuda-sm90 is one of torch's own fake tensors*CPU target*",
        "*test_made_in_the_body[[]value-cuda-sm90[]] needs the value of a tensor*",
        "E       AssertionError: assert '_nested_tensor' in 'aten'",
        "16 cases: 4 passed or accepted, 0 changed, 10 failed (* distinct errors), 2 with assertions only.",
    ):
        result.stdout.fnmatch_lines([line])
    assert (
        "Traceback" not in result.stdout.str()
        and "_dynamo/eval_frame.py" not in result.stdout.str()
    )

    before = {
        path: path.read_bytes()
        for path in (project.path / "goldens").rglob("*.*")
        if path.is_file()
    }
    names = {path.relative_to(project.path / "goldens").as_posix() for path in before}
    folder = "test_real/test_default_targets_with_goldens"
    assert {
        f"{folder}/cuda-sm90/post_grad_graph.py",
        f"{folder}/cpu-avx2/post_grad_graph.py",
    } <= names
    training = "test_real/test_body_is_inside_the_target_and_marker_gives_options"
    assert {
        f"{training}/cuda-sm80/triton_code.py",
        f"{training}/cpu-avx2/cpp_code.cpp",
    } <= names

    # Another process finds what this one wrote, whatever the order, and notices a change in the program.
    again = compiling(
        *reversed([f"test_real.py::{name}" for name in GOLDEN]), "--snapshot-update"
    )
    again.assert_outcomes(passed=4)
    assert before == {
        path: path.read_bytes()
        for path in (project.path / "goldens").rglob("*.*")
        if path.is_file()
    }
    project.makepyfile(
        test_real=SUITE.replace("torch.relu(x) * 2", "torch.relu(x).sin()")
    )
    changed = compiling("-k", "goldens")
    changed.assert_outcomes(failed=2, deselected=14)
    changed.stdout.fnmatch_lines(
        ["  first divergence  your program changed: *", "*    - *mul*", "*    + *sin*"]
    )


def test_a_failed_invariant_says_what_the_compiler_did_differently(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    case = """
    import torch


    @__import__("pytest").mark.compile_golden(target="cpu-avx2")
    def test_adds(compile_stages, golden):
        captured = compile_stages(lambda x: torch.relu(x).sum() OPERATION, torch.randn(8, 8))
        assert captured["post_grad_graph"].has("aten.add")
        assert captured == golden
    """
    project.makepyfile(test_invariant=case.replace("OPERATION", "+ 1"))
    assert compiling("--snapshot-update", "test_invariant.py").ret == 0
    project.makepyfile(test_invariant=case.replace("OPERATION", "* 2"))
    result = compiling("test_invariant.py")
    assert result.ret == 1
    result.stdout.re_match_lines(
        [
            r">       assert captured\[\"post_grad_graph\"\].has.*",
            r".*<post_grad_graph: \d+ lines>.has",
            r"-+ compile-golden -+",
            r"  first divergence  your program changed: .*",
            r"  post_grad_graph.py",
        ]
    )


def test_a_failed_invariant_of_a_single_compared_stage_says_so_too(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    case = """
    import torch


    @__import__("pytest").mark.compile_golden(target="cpu-avx2")
    def test_reuses(compile_stages, golden):
        captured = compile_stages(lambda x: ((x @ x) @ x) @ x, torch.randn(8, 8), config={"allow_buffer_reuse": REUSE})
        assert "# reuse" in str(captured["wrapper_code"])
        assert captured["wrapper_code"] == golden
    """
    project.makepyfile(test_invariant=case.replace("REUSE", "True"))
    assert compiling("--snapshot-update", "test_invariant.py").ret == 0
    project.makepyfile(test_invariant=case.replace("REUSE", "False"))
    result = compiling("test_invariant.py")
    assert result.ret == 1
    result.stdout.re_match_lines(
        [r"-+ compile-golden -+", r"  first divergence  wrapper_code.*"]
    )


def test_each_case_draws_the_same_inputs_wherever_it_runs(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    """What a program does may depend on its values, here on how many of them are positive."""
    project.makepyfile(
        test_drawn="""
import pytest
import torch


@pytest.mark.compile_golden(target="cpu-avx2")
@pytest.mark.parametrize("number", range(2))
def test_counted(number, dynamo_graph, golden):
    def f(x):
        return x * torch.nonzero(x > 0).shape[0]

    assert dynamo_graph(f, torch.randn(1000)) == golden
"""
    )
    compiling("--snapshot-update").assert_outcomes(passed=2)
    compiling("-k", "1").assert_outcomes(passed=1, deselected=1)
    drawn = {
        path.read_text().partition("\n\n")[2]
        for path in project.path.glob("goldens/**/dynamo_graph.py")
    }
    assert len(drawn) == 1


GARBAGE = """
import gc
import weakref

import pytest
import torch

pytestmark = pytest.mark.compile_golden(target="cpu-avx2")


class Cycle:
    def __init__(self):
        self.itself = self


def is_left_out(value):
    return all(each is not value for each in gc.get_objects())


gone = weakref.ref(Cycle())
imported = Cycle()


def test_first(metrics):
    global left
    assert is_left_out(imported) and gone() is None
    assert metrics(torch.sin, torch.randn(4)).kernels == 1
    left = Cycle()
    assert not is_left_out(left)


def test_second(compile_target):
    assert is_left_out(left)


def test_third(compile_target):
    assert is_left_out(left)
    assert gc.get_threshold()[0] > 700
"""

ALONE = """
import gc
import weakref
from pathlib import Path

import pytest
import torch


class Cycle:
    def __init__(self):
        self.itself = self


@pytest.fixture
def garbage(request):
    yield
    gc.disable()
    gone = weakref.ref(Cycle())
    request.config.add_cleanup(lambda: Path("searched").write_text(str(gone() is None)))


@pytest.mark.compile_golden(target="cuda-sm90")
def test_alone(garbage, metrics):
    assert metrics(torch.sin, torch.randn(4)).kernels == 1
"""

AT_THE_END = """
import atexit
import gc
from pathlib import Path

gc.set_threshold(700)
atexit.register(lambda: Path("threshold").write_text(str(gc.get_threshold()[0])))


def pytest_configure(config):
    # Like pytest's own, which collects garbage, it runs after that of plugins.
    config.add_cleanup(lambda: Path("left_out_at_clean_up").write_text(str(gc.get_freeze_count())))
"""


def test_the_garbage_collector_leaves_out_what_the_first_case_imported(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(test_garbage=GARBAGE)
    project.makeconftest(AT_THE_END)
    compiling().assert_outcomes(passed=3)
    assert int(Path("left_out_at_clean_up").read_text()) > 100_000
    assert Path("threshold").read_text() == "700"


@pytest.mark.live
def test_a_run_of_one_case_neither_searches_for_garbage_nor_complains_when_it_exits(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(test_garbage=ALONE)
    result = project.runpytest_subprocess("--compile-golden", "-pno:xdist")
    result.assert_outcomes(passed=1)
    assert Path("searched").read_text() == "False"
    # Where Triton is made with nanobind, all that it leaves would be named here.
    assert result.errlines == []


def test_a_golden_of_kernels_alone_shows_what_changed(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(
        test_alone="""
        import torch

        def test_softmax(triton_code, golden):
            assert triton_code(torch.softmax, torch.randn(8, 256), -1) == golden
        """
    )
    options = ("--compile-golden-target=cuda-sm90",)
    assert compiling(*options, "--snapshot-update").ret == 0
    (golden,) = (project.path / "goldens").rglob("triton_code.py")
    golden.write_text(golden.read_text().replace("libdevice.exp(", "libdevice.exp2("))
    result = compiling(*options)
    assert result.ret == 1
    divergence = next(
        line for line in result.outlines if line.startswith("  first divergence")
    )
    assert "triton_code: " in divergence and "libdevice.exp" in divergence


def test_a_golden_that_nothing_is_compared_with_is_a_warning(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.compile_golden(target="cpu-avx2")

        def test_unused(golden):
            pass

        def test_fails_before_it_compares(golden):
            raise ValueError
        """
    )
    result = compiling()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*test_unused* compared nothing with its golden: write `assert ... == golden`*"
        ]
    )
    result.stdout.no_fnmatch_line("*test_fails* compared nothing with its golden*")


def test_cases_that_compare_nothing_are_counted_apart_and_named_if_asked_for(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(
        test_cases="""
        import pytest
        import torch

        pytestmark = pytest.mark.compile_golden(target="cpu-avx2")

        def test_body_of_pass(compile_target):
            pass

        def test_no_comparison(compile_stages):
            compile_stages(torch.sin, torch.ones(3))

        def test_compared(metrics, golden):
            assert metrics(torch.sin, torch.ones(3)) == golden
        """
    )
    result = compiling("-k", "not compared")
    result.stdout.fnmatch_lines(
        ["2 cases: 0 unchanged, 0 changed, 2 with assertions only."]
    )
    result.stdout.no_fnmatch_line("compared nothing with a golden*")
    compiling("--snapshot-update")
    result = compiling()
    result.stdout.fnmatch_lines(
        ["3 cases: 1 unchanged, 0 changed, 2 with assertions only."]
    )
    result.stdout.no_fnmatch_line("compared nothing with a golden*")
    result = compiling("-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "3 cases: 1 unchanged, 0 changed, 2 with assertions only.",
            "no golden comparison in: test_cases.py::test_body_of_pass[[]cpu-avx2], "
            "test_cases.py::test_no_comparison[[]cpu-avx2].",
        ]
    )
