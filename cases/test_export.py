"""Programs exported by torch.export: their signature, their dynamic sizes, and what they compile to."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target=["cuda-sm90", "cpu-avx2"])

BATCH = {"dynamic_shapes": {"x": {0: Dim("batch", min=2, max=64)}}}


class Counting(nn.Module):
    """A layer that counts its calls and scales its input in place."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(16, 16)
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("scale", torch.ones(16), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        x.mul_(self.scale)
        return F.softmax(self.linear(x), -1)


def test_signature(compile_stages: CompileStages, golden: Golden) -> None:
    """Parameters, buffers and inputs by kind, and which of them the program mutates."""
    program = compile_stages(Counting(), torch.randn(8, 16), export=BATCH, backend="eager")["exported_graph"]
    assert program.of_kind("parameter") == ("linear.weight", "linear.bias")
    assert program.of_kind("buffer", "temporary_buffer") == ("calls", "scale")
    assert program.mutated == ("calls", "x")
    assert [values for _, values in program.ranges] == ["[2, 64]"]
    assert not any(operator.endswith("_.default") for operator in program.operators)
    assert program == golden


def test_strict(compile_stages: CompileStages, golden: Golden) -> None:
    """With `strict`, Dynamo traces the program, which otherwise runs in Python: the signature is the same."""
    strict = {**BATCH, "strict": True}
    program = compile_stages(Counting(), torch.randn(8, 16), export=strict, backend="eager")["exported_graph"]
    assert program.mutated == ("calls", "x")
    assert program == golden


def test_sizes_that_depend_on_each_other(compile_stages: CompileStages, golden: Golden) -> None:
    """Two inputs whose sizes are declared equal share one symbol and one range."""
    batch = Dim("batch", min=2, max=64)
    shapes = {"dynamic_shapes": ({0: batch}, {0: batch})}
    x, y = torch.randn(8, 16), torch.randn(8, 16)
    program = compile_stages(lambda x, y: x @ y.T, x, y, export=shapes, backend="eager")["exported_graph"]
    assert len(program.ranges) == 1
    assert program == golden


def test_compiled_like_the_module(compile_stages: CompileStages, golden: Golden) -> None:
    """Compiling an exported program gives the same result as compiling the module."""
    model, x = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)), torch.randn(8, 16)
    plain, exported = compile_stages(model, x), compile_stages(model, x, export=True)
    assert exported.metrics.kernels == plain.metrics.kernels
    assert exported["post_grad_graph"].operators == plain["post_grad_graph"].operators
    assert exported["exported_graph"] == golden
