"""What Triton's AMD backend reports about a compiled kernel, in the assembly that it keeps with the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.facts.code import Resources
from pytest_compile_golden.targets.occupancy import wave_occupancy

_FIELD = re.compile(r"^ +(?:- )?\.(?P<name>\w+): +(?P<number>\d+)$", re.M)
"""A field of the kernel's metadata, which the loader reads (LLVM, "User Guide for AMDGPU Backend": code object V5)."""


def compiler(binary: Any) -> str:
    """What compiled a kernel. LLVM and the linker are part of Triton."""
    return f"Triton {binary.metadata.triton_version} for {binary.metadata.arch}"


def disassembled(binary: Any, folder: Path) -> tuple[dict[str, str], Resources]:
    """The texts, by stage, and the resources of a kernel that Triton compiled; `folder` is not used."""
    metadata = binary.metadata
    texts = {stage: text for stage, text in binary.asm.items() if isinstance(text, str)}
    fields = {match["name"]: int(match["number"]) for match in _FIELD.finditer(texts["amdgcn"])}
    # From gfx90a on, both kinds of registers share one file, and this is their total.
    registers, stack = fields["vgpr_count"], fields["private_segment_fixed_size"]
    threads = metadata.num_warps * metadata.warp_size
    device = torch.cuda.get_device_properties(torch.cuda.current_device())
    resident = wave_occupancy(device, threads, registers, metadata.shared)
    return texts, Resources(registers, stack, metadata.shared, threads, resident)
