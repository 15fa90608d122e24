"""`CompileGoldenTestCase`: captures and torch's own test helpers in a unittest code base."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.forked import Forks

EXAMPLE = Path(__file__).parents[1] / "examples" / "unittest" / "test_inductor.py"
WITHOUT_PYTEST = f"""
import runpy, sys

sys.modules.update(dict.fromkeys(("pytest", "_pytest", "syrupy")))
runpy.run_path({str(EXAMPLE)!r}, run_name="__main__")
"""


def test_the_example_passes_without_pytest(
    tmp_path: Path, forks_with_bare_torch: Forks
) -> None:
    file = tmp_path / "tests.py"
    file.write_text(WITHOUT_PYTEST, encoding="utf-8")
    result = forks_with_bare_torch.run_script(tmp_path, file)
    assert result.ret == 0, result.stderr.str()
    assert "Ran 10 tests" in result.stderr.str()


STAGES = '''
import unittest
import torch
from torch._dynamo.utils import counters
from torch._inductor.test_case import TestCase
from torch._inductor.utils import run_fw_bw_and_get_code
from pytest_compile_golden.unittest import CompileGoldenTestCase

class Stages(CompileGoldenTestCase):
    def check(self, expected, **options):
        captured = self.capture(lambda x: x.sin().cos(), torch.randn(4))
        self.assertStage(captured["post_grad_graph"], expected, **options)

    def test_names_and_layout_do_not_count(self):
        self.check("""
            def graph_0(x: f32[4]):
                a: f32[4] = aten.sin.default(x)
                b: f32[4] = aten.cos.default(a)
                return (b,)
        """)

    def test_another_operator_counts(self):
        self.check("""
            def graph_0(x: f32[4]):
                a: f32[4] = aten.tan.default(x)
                return (a,)
        """, comments=False)

    def test_1_counts(self):
        torch.compile(torch.sin)(torch.randn(4))
        self.assertEqual(counters["stats"]["unique_graphs"], 1)

    def test_2_counts_from_zero(self):
        torch.compile(torch.sin)(torch.randn(4))
        self.assertEqual(counters["stats"]["unique_graphs"], 1)

    def test_types_count_where_values_are_unknown(self):
        self.assertEqual(torch.randn(4), torch.randn(4))
        with self.assertRaises(AssertionError):
            self.assertEqual(torch.randn(4), torch.randn(4).half())
        with self.assertRaises(AssertionError):
            torch.testing.assert_close([torch.randn(4)], [torch.randn(5)])

class WithoutValues(CompileGoldenTestCase):
    def test_item(self):
        torch.randn(4).sum().item()

    def test_same(self):
        from torch._dynamo.testing import same

        same(torch.randn(4), torch.randn(4))

    @unittest.expectedFailure
    def test_failure_of_its_own(self):
        self.fail("as it was")

class Interpreted(CompileGoldenTestCase):
    values = True

    def test_kernels_compute(self):
        x = torch.randn(8)
        self.assertEqual(torch.compile(lambda x: x.sin() + 1)(x), x.sin() + 1)
        with self.assertRaises(AssertionError):
            torch.testing.assert_close(torch.compile(lambda x: x.sin() + 1)(x), x.cos() + 1)

    def test_gradients_of_a_graph_that_is_kept(self):
        x = torch.randn(8, requires_grad=True)
        y = torch.compile(lambda x: x.sin().exp())(x).sum()
        (first,) = torch.autograd.grad(y, x, retain_graph=True)
        self.assertEqual(torch.autograd.grad(y, x), (first,))

    def test_backward_reads_views(self):
        x, w = torch.randn(8, 16, requires_grad=True), torch.randn(16, 16, requires_grad=True)
        torch.compile(lambda x, w: (x @ w).sin().sum())(x, w).backward()
        self.assertEqual(x.grad, ((x @ w).cos() @ w.T).detach())

class OfTorch(CompileGoldenTestCase, TestCase):
    def test_a_second_compile_is_one_too(self):
        x = torch.randn(4, requires_grad=True)
        for _ in range(2):
            torch._dynamo.reset()
            code = run_fw_bw_and_get_code(lambda: torch.compile(lambda x: x.sin().exp())(x))[1]
            self.assertEqual([text.count("def triton_") for text in code], [1, 1])
        self.assertEqual(counters["inductor"]["fxgraph_cache_miss"], 4)

class ForAGpu(CompileGoldenTestCase):
    target = "cpu-avx2"

    def test_on_a_gpu(self):
        torch.ones(4, device="cuda")

class OnTheProcessor(CompileGoldenTestCase):
    target = "native-cpu"

    def test_values_count_where_they_are_known(self):
        self.assertEqual(torch.ones(4), torch.ones(4))
        with self.assertRaises(AssertionError):
            self.assertEqual(torch.ones(4), torch.zeros(4))

if __name__ == "__main__":
    unittest.main()
'''


def test_what_counts(tmp_path: Path, forks_with_torch: Forks) -> None:
    file = tmp_path / "stages.py"
    file.write_text(STAGES, encoding="utf-8")
    result = forks_with_torch.run_script(tmp_path, file)
    told = result.stderr.str()
    failed = re.findall(r"^(?:FAIL|ERROR): (\w+)", told, re.M)
    assert failed == [
        "test_on_a_gpu",
        "test_item",
        "test_same",
        "test_another_operator_counts",
    ], told
    assert (
        "test_on_a_gpu makes a tensor on a GPU, which can only be compiled for a GPU, and cpu-avx2 is a CPU"
        in told
    )
    assert (
        told.count("DataDependentValue: test_item") == 1
        and told.count("values = True, which runs kernels") == 3
    )
    assert (
        "UnsupportedTensor: test_same compares tensors" in told
        and "assert_close, or self.assertEqual" in told
    )
    assert "run it with EXPECTTEST_ACCEPT=1" in told
    assert "-     a: f32[4] = aten.tan.default(x)\n" in told
    assert "+     sin: f32[4] = aten.sin.default(arg0_1)\n" in told
    assert "# <lambda>" not in told
    assert "Ran 14 tests" in told


def test_expecttest_writes_what_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> None:
    file = tmp_path / "test_inductor.py"
    shown = EXAMPLE.read_text(encoding="utf-8")
    file.write_text(
        shown.replace("aten.relu.default(mm)", "aten.gelu.default(mm)"),
        encoding="utf-8",
    )

    def run() -> int:
        return int(
            forks_with_torch.run_script(
                tmp_path, file, "TestInductor.test_graph_inline"
            ).ret
        )

    assert run() == 1
    with monkeypatch.context() as accepting:
        accepting.setenv("EXPECTTEST_ACCEPT", "1")
        assert run() == 0
    assert "relu: f32[8, 4] = aten.relu.default(mm)" in file.read_text(encoding="utf-8")
    assert run() == 0


EQUAL = """
import unittest
import torch
from pytest_compile_golden.unittest import CompileGoldenTestCase

class Anything:
    def __eq__(self, text):
        print(text)
        return True

class Inline(CompileGoldenTestCase):
    def test_inline(self):
        captured = self.capture(lambda x: x.sin(), torch.randn(4))
        self.assertStage(captured["post_grad_graph"], Anything(), comments=False)

unittest.main()
"""


def test_an_object_that_compares_is_given_the_text(
    tmp_path: Path, forks_with_torch: Forks
) -> None:
    """As inline-snapshot's are, which writes what it is compared with into the test."""
    file = tmp_path / "inline.py"
    file.write_text(EQUAL, encoding="utf-8")
    result = forks_with_torch.run_script(tmp_path, file)
    assert result.ret == 0, result.stderr.str()
    shown = result.stdout.str()
    assert "sin: f32[4] = aten.sin.default(arg0_1)" in shown and "#" not in shown
