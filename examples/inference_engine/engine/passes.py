"""Fusion passes over the engine's operators, and the manager through which Inductor runs them.

A pattern is a function that calls the same operators as the model; its matches are counted under the function's name.
"""

import operator
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch._inductor.custom_graph_pass import CustomGraphPass, get_hash_for_files
from torch._inductor.pattern_matcher import PatternMatcherPass, fwd_only, register_replacement
from torch._subclasses import FakeTensorMode
from torch.fx import Graph, Node

aten, ops = torch.ops.aten, torch.ops.engine

Pass = Callable[[Graph], object]


class PassManager(CustomGraphPass):
    """Runs the passes in order: `config={"post_grad_custom_post_pass": PassManager.of(config)}`."""

    def __init__(self, passes: Sequence[Pass]) -> None:
        self.passes = passes

    @classmethod
    def of(cls, config: Any) -> "PassManager":
        """The passes whose kernels exist for the current device."""
        patterns = PatternMatcherPass(pass_name="engine_fusions")
        with FakeTensorMode():
            _norm_quantize(patterns)
            _activation_quantize(patterns)
            _norm_rotate(patterns, list(config.sizes))
            if torch.cuda.get_device_capability() >= (10, 0):
                _attention_quantize(patterns)
        # These match what the patterns above produce.
        collectives = PatternMatcherPass(pass_name="engine_collectives")
        with FakeTensorMode():
            _all_reduce_norm(collectives)
        return cls([one_split, patterns.apply, collectives.apply])

    def __call__(self, graph: Graph) -> None:
        for each in self.passes:
            each(graph)

    def uuid(self) -> bytes:
        """What identifies the passes in torch's caches."""
        return get_hash_for_files((__file__,), str(len(self.passes)))


# Normalising the graph


def one_split(graph: Graph) -> None:
    """Take all parts of one tensor from a single split, whichever form torch gave them."""
    one_split_of_equal_ones(graph)
    one_split_of_slices(graph)
    graph.eliminate_dead_code()


def one_split_of_equal_ones(graph: Graph) -> None:
    """Up to torch 2.14, a tensor that was written to is split again for each part."""
    first: dict[Any, Node] = {}
    for node in graph.find_nodes(op="call_function", target=aten.split_with_sizes.default):
        kept = first.setdefault(str(node.args), node)
        if kept is not node:
            node.replace_all_uses_with(kept)


def one_split_of_slices(graph: Graph) -> None:
    """From torch 2.15 on, it is sliced instead."""
    parts: dict[tuple[Node, int], list[Node]] = defaultdict(list)
    for node in graph.find_nodes(op="call_function", target=aten.slice.Tensor):
        tensor, dim = node.args[:2]
        if node.meta["val"].shape[dim] != tensor.meta["val"].shape[dim]:
            parts[tensor, dim].append(node)
    for (tensor, dim), slices in parts.items():
        slices.sort(key=lambda each: each.args[2])
        ends = [each.args[2] + each.meta["val"].shape[dim] for each in slices]
        length = tensor.meta["val"].shape[dim]
        follow = all(end == later.args[2] for end, (_, later) in zip(ends, pairwise(slices), strict=False))
        if slices[0].args[2] != 0 or ends[-1] != length or not follow:
            continue
        sizes = [each.meta["val"].shape[dim] for each in slices]
        last = dim == tensor.meta["val"].dim() - 1
        with graph.inserting_after(tensor):
            split = graph.call_function(aten.split_with_sizes.default, (tensor, sizes, -1 if last else dim))
        split.meta["val"] = tuple(each.meta["val"] for each in slices)
        for index, each in enumerate(slices):
            with graph.inserting_after(split):
                part = graph.call_function(operator.getitem, (split, index))
            part.meta.update(each.meta)
            each.replace_all_uses_with(part)


# Fusions


def _register(
    patterns: PatternMatcherPass, pattern: Callable[..., Any], replacement: Callable[..., Any], *inputs: Tensor
) -> None:
    register_replacement(pattern, replacement, list(inputs), fwd_only, patterns)


def _rows(width: int = 16) -> Tensor:
    return torch.empty(8, width, dtype=torch.bfloat16)


def _weight() -> Tensor:
    return torch.empty(16, dtype=torch.bfloat16)


def _scale() -> Tensor:
    return torch.empty(())


def _norm_quantize(patterns: PatternMatcherPass) -> None:
    def norm_quantize(x: Tensor, weight: Tensor, scale: Tensor) -> Tensor:
        return ops.quantize(ops.rms_norm(x, weight), scale)

    def add_norm_quantize(x: Tensor, residual: Tensor, weight: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
        normed, residual = ops.add_rms_norm(x, residual, weight)
        return ops.quantize(normed, scale), residual

    def last_add_norm_quantize(x: Tensor, residual: Tensor, weight: Tensor, scale: Tensor) -> Tensor:
        """Nothing reads the sum after the last layer, so it is not in the graph and cannot be part of a match."""
        return add_norm_quantize(x, residual, weight, scale)[0]

    def last(x: Tensor, residual: Tensor, weight: Tensor, scale: Tensor) -> Tensor:
        return ops.add_rms_norm_quantize(x, residual, weight, scale)[0]

    inputs = _rows(), _rows(), _weight(), _scale()
    _register(patterns, norm_quantize, ops.rms_norm_quantize.default, _rows(), _weight(), _scale())
    _register(patterns, add_norm_quantize, ops.add_rms_norm_quantize.default, *inputs)
    _register(patterns, last_add_norm_quantize, last, *inputs)


def _activation_quantize(patterns: PatternMatcherPass) -> None:
    def activation_quantize(x: Tensor) -> tuple[Tensor, Tensor]:
        return ops.quantize_rows(ops.silu_and_mul(x))

    _register(patterns, activation_quantize, ops.silu_and_mul_quantize_rows.default, _rows())


def _norm_rotate(patterns: PatternMatcherPass, sizes: list[int]) -> None:
    def norm_rotate(
        qkv: Tensor, query_weight: Tensor, key_weight: Tensor, positions: Tensor, table: Tensor
    ) -> tuple[Tensor, ...]:
        query, key, value = qkv.split(sizes, -1)
        query, key = ops.rms_norm(query, query_weight), ops.rms_norm(key, key_weight)
        return *ops.rotate(positions, query, key, table), value

    def replacement(
        qkv: Tensor, query_weight: Tensor, key_weight: Tensor, positions: Tensor, table: Tensor
    ) -> tuple[Tensor, ...]:
        return tuple(ops.norm_rotate(qkv, query_weight, key_weight, positions, table, sizes))

    positions = torch.empty(8, dtype=torch.int64)
    _register(patterns, norm_rotate, replacement, _rows(sum(sizes)), _weight(), _weight(), positions, _rows())


def _attention_quantize(patterns: PatternMatcherPass) -> None:
    def attention_quantize(query: Tensor, key: Tensor, value: Tensor, scale: Tensor) -> Tensor:
        return ops.quantize(ops.attention(query, key, value), scale)

    _register(patterns, attention_quantize, ops.attention_quantize.default, _rows(), _rows(), _rows(), _scale())


def _all_reduce_norm(patterns: PatternMatcherPass) -> None:
    def all_reduce_norm(x: Tensor, residual: Tensor, weight: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
        return ops.add_rms_norm_quantize(ops.all_reduce(x), residual, weight, scale)

    def last_all_reduce_norm(x: Tensor, residual: Tensor, weight: Tensor, scale: Tensor) -> Tensor:
        return all_reduce_norm(x, residual, weight, scale)[0]

    def last(x: Tensor, residual: Tensor, weight: Tensor, scale: Tensor) -> Tensor:
        return ops.all_reduce_add_rms_norm_quantize(x, residual, weight, scale)[0]

    inputs = _rows(), _rows(), _weight(), _scale()
    _register(patterns, all_reduce_norm, ops.all_reduce_add_rms_norm_quantize.default, *inputs)
    _register(patterns, last_all_reduce_norm, last, *inputs)
