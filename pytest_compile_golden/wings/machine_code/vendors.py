"""What the tools in Triton's wheel report about a compiled kernel: NVIDIA's, and its own backend for AMD's cards."""

from __future__ import annotations

import inspect
import re
import subprocess
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.facts.code import Resources
from pytest_compile_golden.targets.occupancy import occupancy, wave_occupancy
from pytest_compile_golden.torch_names import kernels

_USAGE = re.compile(r"^ Function (?P<name>\S+):\n\s*REG:(?P<registers>\d+) STACK:(?P<stack>\d+) ", re.M)
_FIELD = re.compile(r"^ +(?:- )?\.(?P<name>\w+): +(?P<number>\d+)$", re.M)
"""A field of the kernel's metadata, which the loader reads (LLVM, "User Guide for AMDGPU Backend": code object V5)."""


def compiler(binary: Any) -> str:
    """What compiled a kernel, with the versions that its machine code depends on."""
    metadata = binary.metadata
    if "amdgcn" in binary.asm:  # LLVM and the linker are part of Triton
        return f"Triton {metadata.triton_version} for {metadata.arch}"
    find = kernels.GET_PTXAS.get()
    # Triton brings a second assembler, for newer cards, since 3.6.
    ptxas = find(metadata.target.arch) if inspect.signature(find).parameters else find()
    return f"Triton {metadata.triton_version}, ptxas {ptxas.version} for {metadata.arch}"


def disassembled(binary: Any, folder: Path) -> tuple[dict[str, str], Resources]:
    """The texts, by stage, and the resources of a kernel that Triton compiled (triton/compiler/compiler.py)."""
    metadata = binary.metadata
    texts = {stage: text for stage, text in binary.asm.items() if isinstance(text, str)}
    threads = metadata.num_warps * metadata.warp_size
    device = torch.cuda.get_device_properties(torch.cuda.current_device())
    if "amdgcn" in texts:
        fields = {match["name"]: int(match["number"]) for match in _FIELD.finditer(texts["amdgcn"])}
        # From gfx90a on, both kinds of registers share one file, and this is their total.
        registers, stack = fields["vgpr_count"], fields["private_segment_fixed_size"]
        resident = wave_occupancy(device, threads, registers, metadata.shared)
    else:
        cubin = folder / f"{binary.hash}.cubin"
        cubin.write_bytes(binary.asm["cubin"])
        texts["sass"] = _run(kernels.NVDISASM.get().path, "-c", cubin)
        printed = _run(kernels.CUOBJDUMP.get().path, "-res-usage", cubin)
        usage = {match["name"]: match for match in _USAGE.finditer(printed)}
        registers, stack = (int(usage[metadata.name][resource]) for resource in ("registers", "stack"))
        resident = occupancy(device, threads, registers, metadata.shared)
    return texts, Resources(registers, stack, metadata.shared, threads, resident)


def _run(*command: str | Path) -> str:
    # stderr is ignored: it only warns that the text format is an older one for cards before Blackwell.
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
