"""Nested tensors with the jagged layout on a virtual GPU.

The size of a ragged dimension is a symbol that equals only itself. A fake tensor of offsets remembers its symbol;
torch's rules for this are made for compilation (torch/_subclasses/fake_tensor.py: create_symbolic_nested_int), and
these are eager's.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch

from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_names import device as names
from pytest_compile_golden.torch_names import tensors

FakeTensor = tensors.FAKE_TENSOR.get()

# Far from eager's own, which start at 0 and may be in the same process.
_numbers = itertools.count(1_000_000)


def make_common_argument() -> None:
    """Make the one tensor that all of them are given (torch/nested/_internal/nested_tensor.py: _nt_view_dummy).

    If a program made it, while being traced or on a virtual GPU, it would be the kind of tensor that is made there, and
    what is traced later would differ from what was traced first.
    """
    if names.NESTED_ARGUMENT.here:
        names.NESTED_ARGUMENT.get()()


def install(patches: Patches, mode: Any) -> None:
    """Let tensors of `mode`, the virtual GPU's mode, be offsets."""
    nested_int = names.NESTED_INT.get()

    def symbol(*, nt_tensor_id: int | None = None) -> torch.SymInt:
        return torch.SymInt(nested_int(next(_numbers) if nt_tensor_id is None else nt_tensor_id, 1))

    def unflatten(original: Callable[..., Any]) -> Callable[..., Any]:
        def of(inner: dict[str, Any], meta: Any, outer_size: Any, outer_stride: Any) -> Any:
            # Running compiled code has a plain number instead of the symbol, and would make the offsets remember that.
            source = inner.get("_lengths", inner["_offsets"])
            if isinstance(source, FakeTensor) and source.fake_mode is mode:
                outer_size = {meta["ragged_idx"]: source.get_nested_int()}
            return original(inner, meta, outer_size, outer_stride)

        return of

    mode.create_symbolic_nested_int = symbol
    patches.wrap(*names.NESTED_UNFLATTEN.resolve(), unflatten)
