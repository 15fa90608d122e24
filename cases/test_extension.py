"""User extensions of the compiler: custom kernels, operators and passes."""

import pytest
import torch
import triton
import triton.language as tl
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden


@triton.jit
def scale_kernel(source, out, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    tl.store(out + index, tl.load(source + index, mask=inside) * 2, mask=inside)


@pytest.mark.compile_golden(target="cuda-sm90")
def test_user_triton_kernel(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        x = x.sin()
        out = torch.empty_like(x)
        scale_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return out.cos()

    captured = compile_stages(f, torch.randn(4096))
    assert captured == golden


@torch.library.custom_op("cases::clip_norm", mutates_args=())
def clip_norm(x: torch.Tensor, limit: float) -> torch.Tensor:
    return x * (limit / x.norm()).clamp(max=1.0)


@clip_norm.register_fake
def _(x: Tensor, limit: float) -> Tensor:
    return torch.empty_like(x)


def test_custom_operator(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: clip_norm(x.relu(), 1.0) + 1, torch.randn(64, 64))
    assert captured["post_grad_graph"].count("cases.clip_norm") == 1
    assert captured == golden


def relu_to_relu6(graph: torch.fx.Graph) -> None:
    """A custom post-grad pass: every relu also clamps at 6."""
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.relu.default):
        with graph.inserting_after(node):
            clamp = graph.call_function(torch.ops.aten.clamp_max.default, (node, 6.0))
        node.replace_all_uses_with(clamp, delete_user_cb=lambda user, clamp=clamp: user is not clamp)
        clamp.meta.update(node.meta)


@pytest.mark.compile_golden(config={"post_grad_custom_post_pass": relu_to_relu6})
def test_custom_post_grad_pass(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x.sin().relu() + 1, torch.randn(64, 64))
    assert captured["passes"].changed("post_grad_custom_post_pass / relu_to_relu6")
    assert captured == golden
