"""The whole-attention operators that only CUDA has, computed on the CPU."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class _Attention:
    """softmax(query @ key.T * scale + bias) @ value, in float64; all tensors (batch, heads, sequence, size)."""

    query: Tensor
    key: Tensor
    value: Tensor
    bias: Tensor | None
    causal: bool
    scale: float | None
    dropout: float

    def __post_init__(self) -> None:
        if self.dropout:
            raise NotImplementedError("attention with dropout draws its numbers inside the kernel")

    def forward(self) -> tuple[Tensor, Tensor]:
        """The output, and the logarithm of each row's sum of exponentials."""
        scores = self._scores()
        return scores.softmax(-1).nan_to_num(0.0) @ self._of_each_head(self.value), scores.logsumexp(-1)

    def backward(self, gradient: Tensor) -> list[Tensor]:
        """Gradients of query, key, value and the bias: by hand, since operators run below autograd."""
        gradient = gradient.double()
        key, value = self._of_each_head(self.key), self._of_each_head(self.value)
        weights = self._scores().softmax(-1).nan_to_num(0.0)
        of_weights = gradient @ value.transpose(-1, -2)
        of_scores = weights * (of_weights - (of_weights * weights).sum(-1, keepdim=True))
        of_query = of_scores @ key * self._factor
        of_key = of_scores.transpose(-1, -2) @ self.query.double() * self._factor
        of_value = weights.transpose(-1, -2) @ gradient
        gradients = [of_query, self._of_each_group(of_key), self._of_each_group(of_value)]
        if self.bias is not None:
            gradients.append(of_scores.sum_to_size(self.bias.shape))
        differentiated = (self.query, self.key, self.value, self.bias)
        return [grad.to(like.dtype) for grad, like in zip(gradients, differentiated, strict=False) if like is not None]

    @property
    def _factor(self) -> float:
        return 1 / math.sqrt(self.query.shape[-1]) if self.scale is None else self.scale

    @property
    def _groups(self) -> int:
        return int(self.query.shape[-3] // self.key.shape[-3])

    def _scores(self) -> Tensor:
        scores = self.query.double() @ self._of_each_head(self.key).transpose(-1, -2) * self._factor
        if self.bias is not None:
            scores = scores + self.bias.double()
        if self.causal:
            past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
            scores = scores.masked_fill(past.logical_not(), -math.inf)
        return scores

    def _of_each_head(self, tensor: Tensor) -> Tensor:
        return tensor.double().repeat_interleave(self._groups, -3)

    def _of_each_group(self, gradient: Tensor) -> Tensor:
        return gradient.unflatten(-3, (-1, self._groups)).sum(-3)


def _seeds() -> tuple[Tensor, Tensor]:
    return torch.zeros((), dtype=torch.int64), torch.zeros((), dtype=torch.int64)


def _of(given: Mapping[str, Any]) -> _Attention:
    """The attention that an operator with these arguments computes; flash attention has no bias."""
    tensors = (given["query"], given["key"], given["value"], given.get("attn_bias"))
    return _Attention(*tensors, given["is_causal"], given["scale"], given["dropout_p"])


def _efficient(query: Tensor, compute_log_sumexp: bool, **given: Any) -> tuple[Any, ...]:
    """aten::_scaled_dot_product_efficient_attention (aten/src/ATen/native/native_functions.yaml)."""
    output, sums = _of({"query": query, **given}).forward()
    rows = math.ceil(query.shape[-2] / 32) * 32 if compute_log_sumexp else 0
    padded = torch.full((*sums.shape[:-1], rows), math.inf)
    padded[..., : sums.shape[-1]] = sums[..., :rows]
    return output.to(query.dtype), padded, *_seeds()


def _efficient_backward(grad_out_: Tensor, grad_input_mask: list[bool], **given: Any) -> tuple[Any, ...]:
    padded = [*_of(given).backward(grad_out_), None][:4]
    return tuple(grad if wanted else None for grad, wanted in zip(padded, grad_input_mask, strict=True))


def _flash(query: Tensor, key: Tensor, **given: Any) -> tuple[Any, ...]:
    """aten::_scaled_dot_product_flash_attention."""
    output, sums = _of({"query": query, "key": key, **given}).forward()
    seed = torch.zeros(2, dtype=torch.uint64), torch.zeros((), dtype=torch.uint64)
    lengths = query.shape[-2], key.shape[-2]
    return output.to(query.dtype), sums.float(), None, None, *lengths, *seed, torch.empty(0, dtype=query.dtype)


def _backward(grad_out: Tensor, **given: Any) -> tuple[Any, ...]:
    return tuple(_of(given).backward(grad_out)[:3])


def _cudnn(query: Tensor, key: Tensor, **given: Any) -> tuple[Any, ...]:
    """aten::_scaled_dot_product_cudnn_attention."""
    output, sums = _of({"query": query, "key": key, **given}).forward()
    lengths = query.shape[-2], key.shape[-2]
    return output.to(query.dtype), sums.float().unsqueeze(-1), None, None, *lengths, *_seeds(), torch.empty(0)


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::_scaled_dot_product_efficient_attention": _efficient,
    "aten::_scaled_dot_product_efficient_attention_backward": _efficient_backward,
    "aten::_scaled_dot_product_flash_attention": _flash,
    "aten::_scaled_dot_product_flash_attention_backward": _backward,
    "aten::_scaled_dot_product_cudnn_attention": _cudnn,
    "aten::_scaled_dot_product_cudnn_attention_backward": _backward,
}
