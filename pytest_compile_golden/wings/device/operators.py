"""Operators that only CUDA has, or keeps whole, on a device that computes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch

from pytest_compile_golden.targets.cuda_operators import STAND_INS, devices_on_cpu, on_cpu
from pytest_compile_golden.targets.operators import decompose_recurrent, whole_on_cuda
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import tensors
from pytest_compile_golden.wings.device.library import device_view, host_view

pytree = tensors.PYTREE.get()


_CHOOSING = {"convolution", "convolution_backward"}
"""Operators that are composed of others for any device, and would choose those of cuDNN that C++ alone can call."""


def install(patches: Patches) -> None:
    """Register their kernels for the device; they are removed on leaving."""
    library: Any = torch.library.Library("aten", "IMPL")
    patches.callback(library._destroy)
    wanted = {name.removeprefix("aten::") for name in STAND_INS} | set(whole_on_cuda()) | _CHOOSING
    decompose_recurrent(library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on a CUDA wheel each replaces the wheel's own kernel
        for name in sorted(wanted):
            func = _overload(name)
            if func is not None:
                library.impl(name, computed_on_host(func), "CUDA")


def _overload(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)


def computed_on_host(func: Any) -> Callable[..., Any]:
    """A kernel of the device that computes an operator with CPU tensors that have the same memory."""
    on_host = on_cpu(func)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        given = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        devices = {str(tensor.device) for tensor in given if tensor.is_cuda or tensor.dim()}
        if len(devices) > 1 and "ctc_loss" not in func.name():  # its lengths may be the CPU's
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                f"{' and '.join(sorted(devices))}! (when checking arguments of {func})"
            )
        on_device = [tensor.device.index for tensor in given if tensor.is_cuda]
        index = on_device[0] if on_device else torch.cuda.current_device()
        args, kwargs = pytree.tree_map_only(torch.Tensor, host_view, devices_on_cpu((args, kwargs)))
        results = on_host(*args, **kwargs)
        return pytree.tree_map_only(torch.Tensor, lambda result: device_view(result, index), results)

    # After a graph break C++ calls this from code that is being compiled, and Dynamo would compile it, too.
    undisturbed: Callable[..., Any] = torch.compiler.disable(kernel)
    return undisturbed
