"""Memory that passes from one buffer to another, and must then no longer be read under the older buffer's name."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch.utils.weak import WeakTensorKeyDictionary

from pytest_compile_golden.common.regular_expressions import replaced
from pytest_compile_golden.torch_internals import tensors

_disable_current_modes = tensors.DISABLE_MODES.get()

marked = replaced(
    (
        (
            r"(?m)^( *)(\w+) = ([^;#\n]+?)((?:;[^#\n]*)?  # (?:reuse|alloc))$",
            r"\1\2 = new_holder('\2', \3)\4",
        ),
        (r"(?m)^( *)(\w+) = (alloc_from_pool\(.*\))$", r"\1\2 = new_holder('\2', \3)"),
    )
)
"""Wrapper code that passes each buffer that gets another one's memory, or a part of a pool, to `new_holder`.

torch/_inductor/codegen/wrapper.py: make_buffer_reuse, make_tensor_alias; memory_planning.py: AllocFromPoolLine.
"""

Use = Literal["reads", "writes", "in place"]
"""What a kernel does with a tensor that is passed to it."""


def use_of(parameter: str, mutated: Collection[str]) -> Use:
    """Decided by Inductor's names for a kernel's parameters; for the user's kernels, Inductor lists those `mutated`."""
    if parameter.startswith("out_ptr"):
        return "writes"
    return (
        "in place"
        if parameter.startswith("in_out_ptr") or parameter in mutated
        else "reads"
    )


@dataclass(eq=False)
class Holder:
    """A buffer in memory that used to be another one's."""

    name: str
    before: Holder | None
    """The buffer whose values it may start from, as with a kernel that works in place."""
    fresh: bool = True
    """Whether it has not been used yet."""

    def inherits(self, other: Holder) -> bool:
        return self is other or (
            self.before is not None and self.before.inherits(other)
        )


@dataclass(frozen=True)
class LastWriter:
    """Who wrote these bytes of a storage last."""

    low: int
    high: int
    holder: Holder | None
    """None is the buffer that the memory was first allocated for."""
    by: str
    """A description of the writer."""

    def __str__(self) -> str:
        holder = self.holder.name if self.holder else "the first buffer"
        return f"has belonged to {holder} since {self.by} wrote to it"


class Holders:
    """Which buffer each tensor of the wrapper code is, or is a view of; unknown ones are the first in their memory."""

    def __init__(self) -> None:
        self._of = WeakTensorKeyDictionary()

    def new(self, name: str, tensor: torch.Tensor) -> torch.Tensor:
        """`tensor` as the buffer `name`, in a new object."""
        buffer = part_of(
            tensor,
            tensor.dtype,
            tensor.storage_offset(),
            tensor.size(),
            tensor.stride(),
        )
        self._of[buffer] = Holder(name, self.of(tensor))
        return buffer

    def of(self, tensor: torch.Tensor) -> Holder | None:
        holder: Holder | None = self._of.get(tensor)
        return holder

    def view(self, of: torch.Tensor, made: torch.Tensor) -> torch.Tensor:
        """Record that `made` is a view of the same buffer as `of`, and return it."""
        holder = self.of(of)
        if holder is not None and made is not of:
            self._of[made] = holder
        return made

    def used(self, tensor: torch.Tensor, in_place: bool) -> bool:
        """Whether this is the first use of a buffer's memory and does not start from the existing values."""
        holder = self.of(tensor)
        if holder is None or not holder.fresh:
            return False
        holder.fresh = False
        if not in_place:
            holder.before = None
        return not in_place

    def stale(
        self, tensor: torch.Tensor, history: list[LastWriter]
    ) -> list[LastWriter]:
        """What other buffers, which have been given the memory of `tensor` since, have written there."""
        holder, (low, high) = self.of(tensor), extent(tensor)
        return [
            write
            for write in history
            if write.holder is not None
            and write.low < high
            and low < write.high
            and (holder is None or not holder.inherits(write.holder))
        ]

    def wrote(self, tensor: torch.Tensor, by: str, history: list[LastWriter]) -> None:
        """Record in the history of a storage that `tensor`, a part of it, was written."""
        holder, (low, high) = self.of(tensor), extent(tensor)
        if holder is None and not history:
            return
        left = [
            LastWriter(write.low, min(write.high, low), write.holder, write.by)
            for write in history
            if write.low < low
        ]
        right = [
            LastWriter(max(write.low, high), write.high, write.holder, write.by)
            for write in history
            if write.high > high
        ]
        history[:] = [*left, *right, LastWriter(low, high, holder, by)]


def part_of(
    memory: torch.Tensor, dtype: torch.dtype, offset: int, size: Any, stride: Any
) -> torch.Tensor:
    """A tensor in the storage of another, its first element `offset` elements from the start."""
    with _disable_current_modes():  # the wrapper's library calls are watched
        return torch.empty(0, dtype=dtype, device=memory.device).set_(
            memory.untyped_storage(), offset, size, stride
        )


def extent(tensor: torch.Tensor) -> tuple[int, int]:
    """The first byte of its storage that belongs to a tensor, and the one after the last."""
    if not tensor.numel():
        return 0, 0
    last = sum(
        (size - 1) * stride
        for size, stride in zip(tensor.size(), tensor.stride(), strict=True)
    )
    width = tensor.element_size()
    return tensor.storage_offset() * width, (tensor.storage_offset() + last + 1) * width
