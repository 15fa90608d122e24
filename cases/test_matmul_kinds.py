"""Matmuls of every kind: templates and policies, low-bit weights, grouped, batched, small."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden

HALF = torch.float16
GPU = pytest.mark.compile_golden(target="cuda-sm90")
CPU = pytest.mark.compile_golden(target="cpu-avx2")
AUTOTUNE = {"max_autotune": True}


def half(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=HALF)


@GPU
@pytest.mark.parametrize("policy", ["aten", "triton"])
def test_choice_of_a_product(policy: str, compile_stages: CompileStages, golden: Golden) -> None:
    """Under max-autotune a matmul is a library call or a template: a policy decides what a GPU would benchmark."""
    captured = compile_stages(torch.mm, half(64, 64), half(64, 64), config=AUTOTUNE, policy=policy)
    assert captured.metrics.extern_kernels == (1 if policy == "aten" else 0)
    assert captured["wrapper_code"] == golden


@GPU
def test_decompose_k(compile_stages: CompileStages, golden: Golden) -> None:
    """A long inner dimension can be split into a batch of matmuls and their sum."""
    inputs = half(32, 8192), half(8192, 32)
    captured = compile_stages(torch.mm, *inputs, config=AUTOTUNE, policy="name:decompose_k")
    assert "decompose_k_mm" in str(captured["wrapper_code"])
    assert captured["wrapper_code"] == golden


@GPU
def test_persistent_tma(compile_stages: CompileStages, golden: Golden) -> None:
    """The template that loads tiles through the Tensor Memory Accelerator."""
    config = {**AUTOTUNE, "triton.enable_persistent_tma_matmul": True}
    captured = compile_stages(torch.mm, half(256, 256), half(256, 256), config=config, policy="name:persistent_tma")
    assert "tensor_descriptor" in str(captured["triton_code"])
    assert captured["wrapper_code"] == golden


@GPU
def test_addmm_template(compile_stages: CompileStages, golden: Golden) -> None:
    """The bias is part of the template's epilogue."""
    captured = compile_stages(torch.addmm, half(64), half(64, 64), half(64, 64), config=AUTOTUNE, policy="triton")
    assert captured.metrics.kernels == 1
    assert captured.metrics.extern_kernels == 0
    assert captured["scheduler_nodes"] == golden


@GPU
def test_bmm_template(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda x, y: torch.bmm(x, y).relu(), half(4, 64, 64), half(4, 64, 64), config=AUTOTUNE, policy="triton"
    )
    assert captured["scheduler_nodes"].fused("bmm", "relu")
    assert captured["scheduler_nodes"] == golden


@GPU
def test_template_keeps_what_is_read_twice(compile_stages: CompileStages, golden: Golden) -> None:
    """A matmul returned along with its activation: one kernel writes both."""

    def f(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        z = x @ y
        return z, z.relu()

    captured = compile_stages(f, half(64, 64), half(64, 64), config=AUTOTUNE, policy="triton")
    assert captured.metrics.kernels == 1
    assert captured["scheduler_nodes"] == golden


@GPU
def test_reduction_is_no_epilogue(compile_stages: CompileStages, golden: Golden) -> None:
    """A template's tiles do not hold whole rows: a softmax after it is a separate kernel."""
    captured = compile_stages(
        lambda x, y: (x @ y).softmax(-1), half(64, 64), half(64, 64), config=AUTOTUNE, policy="triton"
    )
    assert captured.metrics.kernels == 2
    assert captured["scheduler_nodes"] == golden


def test_vector(compile_stages: CompileStages, golden: Golden) -> None:
    """A matrix-vector product is a multiplication and a sum, in one kernel with the operations around it."""
    captured = compile_stages(lambda x, y: (x @ y).relu(), torch.randn(64, 64), torch.randn(64))
    assert captured.metrics.extern_kernels == 0
    assert captured["scheduler_nodes"] == golden


@GPU
def test_outer_product(compile_stages: CompileStages, golden: Golden) -> None:
    """A matmul with an inner dimension of one is a multiplication."""
    captured = compile_stages(torch.mm, torch.randn(64, 1), torch.randn(1, 64))
    assert captured.metrics.extern_kernels == 0
    assert captured["scheduler_nodes"] == golden


@GPU
def test_baddbmm(compile_stages: CompileStages, golden: Golden) -> None:
    """Without templates, the addition is a kernel after the bmm or part of the call."""
    captured = compile_stages(torch.baddbmm, half(4, 64, 64), half(4, 64, 64), half(4, 64, 64))
    assert captured.metrics.extern_kernels == 1
    assert captured["post_grad_graph"] == golden


def test_einsum(compile_stages: CompileStages, golden: Golden) -> None:
    """An einsum becomes permutes, views and a bmm."""
    captured = compile_stages(
        lambda x, y: torch.einsum("bhid,bhjd->bhij", x, y), torch.randn(2, 4, 8, 16), torch.randn(2, 4, 8, 16)
    )
    assert captured["post_grad_graph"].count("aten.bmm") == 1
    assert captured["post_grad_graph"] == golden


@GPU
@pytest.mark.parametrize("policy", ["aten", "triton"])
def test_grouped(policy: str, compile_stages: CompileStages, golden: Golden) -> None:
    """Matmuls of groups of rows, each with its own weight, as in a mixture of experts."""

    def f(x: Tensor, weights: Tensor, offsets: Tensor) -> Tensor:
        return torch._grouped_mm(x, weights, offs=offsets)

    offsets = torch.tensor([16, 48, 96, 128], dtype=torch.int32)
    inputs = torch.randn(128, 64, dtype=torch.bfloat16), torch.randn(4, 64, 64, dtype=torch.bfloat16)
    captured = compile_stages(f, *inputs, offsets, config=AUTOTUNE, policy=policy)
    assert captured.metrics.extern_kernels == (1 if policy == "aten" else 0)
    assert captured["wrapper_code"] == golden


def test_int8_weight(compile_stages: CompileStages, golden: Golden) -> None:
    """An 8-bit weight with a scale per output, cast before the matmul."""

    def f(x: Tensor, weight: Tensor, scale: Tensor) -> Tensor:
        return F.linear(x, weight.to(x.dtype)) * scale

    inputs = torch.randn(8, 64, dtype=torch.bfloat16), torch.ones(32, 64, dtype=torch.int8)
    captured = compile_stages(f, *inputs, torch.ones(32, dtype=torch.bfloat16))
    assert captured["post_grad_graph"].has("prims.convert_element_type")
    assert captured["post_grad_graph"] == golden


@GPU
def test_int8_product(compile_stages: CompileStages, golden: Golden) -> None:
    """A matmul of 8-bit integers is a library call, and its scaling a kernel after it."""

    def f(x: Tensor, y: Tensor, scale: Tensor) -> Tensor:
        return torch._int_mm(x, y).to(torch.float32) * scale

    inputs = torch.ones(32, 64, dtype=torch.int8), torch.ones(64, 32, dtype=torch.int8), torch.randn(32, 1)
    captured = compile_stages(f, *inputs)
    assert (captured.metrics.extern_kernels, captured.metrics.kernels) == (1, 1)
    assert captured["scheduler_nodes"] == golden


@GPU
def test_int4_weight(compile_stages: CompileStages, golden: Golden) -> None:
    """Two weights per byte, unpacked before the matmul."""

    def f(x: Tensor, packed: Tensor, scale: Tensor) -> Tensor:
        weight = torch.stack([packed & 15, packed >> 4], -1).view(32, 64).to(x.dtype) - 8
        return x @ (weight * scale).t()

    inputs = half(8, 64), torch.ones(32, 32, dtype=torch.uint8), half(32, 1)
    captured = compile_stages(f, *inputs)
    assert captured.metrics.kernels == 1
    assert captured["scheduler_nodes"] == golden


@GPU
@pytest.mark.parametrize("policy", ["aten", "triton"])
def test_fp8_of_rows(policy: str, compile_stages: CompileStages, golden: Golden) -> None:
    """8-bit floats with a scale per row and per column."""
    fp8 = torch.float8_e4m3fn

    def f(x: Tensor, weight: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        return torch._scaled_mm(x, weight.t(), rows, columns, out_dtype=torch.bfloat16)

    inputs = torch.zeros(64, 64).to(fp8), torch.zeros(64, 64).to(fp8), torch.ones(64, 1), torch.ones(1, 64)
    captured = compile_stages(f, *inputs, config=AUTOTUNE, policy=policy)
    assert captured.metrics.extern_kernels == (1 if policy == "aten" else 0)
    assert captured["wrapper_code"] == golden
