"""Fusions lost without an error: patterns that no longer match, kernels that stay separate."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch._inductor.pattern_matcher import PatternMatcherPass, fwd_only, register_replacement

from pytest_compile_golden.typing import CompileStages

GPU = pytest.mark.compile_golden(target="cuda-sm90")
CPU = pytest.mark.compile_golden(target="cpu-avx2")


def projected(x: Tensor, weight: Tensor) -> tuple[Tensor, ...]:
    """Query, key and value from one matmul, with the query mutated."""
    query, key, value = (x @ weight).split([64, 16, 16], -1)
    query.mul_(0.125)
    return query, key, value


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#197358",
    versions="2.15 nightlies",
    fails=">=2.15",
    stage="aot_graph",
    cause="`aten.split_with_sizes 4 -> 1, getitem 4 -> 1, aten.slice.Tensor 0 -> 3`: functionalisation",
)
def test_split_becomes_slices(compile_stages: CompileStages) -> None:
    """vLLM's pass for the norm and RoPE of query and key expected a split, found slices, and matched nothing."""
    captured = compile_stages(projected, torch.randn(8, 64), torch.randn(64, 96))
    assert not captured["post_grad_graph"].has("aten.slice")


@GPU
@pytest.mark.incident(
    "vllm-project/vllm#33967",
    versions="February 2026, on B200",
    fails="<2.15",
    stage="aot_graph",
    cause="functionalisation: one split per result",
)
def test_split_is_one(compile_stages: CompileStages) -> None:
    """The graph had one split per result, where the pattern expected a single split with three results."""
    captured = compile_stages(projected, torch.randn(8, 64), torch.randn(64, 96))
    assert captured["post_grad_graph"].count("aten.split_with_sizes") == 1


@torch.library.custom_op("incidents::norm", mutates_args=())
def norm(x: Tensor) -> Tensor:
    return x.clone()


@torch.library.custom_op("incidents::quantize", mutates_args=())
def quantize(x: Tensor) -> Tensor:
    return x.clone()


@torch.library.custom_op("incidents::norm_and_quantize", mutates_args=())
def norm_and_quantize(x: Tensor) -> Tensor:
    return x.clone()


for operator in (norm, quantize, norm_and_quantize):
    operator.register_fake(torch.empty_like)


def normed(x: Tensor) -> Tensor:
    return quantize(norm(x))


def pass_of(pattern: Callable[..., Any], replacement: Callable[..., Any]) -> Callable[[torch.fx.Graph], None]:
    matcher = PatternMatcherPass(pass_name="incidents")
    register_replacement(pattern, replacement, [torch.empty(4, 4)], fwd_only, matcher)

    def apply(graph: torch.fx.Graph) -> None:
        matcher.apply(graph)

    return apply


@CPU
def test_pattern_of_operators(compile_stages: CompileStages) -> None:
    """The pass of the incident below, with nothing to prevent the match."""
    config = {"post_grad_custom_post_pass": pass_of(normed, norm_and_quantize)}
    captured = compile_stages(normed, torch.empty(4, 4), config=config)
    assert captured["post_grad_graph"].operators == {"incidents.norm_and_quantize.default": 1}


@CPU
@pytest.mark.incident(
    "pytorch/pytorch#193710",
    versions="2.14",
    fails=">=2.12",
    stage="passes",
    cause="the pattern matcher skips operators with a dtype that Inductor has no codegen for",
)
def test_pattern_with_scales_of_eight_bits(compile_stages: CompileStages) -> None:
    """vLLM's pass for MXFP8 silently replaced nothing, because the scales are float8_e8m0fnu."""
    config = {"post_grad_custom_post_pass": pass_of(normed, norm_and_quantize)}
    captured = compile_stages(normed, torch.empty(4, 4, dtype=torch.float8_e8m0fnu), config=config)
    assert captured["post_grad_graph"].operators == {"incidents.norm_and_quantize.default": 1}


@CPU
@pytest.mark.incident(
    "pytorch/pytorch#143363",
    versions="2.6",
    fails="<2.14",
    stage="passes",
    cause="`joint_custom_pre_pass` runs before `remove_noop_ops`",
)
def test_dropout_in_inference(compile_stages: CompileStages) -> None:
    """torchao's int8 attention pattern matched nothing: custom joint passes still saw a clone left by dropout."""
    seen: list[Any] = []

    def look(graph: torch.fx.Graph) -> None:
        seen.extend(node.target for node in graph.nodes)

    compile_stages(
        lambda x: F.dropout(x.softmax(-1), 0.1, training=False) @ x,
        torch.randn(8, 8),
        config={"joint_custom_pre_pass": look},
    )
    assert torch.ops.aten.clone.default not in seen


@CPU
@pytest.mark.incident(
    "pytorch/pytorch#168072",
    versions="2.10",
    fails=">=2.12",
    stage="passes",
    cause="AOTAutograd decomposes GELU, not ReLU",
)
def test_pattern_of_what_is_decomposed(compile_stages: CompileStages) -> None:
    """A post-grad pattern for aten.gelu never matches, while the same pattern for aten.relu does."""
    graph = compile_stages(lambda x: F.gelu(F.relu(x)), torch.randn(8))["post_grad_graph"]
    assert graph.has("aten.relu")
    assert graph.has("aten.gelu")


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    return x * cos + torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2) * sin


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#188635",
    versions="up to 2.13",
    fails="<2.14",
    stage="scheduler_nodes",
    cause="`(mean.dim, ...) + (aten.clone, ...) are fused into one kernel (2 -> 1)`: torch/_inductor/choices.py",
)
def test_heads_first(compile_stages: CompileStages) -> None:
    """Norm, RoPE and the copy to a heads-first layout were two kernels, the second of which only copies."""
    captured = compile_stages(
        lambda x, weight, cos, sin: (
            turned(F.rms_norm(x, (256,), weight), cos, sin).unflatten(-1, (4, 64)).transpose(1, 2).contiguous()
        ),
        torch.randn(2, 128, 256),
        torch.randn(256),
        torch.randn(128, 256),
        torch.randn(128, 256),
    )
    assert captured.metrics.kernels == 1


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#183542",
    versions="up to 2.14",
    fails="<2.15",
    stage="scheduler_nodes",
    cause="`(mean.dim, ...) + (abs, add, ...) are fused into one kernel (2 -> 1)`: torch/_inductor/codegen/simd.py",
)
def test_norm_and_block_scales(compile_stages: CompileStages) -> None:
    """RMS norm and the MXFP8 scales were separate kernels: reads and writes differ by a floor division."""

    def f(x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        blocks = F.rms_norm(x, (1024,), weight).unflatten(-1, (32, 32))
        scale = blocks.abs().amax(-1, keepdim=True) / 448
        return (blocks / scale).to(torch.float8_e4m3fn).flatten(-2), scale

    assert compile_stages(f, torch.randn(64, 1024), torch.randn(1024)).metrics.kernels == 1


@torch.library.custom_op("incidents::fill", mutates_args=("goal",))
def fill(goal: Tensor, source: Tensor) -> None:
    goal.copy_(source)


@fill.register_fake
def _(goal: Tensor, source: Tensor) -> None: ...


@CPU
@pytest.mark.incident(
    "pytorch/pytorch#131192",
    versions="2.5; `enable_auto_functionalized_v2` off",
    stage="metrics",
    cause="`enable_auto_functionalized_v2`: v1 copies the base of a view that is mutated",
)
def test_operator_that_writes_into_a_view(compile_stages: CompileStages) -> None:
    """vLLM's operators that mutate a view of an input caused that input to be copied and copied back."""

    def f(pages: Tensor, new: Tensor) -> None:
        fill(pages[0], new)

    inputs = torch.randn(2, 64), torch.randn(64)
    second, first = (
        compile_stages(f, *inputs, config={"enable_auto_functionalized_v2": each}) for each in (True, False)
    )
    assert not second["post_grad_graph"].has("aten.clone")
    assert second.metrics.bytes_accessed < first.metrics.bytes_accessed
