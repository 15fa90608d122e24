"""The pattern matcher's rewrites, each in the smallest program that triggers it."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden


def test_softmax_with_temperature(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: torch.softmax(x / 0.7, -1), torch.randn(64, 512))
    assert captured["passes"].matches("div_softmax_pattern") == 1
    assert captured == golden


def test_softmax_with_learned_scale(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x, scale: torch.softmax(x * scale, -1), torch.randn(64, 512), torch.ones(()))
    assert captured["passes"].matches("mul_softmax_pattern") == 1
    assert captured == golden


def test_softmax_with_varying_scale(compile_stages: CompileStages, golden: Golden) -> None:
    """The scale can change which element is the maximum: the rewrite of the two above must leave it alone."""
    captured = compile_stages(lambda x, scale: torch.softmax(x * scale, -1), torch.randn(64, 512), torch.ones(512))
    assert captured["passes"].matches("mul_softmax_pattern") == 0
    assert captured == golden


def test_positions_by_cumsum(compile_stages: CompileStages, golden: Golden) -> None:
    """Positions counted over a mask of ones, as in OPT."""

    def f(table: Tensor, x: Tensor) -> Tensor:
        ones = torch.ones(x.shape, dtype=torch.int64, device=x.device)
        return table[torch.cumsum(ones, 1) - 1] + x.unsqueeze(-1)

    captured = compile_stages(f, torch.randn(64, 32), torch.randn(4, 64))
    assert captured["passes"].matches("pointless_cumsum_replacement") == 1
    assert captured == golden


def test_cat_of_a_slice_of_a_cat(compile_stages: CompileStages, golden: Golden) -> None:
    """Padding by wrapping around."""

    def f(x: Tensor, y: Tensor) -> Tensor:
        joined = torch.cat([x, y], 1)
        return torch.cat([joined, joined[:, :19]], 1)

    captured = compile_stages(f, torch.randn(64, 100), torch.randn(64, 37))
    assert captured["passes"].matches("cat_slice_cat") == 1
    assert captured == golden


def test_split_of_a_cat(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        a, b = torch.split(torch.cat([x.sin(), y.cos()], 1), [96, 32], 1)
        return a * 2, b + 1

    captured = compile_stages(f, torch.randn(64, 96), torch.randn(64, 32))
    assert captured["passes"].matches("cat_splitwithsizes_replace") == 1
    assert captured == golden


def test_cat_of_a_split(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        return torch.cat(torch.split(x, [96, 32], 1), 1) * 2

    captured = compile_stages(f, torch.randn(64, 128))
    assert captured["passes"].matches("splitwithsizes_cat_replace") == 1
    assert captured == golden


def test_bias_before_a_product(compile_stages: CompileStages, golden: Golden) -> None:
    """An addition that no pointwise operation follows is folded into addmm; one before an activation is not."""

    def f(x: Tensor, weight: Tensor, bias: Tensor, other: Tensor) -> Tensor:
        return ((x @ weight + bias) @ other + 1).relu()

    captured = compile_stages(f, torch.randn(64, 128), torch.randn(128, 256), torch.randn(256), torch.randn(256, 64))
    assert captured["passes"].matches("addmm") == 1
    assert captured == golden


def test_reduction_reuses_a_part(compile_stages: CompileStages, golden: Golden) -> None:
    """Scales per row and for the whole tensor, as FP8 training needs them."""

    def f(x: Tensor) -> tuple[Tensor, ...]:
        magnitude = x.abs()
        return magnitude.amax(-1, keepdim=True), magnitude.max()

    captured = compile_stages(f, torch.randn(256, 1024))
    assert captured["passes"].matches("reuse_partial") == 1
    assert captured == golden


def test_batch_of_one(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(torch.bmm, torch.randn(1, 64, 128), torch.randn(1, 128, 32))
    assert captured == golden


def test_batches_of_two(compile_stages: CompileStages, golden: Golden) -> None:
    """The rewrite of a batch of one must leave this alone."""
    captured = compile_stages(torch.bmm, torch.randn(2, 64, 128), torch.randn(2, 128, 32))
    assert captured["post_grad_graph"].has("aten.bmm")
    assert captured == golden


def test_one_hot(compile_stages: CompileStages, golden: Golden) -> None:
    """A scatter into zeros becomes a comparison."""

    def f(labels: Tensor, x: Tensor) -> Tensor:
        return torch.zeros(512, 100, device=x.device).scatter(1, labels.unsqueeze(1), 1.0) - x

    captured = compile_stages(f, torch.zeros(512, dtype=torch.int64), torch.randn(512, 100))
    assert captured["passes"].matches("scatter_upon_const_tensor") == 1
    assert captured == golden


def test_casts_there_and_back(compile_stages: CompileStages, golden: Golden) -> None:
    """Redundant casts in a chain of casts are removed."""

    def f(x: Tensor) -> Tensor:
        return x.to(torch.float32).to(torch.bfloat16).to(torch.float32) + 1

    captured = compile_stages(f, torch.randn(64, 256, dtype=torch.float16))
    assert captured == golden


def test_views_there_and_back(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        split = x.view(64, 8, 32).permute(1, 0, 2).permute(1, 0, 2).view(64, 256)
        return split.view(64, 256).sin()

    captured = compile_stages(f, torch.randn(64, 256))
    assert captured == golden


def test_views_of_the_same_size(compile_stages: CompileStages, golden: Golden) -> None:
    """A view whose -1 resolves to the existing size is removed, and so is a pair of views that cancel out."""

    def f(x: Tensor) -> Tensor:
        return x.view(-1, 256).sin().view(64, 8, 32).view(64, 256).cos()

    captured = compile_stages(f, torch.randn(64, 256))
    assert captured["aot_graph"].count("aten.view") == 3
    assert not captured["post_grad_graph"].has("aten.reshape")
    assert captured == golden


def test_bits_there_and_back(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: (x.view(torch.int32).view(torch.float32) + 1).sin(), torch.randn(64, 256))
    assert captured == golden


def test_operations_that_do_nothing(compile_stages: CompileStages, golden: Golden) -> None:
    """A full slice, a cast to the same dtype, padding of width zero, a clone, a multiplication by one."""

    def f(x: Tensor) -> Tensor:
        x = F.pad(x[:, 0:256].to(torch.float32).repeat(1, 1), (0, 0)).clone()
        return torch.cat([x * 1.0]).pow(1).sin() + torch.zeros_like(x)

    captured = compile_stages(f, torch.randn(64, 256))
    assert captured.metrics.kernels == 1
    assert captured == golden


def test_operators_that_do_nothing_by_name(compile_stages: CompileStages, golden: Golden) -> None:
    """What custom decompositions leave behind: a full slice and a cast to the same dtype."""

    def f(x: Tensor) -> Tensor:
        cast = torch.ops.prims.convert_element_type(x, torch.float32)
        return torch.ops.aten.slice.Tensor(cast, 1, 0, 256).sin()

    captured = compile_stages(f, torch.randn(64, 256))
    assert not captured["post_grad_graph"].has("aten.slice")
    assert captured == golden


def test_constants_folded(compile_stages: CompileStages, golden: Golden) -> None:
    """A mask of ones, and what remains of multiplying by it and adding zero."""

    def f(x: Tensor) -> Tensor:
        mask = torch.ones(x.shape[0], 1, device=x.device).expand(-1, 4).reshape(-1, 4)
        return x * mask + (1 - mask)

    captured = compile_stages(f, torch.randn(256, 4))
    assert captured == golden


def test_constructor_moves_to_the_device(compile_stages: CompileStages, golden: Golden) -> None:
    """Indices created on the CPU for a tensor on the GPU."""

    def f(x: Tensor) -> Tensor:
        return x[torch.arange(0, 64, 2)] + x[torch.ones(32, dtype=torch.int64).cumsum(0).flip(0)]

    captured = compile_stages(f, torch.randn(64, 128))
    assert captured == golden


def test_numpy_names(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: torch.sum(x, axis=1, keepdims=True) + x, torch.randn(64, 128))
    assert captured == golden


def test_profiler_range(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        with torch.profiler.record_function("forward"):
            x = x.sin()
        return x.cos()

    captured = compile_stages(f, torch.randn(64, 64), config={"dynamo.capture_profiler_record_function": True})
    assert captured.metrics.kernels == 1
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90")
def test_attention_with_mask_and_dropout(compile_stages: CompileStages, golden: Golden) -> None:
    def f(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        scores = (query @ key.transpose(-2, -1)).div(8.0) + mask
        return torch.dropout(torch.softmax(scores, -1), 0.1, True) @ value

    heads = [torch.randn(2, 4, 128, 64, dtype=torch.float16, requires_grad=True) for _ in range(3)]
    captured = compile_stages(f, *heads, torch.randn(2, 1, 128, 128, dtype=torch.float16), train=True)
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90", config={"force_shape_pad": True, "shape_padding": True})
def test_product_is_padded(compile_stages: CompileStages, golden: Golden) -> None:
    half = torch.float16
    captured = compile_stages(torch.mm, torch.randn(1021, 1023, dtype=half), torch.randn(1023, 2045, dtype=half))
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90", policy="triton", config={"max_autotune": True})
def test_sum_of_two_products(compile_stages: CompileStages, golden: Golden) -> None:
    half = torch.float16
    pairs = [torch.randn(512, 512, dtype=half) for _ in range(4)]
    captured = compile_stages(lambda a, b, c, d: a @ b + c @ d, *pairs)
    assert captured["passes"].matches("mm_plus_mm") == 1
    assert captured == golden


@pytest.mark.compile_golden(config={"pre_grad_fusion_options": {"normalization_pass": {}, "split_cat_pass": {}}})
def test_split_and_cat_before_autograd(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        a, b, c, d = torch.split(x, 64, dim=1)
        return torch.cat([a, b, c.relu(), d], dim=1).sum(1)

    captured = compile_stages(f, torch.randn(64, 256))
    assert captured == golden


@pytest.mark.compile_golden(config={"pre_grad_fusion_options": {"batch_linear_lhs": {}}})
def test_linears_of_one_input_batched(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, *weights: Tensor) -> Tensor:
        return torch.cat([F.linear(x, weight) for weight in weights], 1).sigmoid()

    captured = compile_stages(f, torch.randn(64, 32), *(torch.randn(24, 32) for _ in range(6)))
    assert captured == golden


@pytest.mark.compile_golden(config={"post_grad_fusion_options": {"batch_aten_relu": {}}})
def test_activations_batched(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        return torch.cat([part.relu() for part in torch.split(x, 50, dim=1)], 0).tanh()

    captured = compile_stages(f, torch.randn(50, 300))
    assert captured == golden


@pytest.mark.compile_golden(config={"efficient_conv_bn_eval_fx_passes": True})
def test_batch_norm_folded_in_training(compile_stages: CompileStages, golden: Golden) -> None:
    """A frozen batch norm after a convolution that is being trained."""
    model = torch.nn.Sequential(torch.nn.Conv2d(8, 16, 3), torch.nn.BatchNorm2d(16))
    model[1].eval()
    captured = compile_stages(model, torch.randn(2, 8, 16, 16), train=True)
    assert captured == golden


@pytest.mark.compile_golden(config={"apply_gumbel_max_trick": True})
def test_sampling_by_gumbel_noise(compile_stages: CompileStages, golden: Golden) -> None:
    def f(logits: Tensor) -> Tensor:
        noise = torch.empty_like(logits).exponential_(1.0)
        return torch.argmax(torch.softmax(logits, dim=-1) / noise, dim=-1, keepdim=True)

    captured = compile_stages(f, torch.randn(8, 1000))
    assert captured == golden
