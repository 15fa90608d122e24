"""Autocast and low-precision dtypes."""

import pytest
import torch
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden


def test_autocast(compile_stages: CompileStages, golden: Golden) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.LayerNorm(256))
    device = torch.get_default_device().type

    def f(x: Tensor) -> Tensor:
        with torch.autocast(device, dtype=torch.bfloat16):
            return model(x)

    captured = compile_stages(f, torch.randn(64, 128), train=True)
    assert captured == golden


def test_fp8_quantise(compile_stages: CompileStages, golden: Golden) -> None:
    """Scaling to a row's range and casting: a reduction and a cast in one kernel."""

    def f(x: Tensor) -> tuple[Tensor, ...]:
        scale = 448.0 / x.abs().amax(-1, keepdim=True).clamp(min=1e-6)
        return (x * scale).to(torch.float8_e4m3fn), scale

    captured = compile_stages(f, torch.randn(128, 1024))
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90")
def test_fp8_scaled_mm(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, weight: Tensor, scale: Tensor) -> Tensor:
        return torch._scaled_mm(x, weight.t(), scale, scale, out_dtype=torch.bfloat16).relu()

    fp8 = torch.float8_e4m3fn
    captured = compile_stages(f, torch.zeros(128, 256).to(fp8), torch.zeros(512, 256).to(fp8), torch.ones(()))
    assert captured == golden
