"""Programs for two ranks: captured here for both, or by real ranks with `python two_ranks.py FOLDER`.

Real ranks are processes that rendezvous in the folder, where each writes what it captured. Their collectives run on
gloo.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import _functional_collectives as functional
from torch.distributed import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel

from pytest_compile_golden import capture
from pytest_compile_golden.observe.record_compile import prepare
from pytest_compile_golden.targets import get_target
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.process_group import name_by_ranks
from tests.programs import texts

TARGET = "cpu-avx2"


class Mlp(nn.Module):
    """Two layers, the first split among the ranks by columns and the second by rows."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = (
            nn.Linear(16, 32, bias=False),
            nn.Linear(32, 16, bias=False),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.up(x).relu())


def parallel(shape: tuple[int, int] | None = None) -> tuple[Any, ...]:
    """The program of the rank it is called on, split along the last dimension of a mesh of that shape."""
    device = torch.get_default_device().type
    mesh = init_device_mesh(
        device, shape or (1, dist.get_world_size()), mesh_dim_names=("data", "tensor")
    )["tensor"]
    plan = {
        "up": ColwiseParallel(input_layouts=Shard(0)),
        "down": RowwiseParallel(output_layouts=Shard(0)),
    }
    return parallelize_module(Mlp(), mesh, plan), torch.randn(8, 16)


def exchanging() -> tuple[Any, ...]:
    """Collectives over the whole world, called by the function itself."""

    def f(x: Tensor) -> Tensor:
        gathered = functional.all_gather_tensor(x, 0, dist.group.WORLD)
        return (
            functional.all_reduce(gathered.relu(), "sum", dist.group.WORLD)
            + dist.get_rank()
        )

    return f, torch.randn(8, 16)


def sharded() -> tuple[Any, ...]:
    """Two layers that hooks gather in forward and again in backward, where they also scatter the gradients."""
    mesh = init_device_mesh(torch.get_default_device().type, (dist.get_world_size(),))
    layers = [fully_shard(Mlp(), mesh=mesh) for _ in range(2)]
    return fully_shard(nn.Sequential(*layers), mesh=mesh), torch.randn(8, 16)


class Normalised(nn.Module):
    """Layers of one mebibyte, whose gradients fill a bucket each, and buffers that all ranks take from rank 0."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = (nn.Linear(512, 512, bias=False) for _ in range(2))
        self.norm = nn.BatchNorm1d(512)

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.norm(self.first(x)))


def replicated() -> tuple[Any, ...]:
    return DistributedDataParallel(Normalised(), bucket_cap_mb=1), torch.randn(8, 512)


PROGRAMS: dict[str, tuple[Callable[[], tuple[Any, ...]], bool]] = {
    "parallel": (parallel, True),
    "exchanging": (exchanging, False),
    "sharded": (sharded, True),
    "replicated": (replicated, True),
}


def _rank(rank: int, folder: Path) -> None:
    with Patches() as patches, get_target(TARGET).active():
        name_by_ranks(patches, 2)
        dist.init_process_group(
            "gloo", init_method=f"file://{folder / 'meeting'}", rank=rank, world_size=2
        )
        made = {}
        for name, (build, train) in PROGRAMS.items():
            fn, *inputs = build()
            made[name] = texts(capture(fn, *inputs, train=train))
        dist.destroy_process_group()
    (folder / f"{rank}.json").write_text(json.dumps(made), encoding="utf-8")


if __name__ == "__main__":
    # One process does the imports for both ranks, and what the first capture would set up.
    prepare(TARGET)
    first = os.fork()
    _rank(1 if first else 0, Path(sys.argv[1]))
    if first:
        assert os.waitpid(first, 0)[1] == 0
