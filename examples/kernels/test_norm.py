"""What the kernel takes of each GPU, as a profiler would show it, and as no GPU is needed to know it."""

import pytest
import torch
from norm import rms_norm

SMALL, LARGE = 1024, 16384


@pytest.fixture
def compiled(compile_stages):
    """Compiles the kernel down to machine code for rows of `width` values."""

    def compiled(width, **options):
        inputs = torch.randn(8, width, dtype=torch.bfloat16), torch.randn(width, dtype=torch.bfloat16)
        return compile_stages(lambda x, weight: rms_norm(x, weight, **options), *inputs)

    return compiled


def test_a_row_fits_into_registers(compiled):
    found = compiled(SMALL)["kernel_resources"]
    (kernel,) = found.kernels
    takes = dict(kernel.takes)
    assert takes["spills"] == 0
    assert takes["registers"] <= 64
    assert takes["occupancy"] >= 50
    assert takes["shared"] <= 1024
    # Loads are as wide as a thread can make them.
    assert found["load.global"] == found["load.global.128"]


def test_long_rows_need_more_warps(compiled):
    """With four warps a thread holds 128 values of a row of 16,384, and of its weights: more than it has registers."""
    few, many = (compiled(LARGE, warps=warps)["kernel_resources"] for warps in (4, 16))
    assert dict(many.kernels[0].takes)["spills"] == 0
    assert dict(few.kernels[0].takes)["registers"] > dict(many.kernels[0].takes)["registers"]


def test_it_is_the_only_kernel(compiled):
    captured = compiled(SMALL)
    assert captured.metrics.graph_breaks == 0
    assert captured.metrics.kernels == 1  # Inductor writes none of its own beside it
