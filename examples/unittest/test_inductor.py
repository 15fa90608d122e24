"""Tests of Inductor in the style of its own: `unittest`, `run_and_get_code`, counters, `FileCheck`, expecttest.

They run for an H100 on any machine. Nothing but the base class is particular to that.
"""

import unittest
from collections.abc import Callable
from typing import Any

import expecttest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch._dynamo.testing import CompileCounterWithBackend
from torch._dynamo.utils import counters
from torch._inductor import config, metrics
from torch._inductor.utils import run_and_get_code
from torch.testing import FileCheck

from pytest_compile_golden.unittest import CompileGoldenTestCase


class TestInductor(CompileGoldenTestCase, expecttest.TestCase):
    target = "cuda-sm90"

    def code(self, fn: Callable[..., Any], *inputs: Tensor) -> str:
        result, (code,) = run_and_get_code(torch.compile(fn), *inputs)
        self.assertEqual(result, fn(*inputs))
        return str(code)

    def test_pointwise_is_one_kernel(self) -> None:
        code = self.code(lambda x, y: (x.sin() + y).relu(), torch.randn(64, 64), torch.randn(64))
        self.assertEqual(metrics.generated_kernel_count, 1)
        FileCheck().check("tl.load").check("tl_math.sin").check("tl.store").run(code)

    def test_addmm_pattern(self) -> None:
        self.code(lambda a, b, c: torch.mm(a, b) + c, *(torch.randn(32, 32) for _ in range(3)))
        self.assertGreaterEqual(counters["inductor"]["pattern_matcher_count"], 1)

    def test_softmax_is_persistent(self) -> None:
        code = self.code(lambda x: torch.softmax(x, -1), torch.randn(16, 512))
        FileCheck().check("@triton_heuristics.persistent_reduction").run(code)

    def test_a_long_reduction_is_a_loop(self) -> None:
        code = self.code(lambda x: x.sum(-1), torch.randn(512, 100_000))
        FileCheck().check("for r0_offset in").run(code)

    def test_no_recompilation_for_another_length(self) -> None:
        counter = CompileCounterWithBackend("inductor")
        compiled = torch.compile(lambda x: x * 2, backend=counter, dynamic=True)
        for length in (8, 16, 24):
            compiled(torch.randn(length, 4))
        self.assertEqual(counter.frame_count, 1)

    def test_a_graph_break_is_counted(self) -> None:
        def broken(x: Tensor) -> Tensor:
            x = x.sin()
            torch._dynamo.graph_break()
            return x.cos()

        torch.compile(broken)(torch.randn(8))
        self.assertEqual(sum(counters["graph_break"].values()), 1)

    @config.patch(epilogue_fusion=False, max_autotune_gemm_backends="TRITON", max_autotune=True)
    def test_a_template(self) -> None:
        code = self.code(lambda a, b: a @ b, torch.randn(256, 256), torch.randn(256, 256))
        FileCheck().check("tl.dot").run(code)

    def test_half_is_computed_in_float(self) -> None:
        code = self.code(torch.exp, torch.randn(128, dtype=torch.float16))
        FileCheck().check(".to(tl.float32)").check(".exp(").run(code)

    def test_graph_inline(self) -> None:
        captured = self.capture(lambda x, w: F.relu(x @ w), torch.randn(8, 16), torch.randn(16, 4))
        self.assertStage(
            captured["post_grad_graph"],
            """\
def graph_0(arg0_1: f32[8, 16], arg1_1: f32[16, 4]):
    mm: f32[8, 4] = aten.mm.default(arg0_1, arg1_1)
    relu: f32[8, 4] = aten.relu.default(mm)
    return (relu,)
""",
        )

    def test_norm_and_activation_are_fused(self) -> None:
        captured = self.capture(lambda x, w: F.gelu(F.rms_norm(x, (64,), w)), torch.randn(8, 64), torch.randn(64))
        self.assertTrue(captured["scheduler_nodes"].fused("rms_norm", "gelu"))
        self.assertEqual(captured.metrics.kernels, 1)


if __name__ == "__main__":
    unittest.main()
