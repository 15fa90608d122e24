"""Different cards: code is generated for the requested one, and `doctor --targets` says what each is."""

from __future__ import annotations

import pytest
import torch
from click.testing import CliRunner

from pytest_compile_golden import capture
from pytest_compile_golden.cli import main
from pytest_compile_golden.common.installed_torch import torch_release
from pytest_compile_golden.targets import target_names
from pytest_compile_golden.targets.devices import GPUS


@pytest.mark.parametrize(
    ("name", "attention", "split"),
    [
        # Rows of 16384 are split if there are fewer than two per multiprocessor; from 2.13 on, not on Blackwell.
        ("cuda-rtx4090", "flash", False),
        ("cuda-sm89", "flash", True),
        ("cuda-sm120", "flash", torch_release() < (2, 13)),
        ("cuda-gb200", "cudnn", torch_release() < (2, 13)),
    ],
)
def test_code_is_for_the_card(name: str, attention: str, split: bool) -> None:
    def program(
        x: torch.Tensor, y: torch.Tensor, heads: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        attended = torch.nn.functional.scaled_dot_product_attention(heads, heads, heads)
        return torch.softmax(x[:, :1024], -1), torch.relu(y @ y), attended, x.sum(-1)

    heads = torch.randn(2, 4, 128, 64, dtype=torch.bfloat16)
    captured = capture(
        program, torch.empty(270, 16384), torch.randn(64, 64), heads, target=name
    )
    kernels = captured["triton_code"].names
    assert any("softmax" in kernel for kernel in kernels) and any(
        "relu" in kernel for kernel in kernels
    )
    assert f"_scaled_dot_product_{attention}_attention" in str(
        captured["post_grad_graph"]
    )
    assert sum("_fused_sum_" in kernel for kernel in kernels) == 1 + split


def test_a_superchip_has_more_multiprocessors_than_a_board() -> None:
    """300 sums are two per multiprocessor on a B200, and fewer on a GB200."""
    sums = [
        capture(lambda x: x.sum(-1), torch.empty(300, 1 << 20), target=f"cuda-{name}")
        for name in ("sm100", "gb200")
    ]
    assert [len(each["triton_code"].names) for each in sums] == [1, 2]


def test_doctor_says_what_each_target_is_based_on() -> None:
    result = CliRunner().invoke(main, ["doctor", "--targets"], env={"COLUMNS": "50"})
    lines = result.output.splitlines()
    assert result.exit_code == 0
    assert {*target_names()} <= {line.partition("  ")[0] for line in lines}
    assert (
        "cuda-sm89  virtual: NVIDIA L40S, compute capability 8.9, 142 multiprocessors"
        in lines
    )
    assert all(f"    peak rates: {gpu.rates.source}" in lines for gpu in GPUS.values())
    assert [line.partition("  ")[0] for line in lines if "no target:" in line] == [
        "Intel GPUs (xpu)"
    ]
