"""Correct, but slower or larger: kernels, recompiles, graph breaks, waits, memory."""

import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn
from torch.distributed import _functional_collectives as functional
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.utils.checkpoint import checkpoint

from pytest_compile_golden.typing import CompileStages

GPU = pytest.mark.compile_golden(target="cuda-sm90")
B200 = pytest.mark.compile_golden(target="cuda-sm100")
CPU = pytest.mark.compile_golden(target="cpu-avx2")
RANK = pytest.mark.compile_golden(target="cuda-sm90", world_size=4)


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#184069",
    versions="up to 2.12",
    fails="<2.13",
    stage="metrics",
    cause="`prepare_softmax_online` gave up its single reduction if that would be split",
)
def test_softmax_of_a_long_row(compile_stages: CompileStages) -> None:
    """Softmax over four rows of a million elements read them three times: its two reductions were split separately."""
    assert compile_stages(torch.softmax, torch.randn(4, 1 << 20), -1).metrics.kernels == 3


def entropy(logits: Tensor) -> Tensor:
    likely = logits.softmax(-1)
    return -(likely * likely.log()).sum(-1)


@B200
@pytest.mark.incident(
    "pytorch/pytorch#179729",
    versions="up to 2.12, on GB200",
    fails="<2.13",
    stage="metrics",
    cause="reductions of more than 8192 elements were split; since then, on Blackwell, of more than 524288",
)
def test_entropy_of_one_row(compile_stages: CompileStages) -> None:
    """Entropy over 32768 words was slower than in eager: three split reductions, each of more than one kernel."""
    assert compile_stages(entropy, torch.randn(1, 1 << 15)).metrics.kernels == 1


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#177118",
    versions="2.11 nightlies",
    fails="<2.13",
    stage="metrics",
    cause="`prepare_softmax_online`: its epilogue is not fused if it has a non-contiguous read",
)
def test_softmax_with_a_bias_that_is_transposed(compile_stages: CompileStages) -> None:
    """T5's biased scores, softmax and dropout were two kernels, and training was a tenth slower."""

    def f(scores: Tensor, bias: Tensor) -> Tensor:
        return F.dropout((scores + bias.permute(2, 0, 1)).float().softmax(-1).to(scores.dtype), 0.1)

    scores, bias = torch.randn(4, 8, 1024, 1024, dtype=torch.float16), torch.randn(1024, 1024, 8, dtype=torch.float16)
    assert compile_stages(f, scores, bias).metrics.kernels == 1


@CPU
@pytest.mark.incident(
    "huggingface/lora-fast#5",
    versions="August 2025",
    fails=">=2.12",
    stage="recompiles",
    cause="`tensor 'x' size mismatch at index 0. expected 1, actual 2`: a size of one is specialised",
)
def test_one_image_and_then_two(compile_stages: CompileStages) -> None:
    """Flux, compiled for any number of images, recompiled for two because the first call had one."""
    captured = compile_stages(torch.sin, calls=[(torch.randn(1, 8),), (torch.randn(2, 8),)], dynamic=True)
    assert captured.metrics.recompiles == 0


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#189952",
    versions="up to 2.13",
    fails="<2.14",
    stage="recompiles",
    cause="a condition in the block mask's check specialises the length",
)
def test_flex_attention_over_any_length(compile_stages: CompileStages) -> None:
    """Each sequence length triggered a recompile of flex attention, until the limit was reached."""

    def attend(query: Tensor, key: Tensor, value: Tensor, mask: object) -> Tensor:
        return flex_attention(query, key, value, block_mask=mask)

    calls = []
    for length in (320, 256, 192, 128):
        mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, length, length, "cuda", 64)
        calls.append((*torch.randn(3, 1, 1, length, 64, dtype=torch.float16), mask))
    assert compile_stages(attend, calls=calls).metrics.recompiles == 1


@CPU
@pytest.mark.incident(
    "pytorch/pytorch#145220",
    versions="2.6",
    fails=">=2.12",
    stage="graph_breaks",
    cause="`Shape mismatch with out= tensor variant`",
)
def test_result_that_is_given_and_empty(compile_stages: CompileStages) -> None:
    """`torch.all` with an empty tensor as `out=` started to break the graph."""

    def f(x: Tensor) -> Tensor:
        return torch.all(x, dim=2, out=torch.empty(0, dtype=torch.bool))

    assert compile_stages(f, torch.ones(2, 3, 4, dtype=torch.bool)).metrics.graph_breaks == 0


def mean_beside(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return functional.all_reduce(x, "avg", dist.group.WORLD), y * y


@RANK
@pytest.mark.incident(
    "pytorch/pytorch#152252",
    versions="2.8",
    fails="<2.14",
    stage="collectives",
    cause="`enable_simple_overlap`: since 2.14 the scheduler moves waits after work that does not depend on them",
)
def test_result_that_is_waited_for_at_once(compile_stages: CompileStages) -> None:
    """Work independent of an all-reduce ran after the wait for it if the all-reduce's result is returned."""
    assert compile_stages(mean_beside, torch.randn(1024), torch.randn(1024))["collectives"].exposed == []


@RANK
@pytest.mark.incident(
    "pytorch/pytorch#127324",
    versions="2.3; `reorder_for_compute_comm_overlap`",
    fails="<2.14",
    stage="collectives",
    cause="`sink_waits` treats a node without a kernel as a user of the result",
)
def test_waits_that_do_not_sink(compile_stages: CompileStages) -> None:
    """The pass that sinks waits below other work moved none of them: a node without a kernel counted as a user."""
    config = {"reorder_for_compute_comm_overlap": True}
    captured = compile_stages(mean_beside, torch.randn(1024), torch.randn(1024), config=config)
    assert captured["collectives"].exposed == []


@RANK
@pytest.mark.incident(
    "pytorch/pytorch#174280",
    versions="2.10",
    fails="<2.14",
    stage="collectives",
    cause="the order in the wrapper: matmul, all-reduce, wait",
)
def test_product_that_is_asked_for_while_ranks_add(compile_stages: CompileStages) -> None:
    """A matmul meant to hide an all-reduce ran before the all-reduce started."""

    def f(x: Tensor, weight: Tensor) -> Tensor:
        total = functional.all_reduce(x, "sum", dist.group.WORLD)
        return total + (weight @ weight.T).sum()

    assert compile_stages(f, torch.randn(64, 64), torch.randn(64, 64))["collectives"].exposed == []


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Checkpointed(nn.Module):
    """Blocks that save nothing for backward, applied to each input in turn."""

    def __init__(self, blocks: int, width: int = 256) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(blocks))

    def forward(self, *inputs: Tensor) -> Tensor:
        total = inputs[0].new_zeros(())
        for x in inputs:
            for block in self.blocks:
                x = checkpoint(block, x, use_reentrant=False)
            total = total + x.sum()
        return total


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#193193",
    versions="2.9 to 2.13",
    fails=">=2.12",
    stage="metrics",
    cause="the compiled backward recomputes several blocks before it uses the first",
)
def test_checkpointed_blocks_that_are_run_twice(compile_stages: CompileStages) -> None:
    """With two passes through the same checkpointed blocks, backward held several blocks at once; with one pass one."""
    memory = [
        compile_stages(Checkpointed(blocks), *torch.randn(2, 8, 1024, 256), train=True).metrics.peak_memory
        for blocks in (1, 2)
    ]
    saved = 2 * 8 * 1024 * 256 * 4  # the inputs of one more block, in both passes
    assert memory[1] - memory[0] <= saved
