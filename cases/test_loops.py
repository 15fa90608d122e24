"""The loops of kernels: their order, tiles and masks, and how reductions are split."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden


def test_transposed_sum(compile_stages: CompileStages, golden: Golden) -> None:
    """Two inputs whose contiguous dimensions differ: the kernel is tiled in both."""
    captured = compile_stages(lambda x, y: x + y.t(), torch.randn(256, 512), torch.randn(512, 256))
    assert captured == golden


def test_permuted_result(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda x, y: (x.permute(0, 2, 3, 1) * y).contiguous(), torch.randn(4, 32, 16, 16), torch.randn(4, 16, 16, 32)
    )
    assert captured == golden


def test_permuted_copy(compile_stages: CompileStages, golden: Golden) -> None:
    """The result's layout follows the input's, and so do the loops."""
    captured = compile_stages(lambda x: x.permute(2, 0, 1) * 2, torch.randn(8, 16, 32))
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90")
def test_transposed_copy(compile_stages: CompileStages, golden: Golden) -> None:
    """Two-dimensional tiles, with block sizes chosen by the heuristics."""
    captured = compile_stages(lambda x: x.t().contiguous(), torch.randn(2048, 2048))
    assert captured == golden


def test_odd_sizes(compile_stages: CompileStages, golden: Golden) -> None:
    """No size is a multiple of a block or a vector: masks and tails everywhere."""
    captured = compile_stages(lambda x, y: (x.tanh() * y).sum(-1), torch.randn(37, 1001), torch.randn(37, 1001))
    assert captured == golden


def test_odd_pointwise(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x.exp() + torch.tanh(x), torch.randn(1003))
    assert captured == golden


def test_few_elements(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x * 2 + 1, torch.randn(64, 3))
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90")
def test_sixteens(compile_stages: CompileStages, golden: Golden) -> None:
    """A multiple of 16, the alignment that kernels are told about, but of no higher power of two."""
    captured = compile_stages(lambda x: x * 2, torch.randn(2000))
    assert captured == golden


@pytest.mark.compile_golden(target="cpu-avx2")
def test_every_third_column(compile_stages: CompileStages, golden: Golden) -> None:
    """Loads too far apart for vectorisation to be worthwhile."""
    captured = compile_stages(lambda x: x[:, ::3].sum(-1), torch.randn(64, 300))
    assert captured == golden


def test_half_precision(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x, y: (x.exp() * y).sigmoid(), *(torch.randn(128, 200).half() for _ in range(2)))
    assert captured == golden


def test_low_precision_sum(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x.sum(-1), torch.randn(64, 3000, dtype=torch.bfloat16))
    assert captured == golden


def test_long_rows(compile_stages: CompileStages, golden: Golden) -> None:
    """Rows too long for one block: the kernel loops over each row twice."""
    captured = compile_stages(lambda x: F.layer_norm(x, (8192,)), torch.randn(64, 8192))
    assert captured == golden


def test_rows_of_2048(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: torch.softmax(x, -1), torch.randn(64, 2048))
    assert captured == golden


def test_rows_of_512(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: (x - x.mean(-1, keepdim=True)).relu(), torch.randn(300, 512))
    assert captured == golden


def test_sum_over_rows(compile_stages: CompileStages, golden: Golden) -> None:
    """A reduction over the outer dimension, as for a bias gradient."""
    captured = compile_stages(lambda x: x.sum(0), torch.randn(4096, 256))
    assert captured == golden


def test_few_long_sums(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x.sum(-1), torch.randn(16, 262144))
    assert captured == golden


def test_short_sum_is_unrolled(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x.sum(-1) * 2, torch.randn(512, 6))
    assert captured == golden


def test_variance(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x.var(-1), torch.randn(128, 3000))
    assert captured == golden


def test_variance_of_half(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: torch.var_mean(x, -1), torch.randn(128, 768, dtype=torch.bfloat16))
    assert captured == golden


def test_max_with_index(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: torch.max(x, -1), torch.randn(64, 512))
    assert captured == golden


def test_sum_then_scale(compile_stages: CompileStages, golden: Golden) -> None:
    """The reduction's input is read again: the two loops share a kernel."""
    captured = compile_stages(lambda x: x / x.norm(dim=-1, keepdim=True), torch.randn(256, 640))
    assert captured.metrics.kernels == 1
    assert captured == golden


def test_two_reductions_of_one_chain(compile_stages: CompileStages, golden: Golden) -> None:
    """Sums over rows and over columns of the same product."""
    captured = compile_stages(
        lambda x, y: ((x * y).sum(-1), (x * y).sum(0)), torch.randn(8192, 512), torch.randn(8192, 512)
    )
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90")
def test_two_reductions_of_many_rows(compile_stages: CompileStages, golden: Golden) -> None:
    """Enough rows for one kernel to reduce in both directions."""
    captured = compile_stages(lambda x: (x.sum(-1), x.sum(0)), torch.randn(32768, 768))
    assert captured == golden


def test_quantised_and_transposed(compile_stages: CompileStages, golden: Golden) -> None:
    """A row-wise scaling and a transposed copy, which prefer different loop orders."""

    def f(x: Tensor) -> tuple[Tensor, ...]:
        scale = x.abs().amax(-1, keepdim=True)
        scaled = (x / scale).to(torch.bfloat16)
        return scaled, scaled.t().contiguous()

    captured = compile_stages(f, torch.randn(512, 1024))
    assert captured == golden


def test_many_readers(compile_stages: CompileStages, golden: Golden) -> None:
    """One input read by a long series of operations: fused in groups of limited size."""

    def f(x: Tensor) -> Tensor:
        outputs = []
        for step in range(70):
            x = x * 1.5 + step
            outputs.append(x.sum(-1))
        return torch.stack(outputs)

    captured = compile_stages(f, torch.randn(32, 64))
    assert captured == golden


def test_reused_many_times(compile_stages: CompileStages, golden: Golden) -> None:
    """An intermediate that is cheap to compute and has many readers."""

    def f(a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor, g: Tensor) -> tuple[Tensor, ...]:
        total = a + b * c + d * e + g
        return total.sin(), total.flip(0), total.t() + 1, total.sum()

    captured = compile_stages(f, *(torch.randn(64, 64) for _ in range(6)))
    assert captured == golden


def test_deep_expression(compile_stages: CompileStages, golden: Golden) -> None:
    """A value used twice after so many operations that it is better to store it."""

    def f(x: Tensor) -> tuple[Tensor, ...]:
        for _ in range(20):
            x = (x * 1.1).sin() + 0.1
        return x, x.flip(0)

    captured = compile_stages(f, torch.randn(64, 64))
    assert captured == golden


def test_heavy_operation_used_twice(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: (x.exp().flip(0), x.exp() + 1, x.exp().t() * 2), torch.randn(64, 64))
    assert captured == golden


@pytest.mark.compile_golden(target="cpu-avx2")
def test_heavy_operation_in_two_layouts(compile_stages: CompileStages, golden: Golden) -> None:
    """An exponential that two kernels need is computed once."""

    def f(x: Tensor) -> tuple[Tensor, ...]:
        heavy = x.exp()
        return heavy + 1, heavy.t().contiguous() * 2

    captured = compile_stages(f, torch.randn(64, 64))
    assert captured == golden


def test_powers(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x**3 + x**0.5 + x**-2, torch.rand(64, 64))
    assert captured == golden


def test_activations(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        return F.elu(x) + F.hardswish(x) + F.softplus(x) + torch.clamp(x, -1, 1) + F.leaky_relu(x)

    captured = compile_stages(f, torch.randn(128, 256))
    assert captured == golden


def test_integers(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda x, y: ((x // 3) % 7 + (x << 1)).to(torch.int32) * y, torch.arange(512), torch.ones(512).int()
    )
    assert captured == golden


def test_bools(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x, y: ((x > 0) & (y < 1)).any(-1), torch.randn(64, 128), torch.randn(64, 128))
    assert captured == golden


def test_interpolate(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear") + 1, torch.randn(2, 8, 16, 16)
    )
    assert captured == golden


def test_pooling_with_indices_training(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: F.max_pool2d(x, 2), torch.randn(2, 8, 16, 16), train=True)
    assert captured == golden


def test_average_pooling_training(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: F.avg_pool2d(x, 3, 1, 1), torch.randn(2, 8, 16, 16), train=True)
    assert captured == golden


def test_sort_and_topk(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: (x.sort(-1), x.topk(4)), torch.randn(32, 128))
    assert captured == golden


def test_scatter_of_maxima(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda base, index, values: base.scatter_reduce(0, index, values, "amax"),
        torch.zeros(64, 32),
        torch.zeros(256, 32, dtype=torch.int64),
        torch.randn(256, 32),
    )
    assert captured == golden


@pytest.mark.compile_golden(config={"combo_kernels": True})
def test_independent_operations_combined(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda a, b, c: (a.sin(), b.cos() + 1, c.sum(-1)), torch.randn(64), torch.randn(128, 32), torch.randn(32, 200)
    )
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90", policy="triton", config={"max_autotune": True})
def test_template_with_prologue(compile_stages: CompileStages, golden: Golden) -> None:
    """The cast before the matmul is fused into its template."""

    def f(x: Tensor, weight: Tensor) -> Tensor:
        return x.to(torch.float16) @ weight

    captured = compile_stages(f, torch.randn(512, 512).bfloat16(), torch.randn(512, 512, dtype=torch.float16))
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90", policy="triton", config={"max_autotune": True})
def test_template_before_a_reduction(compile_stages: CompileStages, golden: Golden) -> None:
    """A possible epilogue fuses with the reduction after it instead: templates fuse with their neighbours last."""

    def f(x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        y = (x @ weight).relu()
        return y, y.sum(-1)

    half = torch.float16
    captured = compile_stages(f, torch.randn(256, 128, dtype=half), torch.randn(128, 512, dtype=half))
    assert captured["scheduler_nodes"].fused("relu", "sum")
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90")
def test_huge_tensor(compile_stages: CompileStages, golden: Golden) -> None:
    """More elements than 32-bit indices can address."""
    captured = compile_stages(lambda x: x * 2, torch.randn(3 << 20, 1 << 10, dtype=torch.float16))
    assert captured == golden
