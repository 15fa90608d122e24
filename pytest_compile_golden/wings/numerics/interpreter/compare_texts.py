"""Whether another text of a kernel computes the same: both run on the same memory and every byte is compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_names import tensors
from pytest_compile_golden.wings.numerics.interpreter.kernels import InterpretedKernel
from pytest_compile_golden.wings.numerics.interpreter.machine import Machine

_disable_current_modes = tensors.DISABLE_MODES.get()


@contextmanager
def compared_with(others: Mapping[str, str]) -> Iterator[dict[str, str | None]]:
    """Until the block ends, also run each interpreted kernel in the other text that `others` has of it.

    others: complete texts, or texts starting with `@triton_heuristics`, by the name of the kernel that is running.
    The dictionary that this gives has an entry for each of these kernels that ran: None if all launches left the same
    bytes, or else what differs.
    """
    differences: dict[str, str | None] = {}
    loaded: dict[int, InterpretedKernel] = {}
    run = InterpretedKernel.run

    def both(self: InterpretedKernel, *args: Any, **kwargs: Any) -> None:
        other = others.get(self.name)
        if other is None or self in loaded.values():
            run(self, *args, **kwargs)
            return
        if id(self) not in loaded:
            loaded[id(self)] = _load(self, other)
        storages = [each.untyped_storage() for each in args if isinstance(each, torch.Tensor)]
        memory = {storage.data_ptr(): storage for storage in storages}
        with _disable_current_modes():  # the wrapper's library calls are watched
            before = {start: storage.clone() for start, storage in memory.items()}
            run(self, *args, **kwargs)
            after = {start: storage.clone() for start, storage in memory.items()}
            _put(memory, before)
            try:
                run(loaded[id(self)], *args, **kwargs)
                text = _difference(memory, after)
            except CompileGoldenError as error:
                text = str(error)
            _put(memory, after)
        differences[self.name] = differences.get(self.name) or text

    with Patches() as patches:
        patches.replace(InterpretedKernel, "run", both)
        yield differences


def _load(kernel: InterpretedKernel, text: str) -> InterpretedKernel:
    machine: Machine = kernel.machine
    if "import triton" not in text:
        text = kernel.text[: kernel.text.index("@triton_heuristics")] + text[text.index("@triton_heuristics") :]
    return machine.kernel(kernel.name, text)


def _put(memory: Mapping[int, Any], content: Mapping[int, Any]) -> None:
    for start, storage in memory.items():
        storage.copy_(content[start])


def _difference(memory: Mapping[int, Any], expected: Mapping[int, Any]) -> str | None:
    for start, storage in memory.items():
        mine, theirs = (torch.empty(0, dtype=torch.uint8).set_(buffer) for buffer in (storage, expected[start]))
        if not torch.equal(mine, theirs):
            return f"{int((mine != theirs).sum())} of {mine.numel()} bytes of a buffer differ"
    return None
