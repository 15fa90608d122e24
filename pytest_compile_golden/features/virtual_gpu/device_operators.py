"""Operators that only CUDA has, or keeps whole, on a device that computes."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import torch

from pytest_compile_golden.features.virtual_gpu.device_library import (
    device_view,
    host_view,
)
from pytest_compile_golden.targets import attention_choice
from pytest_compile_golden.targets.attention_choice import AttentionDevice
from pytest_compile_golden.targets.cuda_operators import STAND_INS, on_cpu
from pytest_compile_golden.targets.dispatcher_kernels import (
    decompose_recurrent,
    has_kernel,
    whole_on_cuda,
)
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import tensors

pytree = tensors.PYTREE.get()
_CPU = torch.device("cpu")
_IN_CPP = {"_fused_rms_norm", "_fused_rms_norm_backward"}
"""Those that the device's own library computes, without Python (card_operators.h)."""
_LAID_OUT = {"aten::_fft_r2c", "aten::_fft_c2c", "aten::_fft_c2r", "aten::_linalg_svd"}
"""Those whose results are laid out in memory otherwise than the CPU's."""


def install(patches: Patches, device: AttentionDevice) -> None:
    """Register their kernels for the device; they are removed on leaving."""
    _choose_attention(patches, device)
    library: Any = torch.library.Library("aten", "IMPL")
    patches.callback(library._destroy)
    whole = {name for name in whole_on_cuda() if not has_kernel(name, "CPU")}
    wanted = (
        {name.removeprefix("aten::") for name in STAND_INS} | whole | _decomposed()
    ) - _IN_CPP
    decompose_recurrent(library)
    with warnings.catch_warnings():
        # On a CUDA wheel each replaces the wheel's own kernel.
        warnings.simplefilter("ignore")
        for name in sorted(wanted):
            packet, _, overload = name.partition(".")
            func = getattr(
                getattr(torch.ops.aten, packet, None), overload or "default", None
            )
            if func is not None:
                library.impl(name, computed_on_host(func), "CUDA")


def _choose_attention(patches: Patches, device: AttentionDevice) -> None:
    """Say what device.cpp asks about attention: which kernel it has, and its result where there is more to do."""
    library: Any = torch.library.Library("compile_golden", "IMPL")
    patches.callback(library._destroy)

    def call(
        query: Any,
        key: Any,
        value: Any,
        mask: Any,
        dropout: float,
        causal: bool,
        *rest: Any,
    ) -> Any:
        scale, grouped = rest
        return attention_choice.AttentionCall(
            query, key, value, mask, dropout, causal, scale=scale, enable_gqa=grouped
        )

    composite = "CompositeImplicitAutograd"
    library.impl(
        "attention",
        lambda *args: attention_choice.attend(device, call(*args)),
        composite,
    )
    library.impl(
        "attention_kernel",
        lambda *args: attention_choice.choose(device, call(*args)),
        composite,
    )


@functools.cache
def _decomposed() -> set[str]:
    """Operators of which the CPU has no kernel, and torch a decomposition, such as the gradient of an RMS norm."""
    has_kernel, operator = names.HAS_COMPUTED_KERNEL.get(), tensors.OPERATOR.get()
    known = [
        func.name() for func in names.DECOMPOSITIONS.get() if isinstance(func, operator)
    ]
    return {
        name.removeprefix("aten::")
        for name in known
        if name.startswith("aten::") and not has_kernel(name, "CPU")
    }


def as_on_card(made: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """What an operator has made of these arguments, with the strides that it has on a card, by torch's own rules."""
    leaves, spec = pytree.tree_flatten(made)
    if not any(isinstance(leaf, torch.Tensor) and leaf.dim() > 1 for leaf in leaves):
        return made
    if torch.Tag.dynamic_output_shape in func.tags:
        return made  # its size depends on values
    with tensors.FAKE_MODE.get()() as mode:
        fake_args, fake_kwargs = pytree.tree_map_only(
            torch.Tensor, mode.from_tensor, (args, kwargs)
        )
        expected = pytree.tree_leaves(func(*fake_args, **fake_kwargs))
    for index, (mine, theirs) in enumerate(zip(leaves, expected, strict=False)):
        both = isinstance(mine, torch.Tensor) and isinstance(theirs, torch.Tensor)
        if both and mine.size() == theirs.size() and mine.stride() != theirs.stride():
            leaves[index] = mine.new_empty_strided(mine.size(), theirs.stride()).copy_(
                mine
            )
    return pytree.tree_unflatten(leaves, spec)


def computed_on_host(func: Any) -> Callable[..., Any]:
    """A kernel of the device that computes an operator with CPU tensors that have the same memory."""
    on_host, laid_out = on_cpu(func), func.name() in _LAID_OUT

    def kernel(*args: Any, **kwargs: Any) -> Any:
        given: list[torch.Tensor] = []
        host_args = _lowered(args, given)
        host_kwargs = {name: _lowered(value, given) for name, value in kwargs.items()}
        devices = {tensor.device for tensor in given if tensor.is_cuda or tensor.dim()}
        # Its lengths may be the CPU's.
        if len(devices) > 1 and "ctc_loss" not in func.name():
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                f"{' and '.join(sorted(map(str, devices)))}! (when checking arguments of {func})"
            )
        index = next((tensor.device.index for tensor in given if tensor.is_cuda), None)
        results = _raised(
            on_host(*host_args, **host_kwargs),
            torch.cuda.current_device() if index is None else index,
        )
        return as_on_card(results, func, args, kwargs) if laid_out else results

    # After a graph break C++ calls this from code that is being compiled, and Dynamo would compile it, too.
    undisturbed: Callable[..., Any] = torch.compiler.disable(kernel)
    return undisturbed


# Operators take and return tensors and lists of them, and nothing that is nested further: torch's pytree, which takes
# anything, would take most of the time of a small operator.


def _lowered(value: Any, given: list[torch.Tensor]) -> Any:
    """An argument as the CPU takes it, with the memory that it has; each tensor of it is added to `given`."""
    if isinstance(value, torch.Tensor):
        given.append(value)
        return host_view(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_lowered(element, given) for element in value)
    return _CPU if isinstance(value, torch.device) else value


def _raised(result: Any, index: int) -> Any:
    """A result on the device of this index."""
    if isinstance(result, torch.Tensor):
        return device_view(result, index)
    return (
        tuple(_raised(element, index) for element in result)
        if isinstance(result, (list, tuple))
        else result
    )
