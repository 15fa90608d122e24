"""Flex attention and the attention operator: score mods, masks, blocks, grouped heads, backward."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from pytest_compile_golden.typing import CompileStages, Golden

# Its kernels are long: each case snapshots the graph or the fusion groups, and only asserts on the kernel.
pytestmark = pytest.mark.compile_golden(target="cuda-sm90")

HALF = torch.bfloat16


def heads(count: int = 4, length: int = 256, **kwargs: Any) -> Tensor:
    return torch.randn(1, count, length, 64, dtype=HALF, **kwargs)


def qkv(**kwargs: Any) -> tuple[Tensor, ...]:
    return heads(**kwargs), heads(**kwargs), heads(**kwargs)


def causal(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    return query >= key


def window(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    return (query >= key) & (query - key < 64)


def soft_cap(score: Tensor, batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    return 20.0 * torch.tanh(score / 20.0)


def test_score_mod(compile_stages: CompileStages, golden: Golden) -> None:
    """The score_mod is in the template's kernel, and is a subgraph before that."""
    captured = compile_stages(lambda q, k, v: flex_attention(q, k, v, score_mod=soft_cap), *qkv())
    assert "libdevice.tanh" in captured["triton_code"]
    assert captured["post_grad_graph"] == golden


def test_score_mod_that_reads_a_tensor(compile_stages: CompileStages, golden: Golden) -> None:
    """A per-head bias: a tensor that the score_mod closes over is a kernel input."""
    slopes = torch.randn(4)

    def f(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
        def alibi(score: Tensor, batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
            return score + slopes[head] * (key - query)

        return flex_attention(q, k, v, score_mod=alibi)

    captured = compile_stages(f, *qkv(), slopes)
    assert "f32[4]" in str(captured["post_grad_graph"])
    assert captured["post_grad_graph"] == golden


@pytest.mark.parametrize("mask", [causal, window], ids=lambda mask: mask.__name__)
def test_block_mask(mask: Any, compile_stages: CompileStages, golden: Golden) -> None:
    """Blocks are classified as full, partial or empty before the kernel, which skips the empty ones."""

    def f(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        blocks = create_block_mask(mask, None, None, 256, 256, device=q.device)
        return flex_attention(q, k, v, block_mask=blocks)

    captured = compile_stages(f, *qkv())
    assert "FULL_KV_NUM_BLKS" in str(captured["triton_code"])
    assert captured["scheduler_nodes"] == golden


def test_groups_of_heads(compile_stages: CompileStages, golden: Golden) -> None:
    """Four query heads read one key head, which is not repeated."""
    captured = compile_stages(lambda q, k, v: flex_attention(q, k, v, enable_gqa=True), heads(4), heads(1), heads(1))
    assert not captured["post_grad_graph"].has("aten.expand")
    assert captured["post_grad_graph"] == golden


def test_decoding(compile_stages: CompileStages, golden: Golden) -> None:
    """A short query uses the template that splits the keys, and a kernel that combines the parts."""
    captured = compile_stages(flex_attention, heads(length=1), heads(length=1024), heads(length=1024))
    assert "SPLIT_KV" in str(captured["triton_code"])
    assert captured["scheduler_nodes"] == golden


def test_backward(compile_stages: CompileStages, golden: Golden) -> None:
    """The gradient of the score_mod is in the backward template."""
    captured = compile_stages(
        lambda q, k, v: flex_attention(q, k, v, score_mod=soft_cap), *qkv(requires_grad=True), train=True
    )
    assert captured["backward_graph"].has("flex_attention_backward")
    assert captured["backward_graph"] == golden


# The operator


def test_operator_with_groups_of_heads(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(F.scaled_dot_product_attention, heads(4), heads(1), heads(1), kwargs={"enable_gqa": True})
    assert not captured["post_grad_graph"].has("aten.bmm")
    assert captured["post_grad_graph"] == golden


def test_operator_with_dropout(compile_stages: CompileStages, golden: Golden) -> None:
    """The kernel draws its own random numbers: seed and offset are saved for backward, the mask is not."""
    captured = compile_stages(
        F.scaled_dot_product_attention, *qkv(requires_grad=True), kwargs={"dropout_p": 0.1}, train=True
    )
    assert not captured["forward_graph"].has("prims.inductor_random")
    assert captured["forward_graph"] == golden


def test_operator_with_a_mask_of_bools(compile_stages: CompileStages, golden: Golden) -> None:
    mask = torch.ones(256, 256, dtype=torch.bool)
    captured = compile_stages(F.scaled_dot_product_attention, *qkv(), kwargs={"attn_mask": mask})
    assert not captured["post_grad_graph"].has("aten._scaled_dot_product_flash_attention")
    assert captured["post_grad_graph"] == golden


def test_operator_in_float32(compile_stages: CompileStages, golden: Golden) -> None:
    """Flash attention is for half precision: float32 uses the memory-efficient kernel."""
    inputs = [torch.randn(1, 4, 256, 64) for _ in range(3)]
    captured = compile_stages(F.scaled_dot_product_attention, *inputs)
    assert captured["post_grad_graph"].has("aten._scaled_dot_product_efficient_attention")
    assert captured["post_grad_graph"] == golden


@pytest.mark.parametrize("backend", ["MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION"])
def test_operator_of_one_backend(backend: str, compile_stages: CompileStages, golden: Golden) -> None:
    """The backends that the user allows determine the kernel, as in eager."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def f(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        with sdpa_kernel(getattr(SDPBackend, backend)):
            return F.scaled_dot_product_attention(q, k, v)

    captured = compile_stages(f, *qkv())
    names = {"FLASH_ATTENTION": "flash", "EFFICIENT_ATTENTION": "efficient", "CUDNN_ATTENTION": "cudnn"}
    called = {
        name for name in names.values() if captured["post_grad_graph"].has(f"aten._scaled_dot_product_{name}_attention")
    }
    assert called == ({names[backend]} if backend in names else set())
    assert captured["post_grad_graph"] == golden
