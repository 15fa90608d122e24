"""A training step of one rank of 64: what is communicated, what is kept, and that the step is few kernels."""

import pytest
import torch
from model import SHARDS, TENSOR, adam, gathered_ahead, sharded, step

WIDTH, TOKENS = 512, 2048


@pytest.mark.compile_golden(world_size=SHARDS * TENSOR)
def test_what_is_communicated(compile_stages):
    """One all-reduce for the products; parameters and gradients travel in FSDP's hooks, outside of graphs."""
    x = torch.randn(1, TOKENS, WIDTH, dtype=torch.bfloat16)
    captured = compile_stages(sharded(WIDTH), x, train=True)
    collectives = captured["collectives"]
    assert set(collectives.kinds) == {"all_reduce"}
    assert {each.group for each in collectives.all} == {"0-7"}
    eager = [kind for section in collectives.eager for kind in section.kinds]
    assert eager.count("all_gather") == 1  # the outermost module keeps its parameters until backward
    assert eager.count("reduce_scatter") == 1
    assert captured.metrics.graph_breaks == 0


@pytest.mark.compile_golden(world_size=SHARDS)
def test_what_is_computed_meanwhile(compile_stages):
    """Nobody waits for the next layer's weight before this layer's products are done."""
    shard, weight, x = torch.randn(4096 // SHARDS, 4096), torch.randn(4096, 4096), torch.randn(4096, 4096)
    (gather,) = compile_stages(gathered_ahead(), shard, weight, x)["collectives"].all
    assert gather.kind == "all_gather"
    assert len(gather.overlaps) == 3  # the products


@pytest.mark.compile_golden(world_size=SHARDS * TENSOR)
def test_what_backward_keeps(compile_stages):
    """The memory budget: a rank keeps its part of the activations and no more."""
    x = torch.randn(1, TOKENS, WIDTH, dtype=torch.bfloat16)
    captured = compile_stages(sharded(WIDTH), x, train=True)
    part = TOKENS * (4 * WIDTH // TENSOR) * x.element_size()
    whole = TOKENS * WIDTH * x.element_size()
    assert captured.metrics.saved_bytes <= 4 * part + 4 * whole


def test_the_optimizers_step_is_few_kernels(compile_stages):
    """All parameters are updated in one graph of at most two kernels; around it, torch has breaks of its own."""
    captured = compile_stages(step(adam()))
    assert captured.metrics.graphs == 1
    assert captured.metrics.kernels <= 2
    assert captured.metrics.extern_kernels == 0
