"""Memory that passes from one buffer to another: what the older one's name still stands for is not read any more."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.weak import WeakTensorKeyDictionary

_PASSED_ON = re.compile(r"^( *)(\w+) = ([^;#\n]+?)((?:;[^#\n]*)?  # (?:reuse|alloc))$", re.M)
_FROM_POOL = re.compile(r"^( *)(\w+) = (alloc_from_pool\(.*\))$", re.M)

Use = Literal["reads", "writes", "in place"]
"""What a kernel does with a tensor that it is given."""


def use_of(parameter: str, mutated: Collection[str]) -> Use:
    """By what Inductor calls a kernel's parameters; those of the user's kernels it lists as `mutated`."""
    if parameter.startswith("out_ptr"):
        return "writes"
    return "in place" if parameter.startswith("in_out_ptr") or parameter in mutated else "reads"


def marked(code: str) -> str:
    """Wrapper code in which each buffer that gets another one's memory, or a part of a pool, is told to `new_holder`.

    torch/_inductor/codegen/wrapper.py: make_buffer_reuse, make_tensor_alias; memory_planning.py: AllocFromPoolLine.
    """
    code = _PASSED_ON.sub(r"\1\2 = new_holder('\2', \3)\4", code)
    return _FROM_POOL.sub(r"\1\2 = new_holder('\2', \3)", code)


@dataclass(eq=False)
class Holder:
    """A buffer that was given memory which had been another one's."""

    name: str
    before: Holder | None
    """The buffer whose values it may start from, as a kernel that works in place does."""
    fresh: bool = True
    """Whether nothing has been done with it yet."""

    def inherits(self, other: Holder) -> bool:
        return self is other or (self.before is not None and self.before.inherits(other))


@dataclass(frozen=True)
class Written:
    """Who wrote these bytes of a storage last."""

    low: int
    high: int
    holder: Holder | None
    """None: whoever the memory was first allocated for."""
    by: str
    """In words."""

    def __str__(self) -> str:
        return f"is {self.holder.name if self.holder else 'the first buffer'}'s since {self.by} wrote into it"


class Holders:
    """Which buffer each tensor of the wrapper code is, or is a view of; those that are not known are the first ones."""

    def __init__(self) -> None:
        self._of = WeakTensorKeyDictionary()

    def new(self, name: str, tensor: torch.Tensor) -> torch.Tensor:
        """`tensor` as the buffer `name`, an object of its own."""
        buffer = part_of(tensor, tensor.dtype, tensor.storage_offset(), tensor.size(), tensor.stride())
        self._of[buffer] = Holder(name, self.of(tensor))
        return buffer

    def of(self, tensor: torch.Tensor) -> Holder | None:
        holder: Holder | None = self._of.get(tensor)
        return holder

    def view(self, of: torch.Tensor, made: torch.Tensor) -> torch.Tensor:
        """`made` is the same buffer as `of`, seen in another way."""
        holder = self.of(of)
        if holder is not None and made is not of:
            self._of[made] = holder
        return made

    def used(self, tensor: torch.Tensor, in_place: bool) -> bool:
        """Whether this is the first use of a buffer's memory, and not one that starts from what is there."""
        holder = self.of(tensor)
        if holder is None or not holder.fresh:
            return False
        holder.fresh = False
        if not in_place:
            holder.before = None
        return not in_place

    def stale(self, tensor: torch.Tensor, history: list[Written]) -> list[Written]:
        """What another buffer, to which the memory of `tensor` was given since, has written there."""
        holder, (low, high) = self.of(tensor), extent(tensor)
        return [
            write
            for write in history
            if write.holder is not None
            and write.low < high
            and low < write.high
            and (holder is None or not holder.inherits(write.holder))
        ]

    def wrote(self, tensor: torch.Tensor, by: str, history: list[Written]) -> None:
        """Add to the history of a storage that `tensor`, a part of it, was written."""
        holder, (low, high) = self.of(tensor), extent(tensor)
        if holder is None and not history:
            return
        left = [
            Written(write.low, min(write.high, low), write.holder, write.by) for write in history if write.low < low
        ]
        right = [
            Written(max(write.low, high), write.high, write.holder, write.by) for write in history if write.high > high
        ]
        history[:] = [*left, *right, Written(low, high, holder, by)]


def part_of(memory: torch.Tensor, dtype: torch.dtype, offset: int, size: Any, stride: Any) -> torch.Tensor:
    """A tensor in the storage of another, its first element `offset` elements from the start."""
    with _disable_current_modes():  # the wrapper's library calls are watched
        return torch.empty(0, dtype=dtype).set_(memory.untyped_storage(), offset, size, stride)


def extent(tensor: torch.Tensor) -> tuple[int, int]:
    """The first byte of its storage that belongs to a tensor, and the one behind its last."""
    if not tensor.numel():
        return 0, 0
    last = sum((size - 1) * stride for size, stride in zip(tensor.size(), tensor.stride(), strict=True))
    width = tensor.element_size()
    return tensor.storage_offset() * width, (tensor.storage_offset() + last + 1) * width
