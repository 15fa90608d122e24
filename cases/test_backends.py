"""Backends other than Inductor, and the parts of the compiler that run before them."""

from typing import Any

import pytest
import torch
from functorch.compile import make_boxed_func
from torch import Tensor, fx, nn
from torch._decomp import core_aten_decompositions
from torch._dynamo.backends.common import aot_autograd

from pytest_compile_golden.errors import StageNotCaptured
from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target=["cuda-sm90", "cpu-avx2"])


def run_eagerly(module: fx.GraphModule, inputs: list[Tensor]) -> Any:
    return make_boxed_func(module.forward)


def test_before_aot_autograd(compile_stages: CompileStages, golden: Golden) -> None:
    """A backend function receives Dynamo's graph, and the pipeline ends there."""
    captured = compile_stages(nn.LayerNorm(16), torch.randn(8, 16), backend=lambda module, inputs: module.forward)
    assert captured["dynamo_graph"].has("torch.nn.functional.layer_norm")
    with pytest.raises(StageNotCaptured, match=r"the backend .* does not use that"):
        captured["aot_graph"]
    assert captured["dynamo_graph"] == golden


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "aot_eager_decomp_partition"])
def test_by_name(compile_stages: CompileStages, golden: Golden, backend: str) -> None:
    captured = compile_stages(nn.LayerNorm(16), torch.randn(8, 16), train=True, backend=backend)
    assert ("aot_graph" in captured) == (backend != "eager")
    with pytest.raises(StageNotCaptured, match=f"Inductor makes it, and the backend is '{backend}'"):
        captured["wrapper_code"]
    assert captured["aot_graph" if "aot_graph" in captured else "dynamo_graph"] == golden


def test_own_decompositions(compile_stages: CompileStages, golden: Golden) -> None:
    """AOTAutograd applies the decompositions that the backend asks for, and no others."""
    own = aot_autograd(fw_compiler=run_eagerly, decompositions=core_aten_decompositions())
    plain = aot_autograd(fw_compiler=run_eagerly)
    silu, x = nn.SiLU(), torch.randn(8, 16)
    kept = compile_stages(silu, x, backend=plain)["aot_graph"]
    decomposed = compile_stages(silu, x, backend=own)["aot_graph"]
    assert kept.has("aten.silu")
    assert not decomposed.has("aten.silu")
    assert decomposed == golden


def test_inductor_behind_a_function(compile_stages: CompileStages, golden: Golden) -> None:
    """A backend function that edits the graph and calls Inductor has all of Inductor's stages."""

    def backend(module: fx.GraphModule, inputs: list[Tensor]) -> Any:
        from torch._inductor.compile_fx import compile_fx

        for node in module.graph.nodes:
            if node.target is torch.sin:
                node.target = torch.cos
        module.recompile()
        return compile_fx(module, inputs)

    captured = compile_stages(lambda x: torch.sin(x) + 1, torch.randn(64), backend=backend)
    assert captured["dynamo_graph"].has("sin")
    assert captured["post_grad_graph"].has("aten.cos")
    assert captured.metrics.kernels == 1
    assert captured["post_grad_graph"] == golden
