"""Programs whose results differed from eager's, or that read out of bounds."""

import re
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pytest_compile_golden.typing import CompileStages

GPU = pytest.mark.compile_golden(target="cuda-sm90")
NATIVE = pytest.mark.compile_golden(target="native-cpu")


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#198131",
    versions="2.14",
    fails="<2.15",
    stage="numerics",
    cause="post_grad / remove_noop_ops",
)
def test_copy_of_what_is_written_later(numerics: Any) -> None:
    """The copy of an input was removed, so it contained what was later written to the input."""

    def f(goal: Tensor, source: Tensor) -> None:
        goal[0:] = source[0:]
        source.add_(1)

    assert numerics(f, torch.zeros(4), torch.ones(4))


@torch.library.custom_op("incidents::accumulate", mutates_args=("goal",))
def accumulate(goal: Tensor, source: Tensor) -> None:
    goal.zero_()
    goal.add_(source)


@accumulate.register_fake
def _(goal: Tensor, source: Tensor) -> None: ...


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#198031",
    versions="2.14",
    fails="<2.15",
    stage="numerics",
    cause="post_grad / reinplace_inplaceable_ops",
)
def test_operator_that_reads_a_clone_of_what_it_writes(numerics: Any) -> None:
    """The clone was removed, and the operator was given the same tensor twice."""

    def f(x: Tensor) -> Tensor:
        before = x.clone()
        accumulate(x, before)
        return x * 1.5

    assert numerics(f, torch.arange(8.0))


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#197893",
    versions="2.14 and 2.15 nightlies",
    fails=">=2.14",
    stage="numerics",
    cause="joint / remove_no_ops",
)
def test_sum_with_zero_is_a_new_tensor(numerics: Any) -> None:
    """`x + 0` returned the input itself, so writing to the result overwrote the input."""
    assert numerics(lambda x: (x + 0, x.sin()), torch.ones(4))


class Modulated(nn.Module):
    """Two norms in a row whose shifts and scales are rows of one table."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(1, 4, width))

    def forward(self, x: Tensor, embedding: Tensor) -> Tensor:
        scale, shift, scale_2, shift_2 = (self.table + embedding).chunk(4, 1)
        x = F.layer_norm(x, x.shape[-1:]) * (1 + scale) + shift
        return F.layer_norm(x, x.shape[-1:]) * (1 + scale_2) + shift_2


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#193061",
    versions="since 2.10",
    fails="<2.15",
    stage="wrapper_code",
    cause="`buf1 = workspace_0[...].sum(dim=0)`, which is not a view of the buffer: mix_order_reduction",
)
def test_gradients_of_rows_of_a_table(compile_stages: CompileStages) -> None:
    """Gradients that should be slices of one buffer were computed outside it, and the buffer was never written."""
    x = torch.randn(1, 8192, 1024, requires_grad=True)
    captured = compile_stages(Modulated(1024), x, torch.randn(1, 4, 1024), train=True)
    code = str(captured["wrapper_code"])
    assert re.search(r"workspace_\d+\[.*\.sum\(", code)
    assert not re.search(r"^ *buf\d+ = workspace_\d+\[.*\.sum\(", code, re.M)


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#175966",
    versions="2.13 nightlies",
    fails=">=2.12",
    stage="numerics",
    cause="lowering of mul: the index is multiplied before it is widened to 64 bits",
)
def test_large_multiples_of_an_index(numerics: Any) -> None:
    """`torch.arange(11) * 10**9` overflowed 32 bits."""
    x = torch.zeros(11, dtype=torch.int64)
    assert numerics(lambda x: torch.arange(11, device=x.device) * 1_000_000_000 + x, x)


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#197431",
    versions="2.14; an error since 2.15",
    fails=">=2.12",
    stage="numerics",
    cause="lowering of as_strided; on 2.15 `requires 8 elements but buf0 holds only 7`",
)
def test_strides_of_what_is_behind_a_view(numerics: Any) -> None:
    """`as_strided` on a slice of an intermediate read past the end of the slice's copy."""
    assert numerics(lambda x: (x * 2)[1:].as_strided((8,), (1,), 0), torch.arange(8.0))


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#188771",
    versions="up to 2.13; `triton.use_block_ptr`",
    fails="<2.14",
    stage="numerics",
    cause="Triton codegen: a block pointer is not rewound after the inner of two loops",
)
def test_block_pointers_in_two_loops(numerics: Any) -> None:
    """A mean over two axes read past its input from the second iteration of the outer loop on."""
    config = {
        "triton.use_block_ptr": True,
        "triton.prefer_nd_tiling": True,
        "triton.tile_reductions": True,
        "split_reductions": False,
    }
    assert numerics(lambda a, b: (a * b).mean(), torch.randn(96), torch.randn(96, 1), config=config)


@NATIVE
@pytest.mark.incident(
    "pytorch/pytorch#183894",
    versions="up to 2.12",
    fails="<2.13",
    stage="numerics",
    cause="not identified: C++ codegen of argmin",
)
def test_place_of_the_least_of_a_transposed_tensor(numerics: Any) -> None:
    """`argmin` of a transposed tensor that was modified in place returned the index in memory order."""
    assert numerics(lambda x: x.sin_().t().argmin(), torch.randn(8, 6))


@NATIVE
@pytest.mark.incident(
    "pytorch/pytorch#198101",
    versions="2.14",
    fails=">=2.12",
    stage="numerics",
    cause="a read through a view of another dtype is computed after the input is mutated",
)
def test_view_of_another_dtype_of_what_is_written_later(numerics: Any) -> None:
    """A value computed from an input's bits contained what was later written to the input."""

    def f(x: Tensor) -> Tensor:
        bits = x.view(torch.int32) * 2
        bits.sub_(-4)
        x[:, 2:5] = 2
        return bits.view(torch.int64)

    assert numerics(f, torch.arange(24).reshape(4, 6))


@NATIVE
@pytest.mark.incident(
    "pytorch/pytorch#198057",
    versions="2.14",
    fails=">=2.12",
    stage="numerics",
    cause="C++ codegen of remainder: vector code uses a floor division, scalar code fmod",
)
def test_remainder_of_infinity(numerics: Any) -> None:
    """`5.5 % inf` was NaN in vectorised code, and 5.5 in the tail after the last vector."""
    divisors = torch.tensor([torch.inf, 3.0]).repeat(8)
    assert numerics(torch.remainder, torch.full((16,), 5.5), divisors)


@pytest.mark.compile_golden(target="cpu-avx2")
@pytest.mark.incident(
    "pytorch/pytorch#197080",
    versions="2.14; `normalization_aten_pass`",
    fails=">=2.12",
    stage="compile error",
    cause="post_grad / normalization_aten_pass: assumes that all parts of a split are equal",
)
def test_split_with_a_shorter_end(compile_stages: CompileStages) -> None:
    """A split whose last part is shorter was turned into one whose sizes do not add up."""
    config: dict[str, Any] = {
        "pre_grad_fusion_options": {},
        "post_grad_fusion_options": {"normalization_aten_pass": {}},
    }
    captured = compile_stages(lambda x: x.split(4, 1), torch.randn(2, 10), config=config)
    assert captured["post_grad_graph"].has("aten.split_with_sizes")


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#182344",
    versions="up to 2.12",
    fails="<2.13",
    stage="compile error",
    cause="`NotImplementedError: SliceView`: lowering of bucketize",
)
def test_boundaries_that_are_a_part(numerics: Any) -> None:
    """`bucketize` failed on boundaries that are a slice of an intermediate: they had no strides to search with."""
    assert numerics(lambda x, edges: torch.bucketize(x, (edges * 2)[1:5]), torch.randn(16), torch.arange(8.0))


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#185515",
    versions="2.10",
    fails="<2.13",
    stage="compile error",
    cause="`self.stride(-1) must be 1 to view Float as Short ... but got 6`: the strides from before the copy",
)
def test_bits_of_a_transposed_copy(numerics: Any) -> None:
    """A contiguous copy of a transposed tensor could not be viewed as another dtype."""
    assert numerics(lambda x: x.t().contiguous().view(torch.int16), torch.randn(4, 6))


class Narrow(torch.autograd.Function):
    """A matmul whose weights are rounded to eight bits in both forward and backward, with no rounded copy saved."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return x @ weight.to(torch.float8_e4m3fn).to(x.dtype).t()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        x, weight = ctx.saved_tensors
        return gradient @ weight.to(torch.float8_e4m3fn).to(gradient.dtype), gradient.t() @ x


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#141881",
    versions="2.6",
    fails=">=2.12",
    stage="forward_graph",
    cause="the partitioner merges both casts and saves the result",
)
def test_rounded_weights_are_not_saved(compile_stages: CompileStages) -> None:
    """A rounded copy of all weights was saved for backward, where eager recomputes it: out of memory."""
    x, weight = torch.randn(64, 256, requires_grad=True), torch.randn(512, 256, requires_grad=True)
    captured = compile_stages(Narrow.apply, x, weight, train=True)
    assert "saves = [primals_1, primals_2]" in str(captured["forward_graph"])
