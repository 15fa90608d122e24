"""A decoder trained with FSDP2 and tensor parallelism, and the parts of its step that are compiled."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

SHARDS, TENSOR = 8, 8
"""Ranks that share parameters, and ranks that share each matrix product: 64 in all."""


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.RMSNorm(width)
        self.gate, self.up = nn.Linear(width, 4 * width, bias=False), nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        h = self.norm(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


def sharded(width=512, device="cuda"):
    """One block, its products split over the ranks of a node and its parameters sharded over nodes."""
    mesh = init_device_mesh(device, (SHARDS, TENSOR), mesh_dim_names=("shard", "tensor"))
    plan = {"gate": ColwiseParallel(), "up": ColwiseParallel(), "down": RowwiseParallel()}
    block = parallelize_module(Block(width).bfloat16(), mesh["tensor"], plan)
    return fully_shard(block, mesh=mesh["shard"])


def gathered_ahead(device="cuda"):
    """A layer's products, while the next layer's weight is gathered from all ranks."""
    mesh = init_device_mesh(device, (SHARDS,))

    def products(shard, weight, x):
        following = DTensor.from_local(shard, mesh, [Shard(0)]).redistribute(placements=[Replicate()]).to_local()
        for _ in range(3):
            x = x @ weight
        return x @ following

    return products


def step(optimizer):
    """The optimizer's step as one compiled function."""

    def run():
        optimizer.step()

    return run


def adam(width=512):
    """An optimizer over one matrix that has a gradient, as after a backward."""
    weights = [torch.randn(width, width, requires_grad=True) for _ in range(4)]
    for weight in weights:
        weight.grad = torch.randn_like(weight)
    return torch.optim.AdamW(weights, foreach=True, capturable=True)
