"""Attention by the names of the kernels: of a batch, or of sequences that lie one after another; all on the CPU.

Tensors are (batch, positions, heads, size), or with places where sequences begin (positions, heads, size); keys and
values may have fewer heads, each for a group of the query's (aten/src/ATen/native/transformers/cuda/attention.cu).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

_NOT_COMPUTED = ("seqused_k", "seqlen_k", "alibi_slopes", "block_table")


@dataclass(frozen=True)
class _Sequence:
    """One of them, in float64: (positions, heads, size)."""

    query: Tensor
    key: Tensor
    value: Tensor
    hidden: Tensor
    """(positions, positions of keys): which keys a position does not see."""
    bias: Tensor | None
    scale: float

    def weights(self) -> tuple[Tensor, Tensor]:
        """(heads, positions, positions of keys), and the logarithm of each row's sum of exponentials."""
        scores = (
            torch.einsum("qhd,khd->hqk", self.query, self._of_each_head(self.key))
            * self.scale
        )
        if self.bias is not None:
            scores = scores + self.bias
        scores = scores.masked_fill(self.hidden, -math.inf)
        return scores.softmax(-1).nan_to_num(0.0), scores.logsumexp(-1)

    def forward(self) -> tuple[Tensor, Tensor]:
        weights, sums = self.weights()
        return torch.einsum(
            "hqk,khd->qhd", weights, self._of_each_head(self.value)
        ), sums

    def backward(self, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The gradients of query, key, value and bias."""
        weights, _ = self.weights()
        of_weights = torch.einsum(
            "qhd,khd->hqk", gradient, self._of_each_head(self.value)
        )
        of_scores = weights * (
            of_weights - (of_weights * weights).sum(-1, keepdim=True)
        )
        of_query = (
            torch.einsum("hqk,khd->qhd", of_scores, self._of_each_head(self.key))
            * self.scale
        )
        of_key = torch.einsum("hqk,qhd->khd", of_scores, self.query) * self.scale
        of_value = torch.einsum("hqk,qhd->khd", weights, gradient)
        return (
            of_query,
            self._of_each_group(of_key),
            self._of_each_group(of_value),
            of_scores,
        )

    def _of_each_head(self, tensor: Tensor) -> Tensor:
        return tensor.repeat_interleave(self.query.shape[1] // tensor.shape[1], 1)

    def _of_each_group(self, gradient: Tensor) -> Tensor:
        heads = self.key.shape[1]
        return gradient.unflatten(1, (heads, gradient.shape[1] // heads)).sum(2)


def _hidden(
    rows: int, columns: int, before: int | None, after: int | None, shift: int
) -> Tensor:
    """What lies more than `before` places before a position, which is moved by `shift`, or more than `after` behind."""
    distance = torch.arange(columns) - torch.arange(rows)[:, None] - shift
    hidden = torch.zeros(rows, columns, dtype=torch.bool)
    if before is not None and before >= 0:
        hidden |= distance < -before
    if after is not None and after >= 0:
        hidden |= distance > after
    return hidden


@dataclass(frozen=True)
class _Sequences:
    query: Tensor
    key: Tensor
    value: Tensor
    starts: Tensor | None
    key_starts: Tensor | None
    scale: float | None
    bias: Tensor | None = None
    before: int | None = None
    after: int | None = None
    from_the_end: bool = True
    """Whether the last position sees the last key; otherwise the first sees the first."""

    def __iter__(self) -> Iterator[tuple[Any, Any, _Sequence]]:
        """Where each lies among positions and among those of keys, and what it is."""
        if self.starts is None or self.key_starts is None:
            places = [(index, index) for index in range(self.query.shape[0])]
            yield from (
                (mine, keys, self._one(mine, keys, mine)) for mine, keys in places
            )
            return
        starts, key_starts = self.starts.tolist(), self.key_starts.tolist()
        for index in range(len(starts) - 1):
            mine = slice(starts[index], starts[index + 1])
            keys = slice(key_starts[index], key_starts[index + 1])
            yield mine, keys, self._one(mine, keys, index)

    def _one(self, mine: Any, keys: Any, index: int) -> _Sequence:
        query, key, value = (
            self.query[mine].double(),
            self.key[keys].double(),
            self.value[keys].double(),
        )
        shift = key.shape[0] - query.shape[0] if self.from_the_end else 0
        hidden = _hidden(query.shape[0], key.shape[0], self.before, self.after, shift)
        bias = (
            None
            if self.bias is None
            else self.bias[index, ..., : query.shape[0], : key.shape[0]].double()
        )
        scale = 1 / math.sqrt(query.shape[-1]) if self.scale is None else self.scale
        return _Sequence(query, key, value, hidden, bias, scale)

    def forward(self) -> tuple[Tensor, list[Tensor]]:
        result = self.query.new_empty((*self.query.shape[:-1], self.value.shape[-1]))
        sums = []
        for mine, _, sequence in self:
            result[mine], of_rows = sequence.forward()
            sums.append(of_rows.float())
        return result, sums

    def backward(
        self, gradient: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
        made = [
            torch.zeros_like(tensor) for tensor in (self.query, self.key, self.value)
        ]
        of_bias = None if self.bias is None else torch.zeros_like(self.bias)
        for index, (mine, keys, sequence) in enumerate(self):
            made[0][mine], made[1][keys], made[2][keys], of_scores = sequence.backward(
                gradient[mine].double()
            )
            if of_bias is not None:
                of_bias[index] = of_scores.sum_to_size(of_bias[index].shape).to(
                    of_bias.dtype
                )
        return made[0], made[1], made[2], of_bias


def _refuse(given: dict[str, Any]) -> None:
    for name in _NOT_COMPUTED:
        if given.get(name) is not None:
            raise NotImplementedError(
                f"attention with {name} is not computed on a virtual GPU"
            )
    if given["dropout_p"]:
        raise NotImplementedError(
            "attention by its kernel's name is not computed with dropout on a virtual GPU"
        )


def _flash_of(given: dict[str, Any]) -> _Sequences:
    _refuse(given)
    return _Sequences(
        *(given["query"], given["key"], given["value"]),
        *(given["cum_seq_q"], given["cum_seq_k"]),
        scale=given["scale"],
        before=given.get("window_size_left"),
        after=0 if given["is_causal"] else given.get("window_size_right"),
    )


def _flash(**given: Any) -> tuple[Any, ...]:
    result, sums = _flash_of(given).forward()
    together = torch.stack(sums) if given["cum_seq_q"] is None else torch.cat(sums, -1)
    seeds = torch.zeros(2, dtype=torch.uint64), torch.zeros((), dtype=torch.uint64)
    return (
        torch.empty_like(given["query"]).copy_(result),
        together,
        *seeds,
        result.new_empty(0),
    )


def _flash_backward(grad_out: Tensor, **given: Any) -> tuple[Any, ...]:
    return _flash_of(given).backward(grad_out)[:3]


def _efficient_of(given: dict[str, Any]) -> _Sequences:
    """custom_mask_type: 0 is none, 1 counts from the first position, 2 from the last."""
    _refuse(given)
    query, key, value, starts = (
        given["query"],
        given["key"],
        given["value"],
        given["cu_seqlens_q"],
    )
    if starts is not None:  # all sequences lie in the one item of the batch
        query, key, value = query[0], key[0], value[0]
    kind, window = given["custom_mask_type"], given.get("window_size")
    return _Sequences(
        *(query, key, value),
        *(starts, given["cu_seqlens_k"]),
        scale=given["scale"],
        bias=given["bias"],
        before=window - 1 if window else None,
        after=0 if kind else None,
        from_the_end=kind == 2,
    )


def _efficient(**given: Any) -> tuple[Any, ...]:
    result, sums = _efficient_of(given).forward()
    longest = (
        given["query"].shape[1]
        if given["cu_seqlens_q"] is None
        else given["max_seqlen_q"]
    )
    rows = math.ceil(longest / 32) * 32 if given["compute_log_sumexp"] else 0
    padded = torch.full((len(sums), given["query"].shape[2], rows), math.inf)
    for index, of_rows in enumerate(sums):
        padded[index, :, : of_rows.shape[-1]] = of_rows[:, :rows]
    seeds = torch.zeros((), dtype=torch.int64), torch.zeros((), dtype=torch.int64)
    of_keys = given["max_seqlen_k"] or given["key"].shape[1]
    return (
        result.reshape(*given["query"].shape[:-1], -1),
        padded,
        *seeds,
        longest,
        of_keys,
    )


def _efficient_backward(
    grad_out_: Tensor, bias_requires_grad: bool, **given: Any
) -> tuple[Any, ...]:
    sequences = _efficient_of(given)
    *made, of_bias = sequences.backward(
        grad_out_ if sequences.starts is None else grad_out_[0]
    )
    if sequences.starts is not None:
        made = [gradient[None] for gradient in made]
    return *made, of_bias if bias_requires_grad else None


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::_flash_attention_forward": _flash,
    "aten::_flash_attention_backward": _flash_backward,
    "aten::_efficient_attention_forward": _efficient,
    "aten::_efficient_attention_backward": _efficient_backward,
}
