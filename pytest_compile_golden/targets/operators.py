"""Operators that only CUDA wheels keep whole: give the CPU wheel's dispatcher the CUDA kernels it lacks.

Found by walking `torch._C._dispatch_get_all_op_names()` on the CUDA wheels of 2.13.0 and 2.15.0 for operators that have
both a CompositeImplicitAutograd and a CUDA kernel. Where the CUDA kernel is missing, the dispatcher decomposes such an
operator above autograd, so that graphs (training graphs above all) show its parts. Everything else with a CUDA kernel
is whole on both wheels, since its autograd kernel or its registered decomposition is in libtorch_cpu.
"""

from __future__ import annotations

from typing import Any

from pytest_compile_golden.targets.patching import Patches

WHOLE_ON_CUDA = ("_fused_rms_norm", "silu_backward", "mish_backward")


def install(patches: Patches) -> None:
    """Register CUDA kernels for the operators above where this wheel has none; they are gone on leaving."""
    import torch

    library: Any = torch.library.Library("aten", "IMPL")
    patches.callback(library._destroy)
    _decompose_recurrent(library)
    for name in WHOLE_ON_CUDA:
        if not hasattr(torch.ops.aten, name):
            continue
        if not torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", "CUDA"):
            library.impl(name, _never_runs(name), "CUDA")


def _decompose_recurrent(library: Any) -> None:
    """Run LSTM, GRU and RNN outside of graphs by torch's decomposition: cuDNN's kernel is not in the CPU wheel.

    torch.compile breaks the graph at them (torch._dynamo.config.allow_rnn), so that their result only has to be fake.
    """
    import torch
    import torch._decomp.decompositions

    composite = torch._C.DispatchKey.CompositeImplicitAutograd
    for name in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
        for variant in ("input", "data"):
            overload = getattr(getattr(torch.ops.aten, name), variant)
            if composite in overload.py_kernels:
                for key in ("CUDA", "AutogradCUDA"):
                    library.impl(f"{name}.{variant}", overload.py_kernels[composite], key)


def _never_runs(name: str) -> Any:
    def kernel(*args: object, **kwargs: object) -> None:
        raise NotImplementedError(f"aten::{name} on a virtual GPU: its tensors are fake, nothing should run it")

    return kernel
