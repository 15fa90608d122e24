"""Each test starts from the session's state: what a test leaves is put back and named; wider fixtures keep theirs."""

from __future__ import annotations

import pytest

from tests.forked import RunInProject
from tests.paper import PaperProject

LEAVES = {
    "torch.set_default_dtype(torch.float64)": "torch.set_default_dtype = torch.float64",
    "torch.set_default_device('meta')": "torch.set_default_device = device(type='meta')",
    "torch.set_num_threads(torch.get_num_threads() + 1)": "torch.set_num_threads = ",
    "torch.set_grad_enabled(False)": "torch.set_grad_enabled = False",
    "torch.use_deterministic_algorithms(True)": "torch.use_deterministic_algorithms = 2",
    "torch.set_float32_matmul_precision('high')": "float32 matmul and convolution precision",
    "torch.backends.cuda.matmul.fp32_precision = 'tf32'": "float32 matmul and convolution precision",
    "torch.backends.cudnn.benchmark = True": "torch.backends.cudnn.benchmark = True",
    "torch.backends.cuda.enable_flash_sdp(False)": "torch.backends.cuda.enable_flash_sdp = False",
    "torch.autocast('cpu').__enter__()": "torch.autocast('cpu') = True",
    "torch.compiler.set_stance('eager_on_recompile')": "torch.compiler.set_stance = DynamoStance(",
    "torch._inductor.config.max_fusion_size = 1": "torch._inductor.config.max_fusion_size = 1",
    "torch._inductor.config.post_grad_fusion_options['x'] = {}": "post_grad_fusion_options = {'x': {}}",
    "torch._functorch.config.activation_memory_budget = 0.5": "torch._functorch.config.activation_memory_budget = 0.5",
    "torch._dynamo.config.specialize_int = True": "torch._dynamo.config.specialize_int = True",
}
"""What a test does, and how that is named afterwards."""


@pytest.mark.parametrize("how", ["body", "fixture"])
def test_what_a_test_leaves_is_put_back_and_named(
    project: pytest.Pytester, compiling: RunInProject, how: str
) -> None:
    project.makepyfile(f"""
import pytest
import torch
import torch._dynamo, torch._inductor.config, torch._functorch.config

from pytest_compile_golden.observe import global_settings

STATE = global_settings.read()

@pytest.fixture
def left(request):
    exec(request.param) if {how == "fixture"} else None
    return request.param

@pytest.mark.parametrize("left", {list(LEAVES)!r}, indirect=True)
def test_careless(left, compile_target):
    exec(left) if {how == "body"} else None

def test_next():
    assert global_settings.changed(STATE, global_settings.read()) == []
""")
    result = compiling("--compile-golden-target=cpu-avx2")
    result.assert_outcomes(passed=len(LEAVES) + 1, warnings=len(LEAVES))
    for line in LEAVES.values():
        assert line in result.stdout.str()


def test_the_next_case_has_the_golden_that_it_has_alone(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    cases = """
import torch
import torch._inductor.config

def test_a(compile_target):
    torch.set_default_dtype(torch.float64)
    torch._inductor.config.max_fusion_size = 1

def test_b(compile_stages, golden):
    assert compile_stages(lambda x: (x.sin() + 1).sum(), torch.randn(64, 64)) == golden
"""
    project.makepyfile(test_leaks=cases)
    cpu = "--compile-golden-target=cpu-avx2"
    compiling(cpu, "--snapshot-update").assert_outcomes(passed=2, warnings=1)
    compiling(cpu, "-k", "test_b").assert_outcomes(passed=1, deselected=3)


def test_what_wider_fixtures_and_a_conftest_set_stays_while_they_are_active(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makeconftest("""
import pytest, torch, torch._inductor.config
torch._inductor.config.max_fusion_size = 7

@pytest.fixture(scope="session")
def threads():
    torch._inductor.config.max_epilogue_benchmarked_choices = 3

@pytest.fixture(scope="module")
def late():
    torch._inductor.config.split_cat_fx_passes = False
    yield
    torch._inductor.config.split_cat_fx_passes = True
""")
    first = """
import pytest, torch
from torch._inductor import config

@pytest.fixture(scope="module", autouse=True)
def double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)

def test_one(compile_target, threads, request):
    request.getfixturevalue("late")
    config.max_autotune = True
    assert torch.get_default_dtype() == torch.float64

class TestIt:
    @classmethod
    def setup_class(cls):
        config.epilogue_fusion = False

    @classmethod
    def teardown_class(cls):
        config.epilogue_fusion = True

    def test_two(self, compile_target):
        assert (config.max_fusion_size, config.max_epilogue_benchmarked_choices) == (7, 3)
        assert (config.split_cat_fx_passes, config.max_autotune) == (False, False)
        assert torch.get_default_dtype() == torch.float64 and not config.epilogue_fusion
        torch.set_default_dtype(torch.float16)

def test_three():
    assert torch.get_default_dtype() == torch.float64 and config.epilogue_fusion
"""
    second = """
import torch
from torch._inductor import config

def test_after(compile_target):
    assert torch.get_default_dtype() == torch.float32 and config.split_cat_fx_passes
    assert (config.max_fusion_size, config.max_epilogue_benchmarked_choices) == (7, 3)
"""
    project.makepyfile(test_first=first, test_second=second)
    result = compiling("--compile-golden-target=cpu-avx2")
    result.assert_outcomes(passed=4, warnings=2)
    result.stdout.fnmatch_lines(
        [
            "*test_first.py::test_one[[]cpu-avx2[]] changed torch._inductor.config.max_autotune = True and did not*",
            "*test_first.py::TestIt::test_two[[]cpu-avx2[]] changed torch.set_default_dtype = torch.float16 and*",
        ]
    )


SETS_A_PASS = """
import torch
from torch._inductor import config

torch.set_default_dtype(torch.float64)


def to_cos(graph):
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.sin.default):
        node.target = torch.ops.aten.cos.default


config.post_grad_custom_pre_pass = to_cos
"""
USES_IT = """
import importlib
import torch
from torch._inductor import config


def imported():
    return importlib.import_module("package.quantizer").to_cos


def wave(x):
    return x.sin() + 1


def test_before(post_grad_graph):
    assert post_grad_graph(wave, torch.randn(8)).has("aten.sin")


def test_first(compile_stages, golden):
    config.max_fusion_size = 3
    import package
    assert config.post_grad_custom_pre_pass is package.quantizer.to_cos
    assert torch.get_default_dtype() == torch.float64
    assert compile_stages(wave, torch.randn(8)) == golden


def test_second(compile_stages, golden):
    to_cos = imported()
    assert config.post_grad_custom_pre_pass is to_cos
    assert torch.get_default_dtype() == torch.float64 and config.max_fusion_size != 3
    assert compile_stages(wave, torch.randn(8)) == golden
    config.post_grad_custom_pre_pass = None


def test_third(compile_stages, golden):
    to_cos = imported()
    assert config.post_grad_custom_pre_pass is to_cos
    assert compile_stages(wave, torch.randn(8)) == golden
"""


def test_what_a_module_sets_when_a_test_imports_it_first_stays(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    """As without the plugin: a later test that imports it gets nothing from that, as it is there already."""
    project.mkpydir("package").joinpath("__init__.py").write_text(
        "import package.quantizer\n"
    )
    (project.path / "package/quantizer.py").write_text(SETS_A_PASS)
    project.makepyfile(test_uses=USES_IT)
    options = ("--compile-golden-target=cpu-avx2", "-o", "pythonpath=.")
    result = compiling(*options, "--snapshot-update")
    result.assert_outcomes(passed=4, warnings=3)
    result.stdout.fnmatch_lines(
        [
            "*test_first?cpu-avx2? is the first to import package, which sets torch.set_default_dtype, "
            "torch._inductor.config.post_grad_custom_pre_pass. *",
            "*test_first?cpu-avx2? changed torch._inductor.config.max_fusion_size = 3 and did not*",
            "*test_second?cpu-avx2? changed torch._inductor.config.post_grad_custom_pre_pass*and did not*",
        ]
    )
    for only in ("first", "second", "third"):
        compiling(*options, "-k", only).assert_outcomes(passed=1, deselected=7)


def test_no_torch_is_imported_for_tests_that_are_not_cases(paper: PaperProject) -> None:
    paper.test("""
import sys
def test_plain(tmp_path): assert "torch" not in sys.modules
def test_paper(draw, golden): assert draw(ink="a\\n") == golden
def test_bare(): assert "torch" not in sys.modules
""")
    paper.update("--compile-golden-target=paper-cpu").assert_outcomes(
        passed=3, deselected=1
    )


@pytest.mark.wide
def test_a_test_that_imports_dynamo_has_left_nothing(project: pytest.Pytester) -> None:
    project.makepyfile("""
import sys
import torch

assert "torch._dynamo" not in sys.modules

def test_imports(compile_target):
    import torch._dynamo

def test_sets_while_it_imports(compile_target):
    torch.compiler.set_stance("force_eager")
""")
    result = project.runpytest_subprocess(
        "--compile-golden", "--compile-golden-target=cpu-avx2"
    )
    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines(
        ["*test_sets_while_it_imports*", "*torch.compiler.set_stance = DynamoStance(*"]
    )
