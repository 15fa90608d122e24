"""The machine code of C++ kernels: invariants only, since another compiler may generate different code."""

import pytest
import torch
import torch.nn.functional as F

from pytest_compile_golden import Capture
from pytest_compile_golden.formats.resources import ResourcesArtifact
from pytest_compile_golden.typing import CompileStages

pytestmark = pytest.mark.compile_golden(target="cpu-avx2, cpu-avx512")
WIDTH = {"cpu-avx2": 256, "cpu-avx512": 512}


def resources(captured: Capture) -> ResourcesArtifact:
    """The resources of its kernels; skips the test if there are none, as without a compiler for x86-64."""
    if reason := captured.unavailable_because("kernel_resources"):
        pytest.skip(reason)
    return captured["kernel_resources"]


def test_pointwise(compile_stages: CompileStages) -> None:
    """Loads and stores use whole vector registers, as wide as the target's."""
    captured = compile_stages(lambda x, y: F.relu(x) * y, torch.randn(64, 1024), torch.randn(64, 1024))
    found, width = resources(captured), WIDTH[captured.target]
    assert found["load.vector"] == found[f"load.vector.{width}"] == 2
    assert found["store.vector"] == found[f"store.vector.{width}"] == 1
    assert found["vector_bits"] == width
    assert found["spills"] == found["scalar_loops"] == found["call.libm"] == found["call.sleef"] == 0


def test_row_sum(compile_stages: CompileStages) -> None:
    """No loop of the reduction is scalar."""
    captured = compile_stages(lambda x: x.sum(-1), torch.randn(512, 1024))
    found = resources(captured)
    assert found["vector_bits"] == WIDTH[captured.target]
    assert found["loops"] > found["scalar_loops"] == 0


def test_sine(compile_stages: CompileStages) -> None:
    """Sleef computes the sine of a whole vector."""
    captured = compile_stages(torch.sin, torch.randn(64, 1024))
    found, elements = resources(captured), WIDTH[captured.target] // 32
    assert found[f"call.sleef.Sleef_sinf{elements}_u35"] + found[f"call.sleef.Sleef_sinf{elements}_u10"] == 1
    assert found["call.libm"] == found["scalar_loops"] == 0


def test_digamma(compile_stages: CompileStages) -> None:
    """There is no vectorised digamma: it is computed element by element, with the C library's logarithm."""
    found = resources(compile_stages(torch.digamma, torch.rand(64, 1024)))
    assert found["call.libm.logf"] > 0
    assert found["scalar_loops"] > 0


def test_flip(compile_stages: CompileStages) -> None:
    """Reversed reads are not vectorised: they go element by element."""
    found = resources(compile_stages(lambda x: x.flip(-1) + 1, torch.randn(64, 1024)))
    assert found["vector_bits"] == 0
    assert found["scalar_loops"] == found["loops"] == 1
