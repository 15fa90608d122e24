"""Operators for which torch has no fake implementation: they run on zeros, as on a real device.

torch calls the device's own kernel (run_fallback_kernel, torch/_subclasses/fake_tensor.py) and keeps the shapes of its
results. Here the CPU's kernel is called, or a stand-in for one that only CUDA has. Arguments with known values keep
them: sizes may follow from lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from pytest_compile_golden.targets.cuda_operators import on_cpu
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import tensors

FakeTensor = tensors.FAKE_TENSOR.get()
pytree = tensors.PYTREE.get()
no_dispatch = tensors.NO_DISPATCH.get()


def install(patches: Patches) -> None:
    """Answer for the virtual GPU's kernels while `patches` holds."""
    patches.answer(*names.FALLBACK_KERNEL.resolve(), run_on_zeros)


def run_on_zeros(
    fake_mode: Any,
    func: Any,
    flat_args: Sequence[object],
    args_spec: Any,
    error: Exception,
) -> Any:
    """Fake tensors like the results of `func`. Raises `error` if the CPU has no such operator either."""
    if torch.Tag.inplace_view in func.tags:
        raise error
    devices = [leaf.fake_device for leaf in flat_args if isinstance(leaf, FakeTensor)]
    device = max(
        devices,
        key=lambda candidate: candidate.type == "cuda",
        default=torch.device("cpu"),
    )
    inputs: set[int] = set()

    def zeros(leaf: object) -> object:
        if not isinstance(leaf, FakeTensor):
            return torch.device("cpu") if isinstance(leaf, torch.device) else leaf
        known_values = getattr(leaf.fake_mode, "known", None)
        value = None if known_values is None else known_values.value_or_none(leaf)
        # A copy, since the operator may write to it.
        real = torch.zeros_like(leaf, device="cpu") if value is None else value.clone()
        inputs.add(real.untyped_storage()._cdata)
        return real

    def fake(leaf: object) -> object:
        if not isinstance(leaf, Tensor):
            return leaf
        if leaf.untyped_storage()._cdata in inputs:
            raise error  # what it shares with an input is not known
        meta = torch.empty_strided(
            leaf.size(), leaf.stride(), dtype=leaf.dtype, device="meta"
        )
        return FakeTensor(fake_mode, meta, device)

    # Operators that draw random numbers must not take any from the program.
    with no_dispatch(), torch.random.fork_rng(devices=[]):
        try:
            args, kwargs = pytree.tree_unflatten(
                [zeros(leaf) for leaf in flat_args], args_spec
            )
            result = on_cpu(func)(*args, **kwargs)
        except (RuntimeError, NotImplementedError):
            raise error from None  # it says which operator it is, and that the virtual GPU cannot run it
        return pytree.tree_map(fake, result)
