"""Autocast and narrow dtypes."""

import pytest
import torch


def test_autocast(compile_stages, golden):
    model = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.LayerNorm(256))
    device = torch.get_default_device().type

    def f(x):
        with torch.autocast(device, dtype=torch.bfloat16):
            return model(x)

    captured = compile_stages(f, torch.randn(64, 128), train=True)
    assert captured == golden


def test_fp8_quantise(compile_stages, golden):
    """Scale to the range of a row and cast: a reduction and a cast in one kernel."""

    def f(x):
        scale = 448.0 / x.abs().amax(-1, keepdim=True).clamp(min=1e-6)
        return (x * scale).to(torch.float8_e4m3fn), scale

    captured = compile_stages(f, torch.randn(128, 1024))
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90")
def test_fp8_scaled_mm(compile_stages, golden):
    def f(x, weight, scale):
        return torch._scaled_mm(x, weight.t(), scale, scale, out_dtype=torch.bfloat16).relu()

    fp8 = torch.float8_e4m3fn
    captured = compile_stages(f, torch.zeros(128, 256).to(fp8), torch.zeros(512, 256).to(fp8), torch.ones(()))
    assert captured == golden
