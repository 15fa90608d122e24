"""The work done by the compiler, counted: when a version of torch compiles more slowly, the counts show where."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target=["cuda-sm90", "cpu-avx2"], stages="+compile_cost")


def test_training_step(compile_stages: CompileStages, golden: Golden) -> None:
    """Each phase has its share of the work, and no phase is missing."""
    model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 32))
    cost = compile_stages(model, torch.randn(8, 32), train=True)["compile_cost"]
    phases = ["dynamo", "guards", "aot", "joint", "partition", "post_grad", "lowering", "codegen", "scheduler"]
    assert [line.phase for line in cost.phases] == phases
    assert cost == golden


def test_sizes_that_vary_take_symbolic_work(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, weight: Tensor) -> Tensor:
        return F.gelu(x @ weight).softmax(-1)

    x, weight = torch.randn(24, 64), torch.randn(64, 64)
    varying = compile_stages(f, x, weight, dynamic=True)["compile_cost"]
    fixed = compile_stages(f, x, weight)["compile_cost"]
    assert varying.count("conditions") > 2 * fixed.count("conditions")
    assert varying.count("simplifications") > fixed.count("simplifications")
    assert varying == golden


def test_work_grows_with_the_layers(compile_stages: CompileStages, golden: Golden) -> None:
    """Twice the layers mean twice the nodes, not four times as many: no phase compares all of them with each other."""

    def layers(number: int) -> nn.Module:
        return nn.Sequential(*(nn.Sequential(nn.Linear(32, 32), nn.ReLU()) for _ in range(number)))

    x = torch.randn(8, 32)
    small, large = (compile_stages(layers(number), x)["compile_cost"] for number in (4, 8))
    for kind in ("nodes_lowered", "patterns_compared", "operators_run", "fusions_tried"):
        assert large.count(kind) <= 2 * small.count(kind) + 8, kind
    assert large == golden
