"""What Triton compiles kernels to: the resources that they use on each GPU, and the machine code of some."""

import pytest
import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch import Tensor
from torch.nn.attention.flex_attention import flex_attention

from pytest_compile_golden.formats import Artifact
from pytest_compile_golden.formats.resources import ResourcesArtifact
from pytest_compile_golden.typing import CompileStages, Golden, StageOf

pytestmark = pytest.mark.compile_golden(target="cuda-sm90")
every_card = pytest.mark.compile_golden(target="cuda-sm80, cuda-sm90, cuda-sm100")


@every_card
def test_pointwise(kernel_resources: StageOf[ResourcesArtifact], golden: Golden) -> None:
    """Memory is read and written with the widest instructions available."""
    found = kernel_resources(lambda x, y: F.gelu(x) * y, torch.randn(1024, 1024), torch.randn(1024, 1024))
    assert found["load.global"] == found["load.global.128"] > 0
    assert found["store.global"] == found["store.global.128"] > 0
    assert found == golden


@every_card
@pytest.mark.compile_golden(stages=["kernel_resources", "metrics"])
def test_softmax(compile_stages: CompileStages, golden: Golden) -> None:
    """A row is read once and stays in registers."""
    captured = compile_stages(lambda x: torch.softmax(x * 2, -1), torch.randn(512, 1000))
    assert captured["kernel_resources"]["load.global"] == 1
    assert captured["kernel_resources"]["spills"] == 0
    assert captured == golden


def test_layer_norm(kernel_resources: StageOf[ResourcesArtifact], golden: Golden) -> None:
    x, w, b = torch.randn(512, 1024), torch.randn(1024), torch.randn(1024)
    found = kernel_resources(lambda x, w, b: F.layer_norm(x, (1024,), w, b), x, w, b)
    assert len(found.kernels) == 1 and found["spills"] == 0
    assert found == golden


def test_sum_in_two_steps(kernel_resources: StageOf[ResourcesArtifact], golden: Golden) -> None:
    found = kernel_resources(torch.sum, torch.randn(4096, 4096))
    assert len(found.kernels) == 2
    assert found == golden


@pytest.mark.compile_golden(config={"max_autotune": True}, kernel_configs="all")
def test_every_configuration_of_a_reduction(kernel_resources: StageOf[ResourcesArtifact], golden: Golden) -> None:
    """Every config that would be benchmarked on a GPU."""
    found = kernel_resources(lambda x: x.sum(-1), torch.randn(1024, 8192))
    assert len({kernel.config for kernel in found.kernels}) == len(found.kernels) > 1
    assert found == golden


@every_card
@pytest.mark.compile_golden(policy="triton", config={"max_autotune": True})
def test_matmul_template(kernel_resources: StageOf[ResourcesArtifact], golden: Golden) -> None:
    half = torch.bfloat16
    x, w = torch.randn(1024, 1024, dtype=half), torch.randn(1024, 1024, dtype=half)
    found = kernel_resources(lambda x, w: F.relu(x @ w), x, w)
    assert found["tensor_core"] > 0
    assert found == golden


@every_card
def test_flex_attention(kernel_resources: StageOf[ResourcesArtifact], golden: Golden) -> None:
    query, key, value = (torch.randn(2, 4, 256, 64, dtype=torch.bfloat16) for _ in range(3))
    found = kernel_resources(flex_attention, query, key, value)
    assert found["tensor_core"] > 0
    assert found == golden


@triton.jit
def scale_kernel(source, out, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    tl.store(out + index, tl.load(source + index, mask=inside) * 2, mask=inside)


def test_user_kernel(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        out = torch.empty_like(x)
        scale_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return out

    captured = compile_stages(f, torch.randn(4096))
    assert captured["kernel_resources"]["load.global"] == captured["kernel_resources"]["load.global.128"]
    assert captured["kernel_resources"] == golden
    assert captured["ptx"] == golden


@every_card
def test_index_add(kernel_resources: StageOf[ResourcesArtifact], golden: Golden) -> None:
    """Rows that may be the same are added to with atomics."""
    rows, values = torch.randint(64, (512,)), torch.randn(512, 128)
    found = kernel_resources(lambda x, rows, values: x.index_add(0, rows, values), torch.randn(64, 128), rows, values)
    assert found["atomic.global"] > 0
    assert found == golden


def test_cumulative_sum(kernel_resources: StageOf[ResourcesArtifact], golden: Golden) -> None:
    found = kernel_resources(lambda x: x.cumsum(-1), torch.randn(64, 4096))
    assert found["shuffle"] > 0
    assert found == golden


@every_card
def test_bfloat16_multiply_and_add(compile_stages: CompileStages, golden: Golden) -> None:
    """Multiplication and addition are one instruction, in float32."""
    half = torch.bfloat16
    inputs = [torch.randn(512, 512, dtype=half) for _ in range(3)]
    captured = compile_stages(lambda x, y, z: x * y + z, *inputs)
    machine_code: Artifact = captured["sass"]
    assert machine_code.text.count(" FFMA ") + 2 * machine_code.text.count(" FFMA2 ") == 8
    assert captured["kernel_resources"] == golden
    assert machine_code == golden


@pytest.mark.compile_golden(target="cuda-sm90, cuda-sm100")
def test_cast_to_float8(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x.to(torch.float8_e4m3fn), torch.randn(1024, 1024, dtype=torch.bfloat16))
    assert captured["kernel_resources"]["conversion"] > 0
    assert captured["kernel_resources"] == golden
    assert captured["sass"] == golden


def test_dropout(kernel_resources: StageOf[ResourcesArtifact], golden: Golden) -> None:
    found = kernel_resources(lambda x: F.dropout(x, 0.1, True), torch.randn(1024, 1024))
    assert found["spills"] == 0
    assert found == golden
