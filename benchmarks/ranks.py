"""The cost of 64 ranks of a Llama block, 8-way tensor parallel and 8-way fully sharded, and how they differ."""

from __future__ import annotations

import argparse
import os
import resource
import time
from typing import Any

import torch
from torch.distributed import init_device_mesh
from torch.distributed.fsdp import fully_shard

from cases.test_distributed import sequence_parallel_block
from pytest_compile_golden import capture_ranks

WORLD = 64
TENSOR = 8


def _rank_of_block() -> tuple[Any, ...]:
    mesh = init_device_mesh(
        "cuda", (WORLD // TENSOR, TENSOR), mesh_dim_names=("data", "tensor")
    )
    block = fully_shard(sequence_parallel_block(mesh["tensor"]), mesh=mesh["data"])
    return block, torch.randn(1, 4, 256, dtype=torch.bfloat16)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--ranks", type=int, default=WORLD, help="how many of the 64 to capture"
    )
    parser.add_argument("--train", action="store_true", help="forward and backward")
    parser.add_argument(
        "--processes",
        type=int,
        default=os.cpu_count(),
        help="how many ranks to capture at a time",
    )
    arguments = parser.parse_args()
    began = time.monotonic()
    captured = capture_ranks(
        _rank_of_block,
        world_size=WORLD,
        ranks=range(arguments.ranks),
        processes=arguments.processes,
        target="cuda-sm90",
        train=arguments.train,
    )
    here, forked = (
        resource.getrusage(who)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    processor = sum(usage.ru_utime + usage.ru_stime for usage in (here, forked))
    print(captured)
    print(
        f"{len(captured)} of {WORLD} ranks, {arguments.processes} at a time: ", end=""
    )
    print(f"{time.monotonic() - began:.1f} s, {processor:.1f} CPU seconds")


if __name__ == "__main__":
    main()
