"""The other entrances to the compiler: programs that call it themselves, regions of a graph, a backend's compiles."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.fx.traceback
from torch import Tensor
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import aot_compile_joint_with_descriptors, aot_export_joint_with_descriptors
from torch._inductor import standalone_compile
from torch._inductor.compile_fx import compile_fx_inner
from torch._inductor.decomposition import select_decomp_table
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.passes.regional_inductor import regional_inductor

from pytest_compile_golden.typing import CompileStages, Golden

GPU = pytest.mark.compile_golden(target="cuda-sm90")
CPU = pytest.mark.compile_golden(target="cpu-avx2")


def projected(x: Tensor, w: Tensor) -> Tensor:
    return torch.sin(x @ w).sum(-1)


@GPU
def test_ahead_of_time(compile_stages: CompileStages, golden: Golden) -> None:
    """`aot_compile` compiles before the first call, and keeps the guards that can be saved: none on identity."""

    def program(x: Tensor, w: Tensor) -> Any:
        compiled = torch.compile(projected, fullgraph=True).aot_compile(((x, w), {}))
        return compiled(x, w)

    captured = compile_stages(program, torch.randn(64, 128), torch.randn(128, 32), backend=None)
    guards = str(captured["guards"])
    assert "size=[64, 128]" in guards and "___check_obj_id" not in guards
    assert captured["guards"] == golden
    assert captured == golden


@GPU
def test_standalone(compile_stages: CompileStages, golden: Golden) -> None:
    """`standalone_compile` compiles a graph that a program traced itself, without Dynamo and its guards."""

    def program(x: Tensor, w: Tensor) -> Any:
        graph = make_fx(projected)(x, w)
        return standalone_compile(graph, [x, w], dynamic_shapes="from_example_inputs")(x, w)

    captured = compile_stages(program, torch.randn(64, 128), torch.randn(128, 32), backend=None)
    assert "guards" not in captured and "dynamo_graph" not in captured
    assert captured.kernels == 1
    assert captured == golden


class Projection(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(128, 32))

    def forward(self, x: Tensor) -> tuple[Tensor]:
        return (projected(x, self.w),)


@GPU
def test_joint_graph_with_descriptors(compile_stages: CompileStages, golden: Golden) -> None:
    """A program that splits the exported joint graph itself compiles each half by Inductor."""

    def program(model: torch.nn.Module, x: Tensor) -> None:
        with ExitStack() as stack:
            joint = aot_export_joint_with_descriptors(stack, model, (x,), decompositions=select_decomp_table())
            compiled: Any = aot_compile_joint_with_descriptors(
                joint, fw_compiler=compile_fx_inner, bw_compiler=partial(compile_fx_inner, is_backward=True)
            )
        compiled(*model.parameters(), x)

    captured = compile_stages(program, Projection(), torch.randn(64, 128), backend=None, train=True)
    labels = [graph.key.label for graph in captured["post_grad_graph"].graphs]
    assert labels == ["graph_0_forward", "graph_0_backward"]
    assert captured == golden


@CPU
@pytest.mark.skipif(torch.__version__ < "2.15", reason="precompile has this form from torch 2.15 on")
def test_precompile(compile_stages: CompileStages, golden: Golden, tmp_path: Path) -> None:
    """`precompile` writes a program in Python, which has the generated code and what surrounds a call of it."""
    artifact = tmp_path / "projected.py"

    def program(x: Tensor, w: Tensor) -> Any:
        paths = {"artifact_path": artifact, "cache_path": tmp_path / "projected.cache"}
        with torch.compiler.precompile.capture(projected, **paths) as precompiled:
            return precompiled(x, w)

    captured = compile_stages(program, torch.randn(64, 128), torch.randn(128, 32), backend=None)
    assert captured["cpp_code"].names[0] in artifact.read_text(encoding="utf-8")
    assert captured == golden


def only_regions(module: GraphModule, inputs: Sequence[Tensor], **_: Any) -> Any:
    return regional_inductor(module, *inputs)


def test_regions_of_a_backend(compile_stages: CompileStages, golden: Golden) -> None:
    """Inductor compiles only what is annotated, and the backend runs the rest as it is."""

    def f(x: Tensor) -> Tensor:
        y = x.sin()
        with torch.fx.traceback.annotate({"compile_with_inductor": "region"}):
            z = (y * 2).cos()
        return z + 1

    with torch.fx.traceback.preserve_node_meta(enable=True):
        captured = compile_stages(f, torch.randn(64, 128), backend=aot_autograd(fw_compiler=only_regions))
    assert captured["post_grad_graph"].count("aten.cos") == 1 and captured["post_grad_graph"].count("aten.sin") == 0
    assert captured == golden


def test_nested_region(compile_stages: CompileStages, golden: Golden) -> None:
    """A region that is called again and again is traced, and compiled, once."""

    @torch.compiler.nested_compile_region
    def layer(x: Tensor, w: Tensor) -> Tensor:
        return torch.nn.functional.gelu(x @ w)

    def f(x: Tensor, w: Tensor) -> Tensor:
        for _ in range(3):
            x = layer(x, w)
        return x

    captured = compile_stages(f, torch.randn(64, 128), torch.randn(128, 128))
    assert captured["dynamo_graph"].count("invoke_subgraph") == 3
    assert captured["post_grad_graph"].count("aten.mm") == 1
    assert captured == golden
