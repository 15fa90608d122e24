"""One rank of many: collectives in graphs, tensor and data parallelism, and hiding communication."""

import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn
from torch.distributed import DeviceMesh, init_device_mesh
from torch.distributed import _functional_collectives as functional
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(world_size=4, rank=1)
gpu = pytest.mark.compile_golden(target="cuda-sm90")


def mesh() -> DeviceMesh:
    return init_device_mesh(torch.get_default_device().type, (dist.get_world_size(),))


class Mlp(nn.Module):
    def __init__(self, width: int = 64, hidden: int = 128) -> None:
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.relu(self.up(x)))


class Norm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), self.weight)


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.head = width // heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = (each(x).view(batch, length, -1, self.head).transpose(1, 2) for each in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(y.transpose(1, 2).reshape(batch, length, -1))


class SwiGlu(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.gate, self.up = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class LlamaBlock(nn.Module):
    """A Llama block without rotary embeddings, which involve no communication."""

    def __init__(self, width: int = 256, heads: int = 8) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = Norm(width), Norm(width)
        self.attention = Attention(width, heads)
        self.mlp = SwiGlu(width, 2 * width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm_1(x))
        return x + self.mlp(self.norm_2(x))


def sequence_parallel_block(ranks: DeviceMesh) -> nn.Module:
    """A block whose activations are sharded by position between its matmuls, and by head or column inside."""
    whole = PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),))
    plan = {
        "norm_1": SequenceParallel(),
        "attention": whole,
        **{f"attention.{name}": ColwiseParallel() for name in "qkv"},
        "attention.o": RowwiseParallel(output_layouts=Shard(1)),
        "norm_2": SequenceParallel(),
        "mlp": whole,
        "mlp.gate": ColwiseParallel(),
        "mlp.up": ColwiseParallel(),
        "mlp.down": RowwiseParallel(output_layouts=Shard(1)),
    }
    return parallelize_module(LlamaBlock().to(torch.bfloat16), ranks, plan)


def test_functional_collectives(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> tuple[Tensor, ...]:
        world = dist.group.WORLD
        return (
            functional.all_reduce(x, "sum", world) + 1,
            functional.all_gather_tensor(x, 0, world) + 1,
            functional.reduce_scatter_tensor(x, "avg", 0, world) + 1,
            functional.all_to_all_single(x, None, None, world) + 1,
        )

    captured = compile_stages(f, torch.randn(64, 32))
    collectives = captured["collectives"]
    assert sorted(collectives.kinds) == ["all_gather", "all_reduce", "all_to_all_single", "reduce_scatter"]
    assert {each.group for each in collectives.all} == {"0-3"}
    assert captured == golden


def test_collective_in_place(compile_stages: CompileStages, golden: Golden) -> None:
    """A call to torch.distributed itself, which Dynamo makes functional and Inductor makes in-place again."""

    def f(x: Tensor) -> Tensor:
        y = x * 2
        dist.all_reduce(y)
        return y + 1

    captured = compile_stages(f, torch.randn(64, 32))
    assert captured["collectives"].kinds == ["all_reduce"]
    assert captured["post_grad_graph"].has("_c10d_functional.all_reduce_")
    assert captured == golden


def test_group_of_some_ranks(compile_stages: CompileStages, golden: Golden) -> None:
    odd = dist.new_group([1, 3])
    captured = compile_stages(lambda x: functional.all_reduce(x, "sum", odd) + 1, torch.randn(64, 32))
    assert [each.group for each in captured["collectives"].all] == ["1,3"]
    assert captured == golden


def test_tensor_parallel_mlp_training(compile_stages: CompileStages, golden: Golden) -> None:
    """Column-wise, then row-wise: one all-reduce in forward, and none in backward as the input needs no gradient."""
    model = parallelize_module(Mlp(), mesh(), {"up": ColwiseParallel(), "down": RowwiseParallel()})
    captured = compile_stages(model, torch.randn(32, 64), train=True)
    assert captured["collectives"].kinds == ["all_reduce"]
    assert captured.metrics.graph_breaks == 0
    assert captured == golden


def test_sequence_parallel_mlp_training(compile_stages: CompileStages, golden: Golden) -> None:
    """The all-reduce is split around position-wise work; the amount sent in forward stays the same."""
    plan = {"up": ColwiseParallel(input_layouts=Shard(0)), "down": RowwiseParallel(output_layouts=Shard(0))}
    model = parallelize_module(Mlp(), mesh(), plan)
    captured = compile_stages(model, torch.randn(8, 64), train=True)
    forward, backward = captured["collectives"].graphs
    assert [each.kind for each in forward.collectives] == ["all_gather", "reduce_scatter"]
    assert [each.kind for each in backward.collectives] == ["all_gather"]
    assert captured == golden


@gpu
def test_sequence_parallel_llama_block(compile_stages: CompileStages, golden: Golden) -> None:
    block = sequence_parallel_block(mesh())
    captured = compile_stages(block, torch.randn(1, 16, 256, dtype=torch.bfloat16))
    assert captured["collectives"].kinds == ["all_gather", "reduce_scatter"] * 2
    assert captured == golden


@gpu
def test_sequence_parallel_llama_block_training(compile_stages: CompileStages, golden: Golden) -> None:
    block = sequence_parallel_block(mesh())
    captured = compile_stages(block, torch.randn(1, 16, 256, dtype=torch.bfloat16), train=True)
    forward, backward = captured["collectives"].graphs
    assert [each.kind for each in forward.collectives] == ["all_gather", "reduce_scatter"] * 2
    assert {each.kind for each in backward.collectives} == {"all_gather", "reduce_scatter"}
    assert captured["collectives"] == golden


class Layers(nn.Module):
    """Each layer is one mebibyte of parameters, the smallest bucket of DistributedDataParallel."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(512, 512, bias=False) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = F.relu(layer(x))
        return x


def test_data_parallel_training(compile_stages: CompileStages, golden: Golden) -> None:
    """The graph is split where a gradient bucket is full, so that it can be reduced while backward continues."""
    model = DistributedDataParallel(Layers(), bucket_cap_mb=1, init_sync=False)
    captured = compile_stages(model, torch.randn(32, 512), train=True)
    assert [graph.key.split for graph in captured["forward_graph"].graphs] == [0, 1, 2]
    assert [(each.name, each.kinds) for each in captured["collectives"].eager] == [
        ("eager before graph_0_split_1_backward", ["all_reduce"]),
        ("eager before graph_0_split_0_backward", ["all_reduce"]),
        ("eager after graph_0_split_0_backward", ["all_reduce"]),
    ]
    assert captured == golden


@gpu
def test_fully_sharded_training(compile_stages: CompileStages, golden: Golden) -> None:
    """Parameters are gathered by hooks: compiled code sees them whole, and contains no collective."""
    model = fully_shard(Mlp(), mesh=mesh())
    captured = compile_stages(model, torch.randn(32, 64), train=True)
    collectives = captured["collectives"]
    assert collectives.graphs == ()
    assert [each.kinds for each in collectives.eager] == [["all_gather"], ["reduce_scatter"]]
    assert captured["forward_graph"].count("aten.mm") == 2
    assert captured == golden


@gpu
def test_fully_sharded_llama_blocks_training(compile_stages: CompileStages, golden: Golden) -> None:
    """Tensor parallel in pairs, sharded across pairs: collectives in the graphs, and in hooks before and after each."""
    pairs = init_device_mesh("cuda", (2, 2), mesh_dim_names=("data", "tensor"))
    blocks = [fully_shard(sequence_parallel_block(pairs["tensor"]), mesh=pairs["data"]) for _ in range(2)]
    model = fully_shard(nn.Sequential(*blocks), mesh=pairs["data"])
    captured = compile_stages(model, torch.randn(1, 8, 256, dtype=torch.bfloat16), train=True)
    sharding = [each.kind for part in captured["collectives"].eager for each in part.collectives if each.group == "1,3"]
    assert sharding == ["all_gather"] * 4 + ["reduce_scatter"] * 2
    assert captured["collectives"] == golden


@pytest.mark.compile_golden(config={"bucket_all_reduces_fx": "all"})
def test_bucketed_all_reduces(compile_stages: CompileStages, golden: Golden) -> None:
    def f(*tensors: Tensor) -> list[Tensor]:
        return [functional.all_reduce(each, "sum", dist.group.WORLD) + 1 for each in tensors]

    captured = compile_stages(f, *(torch.randn(64, 64) for _ in range(3)))
    assert captured["collectives"].requested == {"all_reduce": 3}
    assert captured["collectives"].kinds == ["all_reduce"]
    assert captured == golden


@pytest.mark.compile_golden(config={"bucket_all_gathers_fx": "all"})
def test_bucketed_all_gathers(compile_stages: CompileStages, golden: Golden) -> None:
    def f(*tensors: Tensor) -> list[Tensor]:
        return [functional.all_gather_tensor(each, 0, dist.group.WORLD) + 1 for each in tensors]

    captured = compile_stages(f, *(torch.randn(64, 64) for _ in range(3)))
    assert captured["collectives"].requested == {"all_gather": 3}
    assert captured["collectives"].kinds == ["all_gather"]
    assert captured == golden


def beside_products(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """An all-reduce, and work that does not wait for it."""
    reduced = functional.all_reduce(x, "sum", dist.group.WORLD)
    return reduced + 1, y @ y @ y


@gpu
def test_waited_for_at_once(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(beside_products, torch.randn(4096, 4096), torch.randn(4096, 4096))
    assert captured["collectives"].exposed == ["all_reduce"]
    assert captured["collectives"] == golden


@gpu
@pytest.mark.compile_golden(
    config={
        "reorder_for_compute_comm_overlap": True,
        "reorder_for_compute_comm_overlap_passes": [
            "reorder_communication_preserving_peak_memory",
            "sink_waits_iterative",
            "reorder_communication_preserving_peak_memory",
        ],
    }
)
def test_reordered_for_overlap(compile_stages: CompileStages, golden: Golden) -> None:
    """The wait sinks below the matmuls, as far as the target's rates say that it pays off."""
    captured = compile_stages(beside_products, torch.randn(4096, 4096), torch.randn(4096, 4096))
    assert captured["collectives"].exposed == []
    assert captured == golden


@gpu
@pytest.mark.filterwarnings("ignore:.*enable_symm_mem_for_group.*:FutureWarning")
@pytest.mark.compile_golden(config={"_micro_pipeline_tp": True})
def test_async_tensor_parallel(compile_stages: CompileStages, golden: Golden) -> None:
    """All-gather + matmul and matmul + reduce-scatter are one kernel each, which communicates while it multiplies."""
    from torch.distributed._symmetric_memory import enable_symm_mem_for_group

    ranks = mesh()
    enable_symm_mem_for_group(ranks.get_group().group_name)
    plan = {"up": ColwiseParallel(input_layouts=Shard(0)), "down": RowwiseParallel(output_layouts=Shard(0))}
    model = parallelize_module(Mlp(256, 512).to(torch.bfloat16), ranks, plan)
    captured = compile_stages(model, torch.randn(128, 256, dtype=torch.bfloat16))
    assert captured["collectives"].fused == ["fused_all_gather_matmul", "fused_matmul_reduce_scatter"]
    assert captured == golden
