"""torch's fake process group: this process is one rank of many, no others exist, and it leaves nothing behind."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pytest_compile_golden.errors import (
    EagerFailed,
    InvalidOption,
    NeedsNetwork,
    ProcessGroupExists,
    UnsupportedTorch,
)
from pytest_compile_golden.targets import current_context
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.target import Target
from pytest_compile_golden.torch_internals import distributed as names


@dataclass(frozen=True)
class Ranks:
    """Which rank of how many a process is. Raises InvalidOption if there is no such rank."""

    world_size: int
    rank: int = 0

    def __post_init__(self) -> None:
        if type(self.world_size) is not int or self.world_size < 1:
            raise InvalidOption(
                f"world_size takes the number of ranks, 1 or more, not {self.world_size!r}."
            )
        if type(self.rank) is not int or not 0 <= self.rank < self.world_size:
            raise InvalidOption(
                f"rank takes 0 to {self.world_size - 1}, for a world_size of {self.world_size}, not {self.rank!r}."
            )


def require_values(world_size: int | None = None) -> None:
    """Raise EagerFailed in a fake process group, where computed values are not what they would be in a real one.

    world_size: that of the group in which a program is yet to be run, if any.
    """
    if current_context.now(Ranks) is not None or world_size is not None:
        raise EagerFailed(
            "numerics compares values, and in a fake process group no rank sends any: every result would be wrong. "
            "Check the part of the program that has no collectives, without world_size=."
        )


def group_name(ranks: Sequence[int]) -> str:
    """The ranks of a group, in short: `0-7`, `0-6:2` with the step between them, `0,3,4` where there is none."""
    step = ranks[1] - ranks[0] if len(ranks) > 1 else 1
    if len(ranks) < (2 if step == 1 else 3) or list(ranks) != list(
        range(ranks[0], ranks[-1] + 1, step or 1)
    ):
        return ",".join(map(str, ranks))
    return f"{ranks[0]}-{ranks[-1]}" + (f":{step}" if step != 1 else "")


@contextlib.contextmanager
def fake_process_group(ranks: Ranks, target: Target) -> Iterator[None]:
    """Be `ranks.rank` of a fake process group on the active `target` until the block ends, then restore the process.

    Entering the same ranks again inside has no effect. Raises ProcessGroupExists if the process is in another group,
    and UnsupportedTorch if torch is built without distributed.
    """
    if current_context.now(Ranks) == ranks:
        yield
        return
    import torch.distributed as dist

    if not dist.is_available():
        raise UnsupportedTorch(
            "the installed torch is built without torch.distributed, and world_size needs it."
        )
    if dist.is_initialized():
        raise ProcessGroupExists(_exists(ranks))
    from pytest_compile_golden.targets import distributed_api

    with Patches() as patches:
        distributed_api.leave_no_trace(patches)
        distributed_api.install(patches, target)
        name_by_ranks(patches, ranks.world_size)
        names.FAKE_GROUP.get()  # registers the backend
        patches.enter_context(current_context.within(ranks))
        # The program may have destroyed it.
        patches.callback(
            lambda: dist.destroy_process_group() if dist.is_initialized() else None
        )
        # torch's hook puts the rank before each line of an uncaught error.
        patches.put(sys, "excepthook", sys.excepthook)
        dist.init_process_group("fake", rank=ranks.rank, world_size=ranks.world_size)
        _refuse_network(patches)
        yield


def name_by_ranks(patches: Patches, world_size: int) -> None:
    """Make torch name groups, as they appear in graphs and code, by their ranks, not by how many there were before.

    torch/distributed/distributed_c10d.py: _process_group_name, which gets no ranks for the whole world.
    """

    times_used: dict[str, int] = {}

    def name(members: Sequence[int], use_hashed_name: bool) -> str:
        called = group_name(list(members) or range(world_size))
        times_used[called] = times_used.get(called, 0) + 1
        return called if times_used[called] == 1 else f"{called} ({times_used[called]})"

    patches.replace(*names.GROUP_NAME.resolve(), name)


def _exists(ranks: Ranks) -> str:
    import torch.distributed as dist

    inside = current_context.now(Ranks)
    if inside is not None:
        return (
            f"this process is rank {inside.rank} of a fake process group of {inside.world_size}, and cannot be "
            f"rank {ranks.rank} of {ranks.world_size} inside it; leave that one first, or leave out world_size= and "
            "rank=."
        )
    return (
        f"this process already has a process group ({dist.get_backend()}, {dist.get_world_size()} ranks), and "
        f"world_size={ranks.world_size} would make a fake one. Leave out world_size= to capture with the existing one, "
        "or end it first with torch.distributed.destroy_process_group()."
    )


def _refuse_network(patches: Patches) -> None:
    """Make everything with which a program would look for other processes say that there are none."""
    import torch.distributed as dist
    from torch.distributed import distributed_c10d

    def refuse(call: str, *args: object, **kwargs: object) -> Any:
        raise NeedsNetwork(
            f"the program calls {call}, which looks for other processes, but the fake process group of this case has "
            "only one. Leave the call out (world_size= and rank= have made the group); for real ranks, start them with "
            "torchrun and leave out world_size=."
        )

    def fake_only(original: Any) -> Any:
        def make(*args: Any, **kwargs: Any) -> Any:
            backend = str(args[3] if len(args) > 3 else "")
            if backend not in ("", "None", "fake", "undefined"):
                return refuse(f"torch.distributed with the backend {backend!r}")
            return original(*args, **kwargs)

        return make

    # If a program calls it by any other name, torch refuses a second group with its own message.
    for module in (dist, distributed_c10d):
        patches.replace(
            module,
            "init_process_group",
            partial(refuse, "torch.distributed.init_process_group"),
        )
    patches.wrap(*names.NEW_GROUP.resolve(), fake_only)
    for name in ("TCPStore", "FileStore"):
        patches.replace_if_present(
            dist, name, partial(refuse, f"torch.distributed.{name}")
        )
