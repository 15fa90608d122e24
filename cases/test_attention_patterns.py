"""Attention written out by hand, in each of the forms that Inductor's pattern matcher recognises.

Numbers are the N of `_sfdp_pattern_N` in torch/_inductor/fx_passes/fuse_attention.py. Batch, heads, length and head
size are 2, 4, 8 and 16; programs that transpose the heads themselves take length before heads.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden import Capture
from pytest_compile_golden.typing import CompileStages, Golden

HALF = torch.float16
LOWEST = torch.finfo(HALF).min


def heads(*shape: int, dtype: torch.dtype = HALF) -> tuple[Tensor, ...]:
    return tuple(torch.randn(*(shape or (2, 4, 8, 16)), dtype=dtype) for _ in range(3))


def split() -> tuple[Tensor, ...]:
    """Query, key and value in the layout that a projection produces: length before heads."""
    return heads(2, 8, 4, 16)


def packed() -> tuple[Tensor, ...]:
    """Query, key and value from a single projection, each a view of part of it."""
    return torch.randn(2, 3, 6, 8, 16, dtype=HALF).transpose(-1, -2).unbind(1)


def swapped(*parts: Tensor) -> Iterator[Tensor]:
    return (part.permute(0, 2, 1, 3) for part in parts)


def scores(query: Tensor, key: Tensor) -> Tensor:
    return torch.matmul(query, key.transpose(-2, -1))


def divided(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (scores(q, k) / 4.0).softmax(-1) @ v


def multiplied(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (scores(q, k) * 0.25).softmax(-1) @ v


def divided_dropped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.dropout((scores(q, k) / 4.0).softmax(-1), 0.1) @ v


def multiplied_dropped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.dropout((scores(q, k) * 0.25).softmax(-1), 0.1) @ v


def masked(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores(q, k) / 4.0 + mask, -1) @ v


def masked_dropped(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return torch.dropout(torch.softmax(scores(q, k) / 4.0 + mask, -1), 0.1, True) @ v


def in_float(weights: Tensor, dropout: float | None) -> Tensor:
    """A softmax in float32, as half precision requires."""
    weights = torch.softmax(weights.float(), -1)
    return (weights if dropout is None else torch.dropout(weights, dropout, True)).half()


def split_in_float_dropped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = swapped(q, k, v)
    return in_float(scores(q, k) / 4.0, 0.1) @ v


def split_in_float(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = swapped(q, k, v)
    return in_float(scores(q, k) / 4.0, None) @ v


def query_scaled_in_float_dropped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = swapped(q, k, v)
    return in_float(scores(q / 4.0, k), 0.1) @ v


def query_scaled_in_float(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = swapped(q, k, v)
    return in_float(scores(q / 4.0, k), None) @ v


def split_divided(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return divided(*swapped(q, k, v))


def split_dropped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return divided_dropped(*swapped(q, k, v))


def batched(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Batch and heads merged into one dimension, and no scale."""
    return torch.bmm(torch.bmm(q, k.transpose(1, 2)).softmax(-1), v)


def split_masked(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """BERT."""
    q, k, v = swapped(q, k, v)
    return masked(q, k, v, mask)


def split_masked_dropped(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    q, k, v = swapped(q, k, v)
    return F.dropout((scores(q, k) / 4.0 + mask).softmax(-1), 0.1).to(q.dtype) @ v


def filled(weights: Tensor, kept: Tensor) -> Tensor:
    """Scores are filled with -inf where the mask is zero, as in DistilBERT."""
    fill = torch.full((), -float("inf"), dtype=weights.dtype, device=weights.device)
    return torch.softmax(weights.masked_fill((kept == 0).view(2, 1, 1, 8).expand_as(weights), fill), -1)


def split_filled(q: Tensor, k: Tensor, v: Tensor, kept: Tensor) -> Tensor:
    q, k, v = swapped(q, k, v)
    return filled(scores(q, k).div(4.0), kept) @ v


def query_scaled_filled(q: Tensor, k: Tensor, v: Tensor, kept: Tensor) -> Tensor:
    q, k, v = swapped(q, k, v)
    return filled(scores(q.div(4.0), k), kept) @ v


def chosen(q: Tensor, k: Tensor, causal: Tensor) -> Tensor:
    """Scores above the diagonal are replaced with the lowest number, as in GPT-2."""
    weights = torch.matmul(q, k.permute(0, 1, 3, 2))
    weights = weights / torch.full([], 4.0, dtype=weights.dtype, device=weights.device)
    return torch.where(causal, weights, torch.full((), LOWEST, dtype=weights.dtype, device=weights.device))


def split_chosen(q: Tensor, k: Tensor, v: Tensor, causal: Tensor) -> tuple[Tensor, ...]:
    q, k, v = swapped(q, k, v)
    return chosen(q, k, causal).softmax(-1) @ v, k, v


def chosen_masked(q: Tensor, k: Tensor, v: Tensor, causal: Tensor, mask: Tensor) -> Tensor:
    return (chosen(q, k, causal) + mask).softmax(-1).type(v.dtype) @ v


def added(q: Tensor, k: Tensor, mask: Tensor) -> Tensor:
    return torch.matmul(q, k.permute(0, 1, 3, 2)) + mask


def unscaled_masked(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """T5: no scale, and a position bias."""
    q, k, v = swapped(q, k, v)
    return added(q, k, mask).type_as(q).float().softmax(-1).type_as(q) @ v


def unscaled_masked_cached(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
    """The same, with key and value returned for a cache."""
    q, k, v = swapped(q, k, v)
    return added(q, k, mask).type_as(q).float().softmax(-1).type_as(q) @ v, k, v


def unscaled_cached(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, ...]:
    q, k, v = swapped(q, k, v)
    return scores(q, k).float().type_as(q).float().softmax(-1).type_as(q) @ v, k, v


def heads_in_the_batch(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """MBart: matmuls in three dimensions, with the mask added in four."""
    weights = torch.bmm(q.view(8, -1, 16), k.reshape(8, -1, 16).transpose(1, 2))
    weights = (weights.view(2, 4, 8, -1) + mask).view(8, 8, -1).softmax(-1).half()
    return torch.bmm(weights, v.reshape(8, -1, 16)).view(2, 4, 8, 16)


def unscaled_masked_dropped(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    q, k, v = swapped(q, k, v)
    return F.dropout(added(q, k, mask).float().softmax(-1).type_as(q), 0.1) @ v


def unscaled_masked_dropped_cached(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
    q, k, v = swapped(q, k, v)
    return F.dropout(added(q, k, mask).float().softmax(-1).type_as(q), 0.1) @ v, k, v


def unscaled_dropped_cached(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, ...]:
    q, k, v = swapped(q, k, v)
    return F.dropout(scores(q, k).float().softmax(-1).type_as(q), 0.1) @ v, k, v


def both_scaled(q: Tensor, k: Tensor) -> Tensor:
    return torch.ops.aten.mul.Scalar(q, 0.5) @ torch.ops.aten.mul.Scalar(k.transpose(-2, -1), 0.5)


def decomposed_masked(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """What remains of the attention operator in a program that was exported and decomposed."""
    q, k, v = swapped(q, k, v)
    return torch.ops.aten._safe_softmax(both_scaled(q, k) + mask, -1) @ v


def decomposed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = swapped(q, k, v)
    return torch.ops.aten._safe_softmax(both_scaled(q, k), -1) @ v


def mask(dtype: torch.dtype = HALF) -> Tensor:
    return torch.randn(2, 1, 1, 8, dtype=dtype)


def causal(length: int = 8) -> Tensor:
    return torch.ones(1, 1, length, length, dtype=torch.bool).tril()


def kept() -> Tensor:
    return torch.ones(2, 8, dtype=HALF)


Program = Callable[..., Tensor | tuple[Tensor, ...]]
Inputs = Callable[[], tuple[Tensor, ...]]

INFERENCE: dict[int, tuple[Program, Inputs]] = {
    1: (divided, heads),
    2: (multiplied, heads),
    5: (masked, lambda: (*heads(), mask())),
    8: (split_in_float, split),
    10: (query_scaled_in_float, split),
    11: (split_divided, split),
    13: (batched, lambda: heads(8, 8, 16)),
    14: (split_masked, lambda: (*split(), mask())),
    15: (split_filled, lambda: (*split(), kept())),
    18: (split_chosen, lambda: (*split(), causal())),
    19: (chosen_masked, lambda: (*heads(), causal(), mask(torch.float32))),
    20: (query_scaled_filled, lambda: (*split(), kept())),
    21: (unscaled_masked, lambda: (*split(), mask(torch.float32))),
    22: (unscaled_masked_cached, lambda: (*split(), mask(torch.float32))),
    23: (unscaled_cached, split),
    24: (heads_in_the_batch, lambda: (*heads(), mask(torch.float32))),
    29: (decomposed_masked, lambda: (*split(), mask())),
    30: (decomposed, split),
}
TRAINING: dict[int, tuple[Program, Inputs]] = {
    1: (divided, heads),
    2: (multiplied, heads),
    3: (divided_dropped, heads),
    4: (multiplied_dropped, heads),
    5: (masked, lambda: (*heads(), mask())),
    6: (masked_dropped, lambda: (*heads(), mask())),
    7: (split_in_float_dropped, split),
    8: (split_in_float, split),
    9: (query_scaled_in_float_dropped, split),
    10: (query_scaled_in_float, split),
    11: (split_divided, split),
    12: (split_dropped, split),
    14: (split_masked, lambda: (*split(), mask())),
    16: (split_masked_dropped, lambda: (*split(), mask())),
    25: (unscaled_masked_dropped, lambda: (*split(), mask())),
    26: (unscaled_masked_dropped_cached, lambda: (*split(), mask())),
    27: (unscaled_dropped_cached, split),
    28: (multiplied_dropped, packed),
    29: (decomposed_masked, lambda: (*split(), mask())),
    30: (decomposed, split),
}


# For inference, torch registers each pattern with dropout with a dropout of zero, and tries it first.
ANSWERED_BY = {8: 7, 10: 9, 11: 7}
NEWER = pytest.mark.skipif(torch.__version__ < "2.13", reason="patterns 29 and 30 were added in torch 2.13")


def each_of(programs: dict[int, tuple[Program, Inputs]]) -> list[Any]:
    return [pytest.param(number, marks=NEWER if number >= 29 else ()) for number in programs]


def matched(captured: Capture) -> list[str]:
    """The attention patterns that matched."""
    found = [match.name for each in captured["passes"].passes for match in each.patterns]
    return [name for name in found if name.startswith("_sfdp_pattern_")]


@pytest.mark.parametrize("number", each_of(INFERENCE))
def test_inference(number: int, compile_stages: CompileStages, golden: Golden) -> None:
    """Each form without dropout becomes one attention operator, through the first pattern that matches."""
    program, inputs = INFERENCE[number]
    captured = compile_stages(program, *inputs())
    assert matched(captured) == [f"_sfdp_pattern_{ANSWERED_BY.get(number, number)}"]
    assert captured["post_grad_graph"] == golden


@pytest.mark.parametrize("number", each_of(TRAINING))
def test_training(number: int, compile_stages: CompileStages, golden: Golden) -> None:
    """The same with gradients; the patterns that hurt BERT's accuracy are not used on NVIDIA GPUs."""
    program, inputs = TRAINING[number]
    query, key, value, *others = inputs()
    captured = compile_stages(program, *(part.requires_grad_() for part in (query, key, value)), *others, train=True)
    refused = {25, 26, 27} | ({16} if torch.__version__ < "2.13" else set())
    on_gpu = captured.target.startswith("cuda")
    assert matched(captured) == ([] if on_gpu and number in refused else [f"_sfdp_pattern_{number}"])
    assert captured["joint_graph"] == golden


def test_dropout_without_gradients(compile_stages: CompileStages, golden: Golden) -> None:
    """Dropout enabled in inference matches no pattern: there, each is registered with a dropout of zero."""
    captured = compile_stages(divided_dropped, *heads())
    assert matched(captured) == []
    assert captured["post_grad_graph"] == golden


def test_filled_and_dropped(compile_stages: CompileStages, golden: Golden) -> None:
    """Pattern 17 is for inference only, where it has no dropout and pattern 15 matches first."""

    def f(q: Tensor, k: Tensor, v: Tensor, kept: Tensor) -> Tensor:
        q, k, v = swapped(q, k, v)
        return F.dropout(filled(scores(q, k).div(4.0), kept), 0.1) @ v

    captured = compile_stages(f, *(part.requires_grad_() for part in split()), kept(), train=True)
    assert matched(captured) == []
    assert captured["post_grad_graph"] == golden


@pytest.fixture(params=["highest", "high"])
def precision(request: pytest.FixtureRequest) -> Iterator[str]:
    # Never having asked for "highest" is a separate state, and part of the keys of torch's caches.
    backends = (torch.backends.cuda.matmul, torch.backends.mkldnn.matmul)
    before = [each.fp32_precision for each in backends]
    torch.set_float32_matmul_precision(request.param)
    yield request.param
    torch.set_float32_matmul_precision("highest")
    for each, precision in zip(backends, before, strict=True):
        each.fp32_precision = precision


@pytest.mark.compile_golden(target="cuda-sm90")
def test_float32_needs_tf32(precision: str, compile_stages: CompileStages, golden: Golden) -> None:
    """The fused kernels compute in TF32, so float32 is left alone unless the user allows TF32."""
    captured = compile_stages(divided, *heads(dtype=torch.float32))
    assert matched(captured) == (["_sfdp_pattern_1"] if precision == "high" else [])
    assert captured["post_grad_graph"] == golden
