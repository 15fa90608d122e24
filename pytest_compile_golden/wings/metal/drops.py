"""Why torch would not launch a kernel in a given configuration: torch's own rules, applied without launching."""

from __future__ import annotations

from typing import Any

import torch

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.record.code import Resources

_TENSOR_MEMORY = 512  # columns that a block may have (triton/compiler/compiler.py: CompiledKernel._init_handles)
_SPILLS = 16


def not_compiled(error: Exception) -> str:
    """The reason for a configuration that Triton or ptxas rejects; torch goes on without it."""
    first = next((line.strip() for line in split_lines(str(error)) if line.strip()), "")
    return f"does not compile: {type(error).__name__}" + (f": {first}" if first else "")


def drop_reason(autotuner: Any, binary: Any, resources: Resources) -> str:
    """Why a configuration that compiles is dropped before its first launch; empty if it is not.

    Follows CompiledKernel._init_handles in triton/compiler/compiler.py, which rejects kernels that exceed the card's
    resources, and CachingAutotuner.bench in torch/_inductor/runtime/triton_heuristics.py, which does not time kernels
    that spill.
    """
    device = torch.cuda.get_device_properties(torch.cuda.current_device())
    shared = device.shared_memory_per_block_optin
    if resources.shared > shared:
        return f"{resources.shared} bytes of shared memory, of {shared} that a block may have"
    tensor_memory = getattr(binary.metadata, "tmem_size", None) or 0
    if tensor_memory > _TENSOR_MEMORY:
        return f"{tensor_memory} columns of tensor memory, of {_TENSOR_MEMORY} that a block may have"
    if not resources.occupancy:
        return f"{resources.registers} registers for each of {resources.threads} threads, more than there are"
    limit = autotuner.inductor_meta.get("spill_threshold", _SPILLS)
    if resources.spills > limit and len(autotuner.configs) > 1 and not autotuner.custom_kernel:
        return f"{resources.spills} spills: with more than {limit}, torch takes another configuration"
    return ""
