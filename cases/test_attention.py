"""Attention: written out by hand, as one operator, and as flex attention."""

import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention.flex_attention import flex_attention

from pytest_compile_golden.typing import CompileStages, Golden


def heads(length: int = 256, size: int = 64, dtype: torch.dtype = torch.bfloat16, **kwargs: Any) -> Tensor:
    return torch.randn(2, 8, length, size, dtype=dtype, **kwargs)


def test_by_hand(compile_stages: CompileStages, golden: Golden) -> None:
    """The pattern matcher replaces it with one attention operator."""

    def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return torch.softmax(scores, -1) @ value

    captured = compile_stages(attention, heads(), heads(), heads())
    assert captured == golden


def test_sdpa(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(F.scaled_dot_product_attention, heads(), heads(), heads())
    assert captured == golden


def test_sdpa_causal_training(compile_stages: CompileStages, golden: Golden) -> None:
    inputs = [heads(requires_grad=True) for _ in range(3)]
    captured = compile_stages(F.scaled_dot_product_attention, *inputs, kwargs={"is_causal": True}, train=True)
    assert captured == golden


def test_sdpa_mask(compile_stages: CompileStages, golden: Golden) -> None:
    mask = torch.randn(256, 256, dtype=torch.bfloat16)
    captured = compile_stages(F.scaled_dot_product_attention, heads(), heads(), heads(), kwargs={"attn_mask": mask})
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90")
def test_flex_attention(compile_stages: CompileStages, golden: Golden) -> None:
    def distance(score: Tensor, batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return score - (query - key).abs()

    captured = compile_stages(lambda q, k, v: flex_attention(q, k, v, score_mod=distance), heads(), heads(), heads())
    assert captured == golden
