"""What the tools in Triton's wheel, for NVIDIA's and AMD's cards, report about a compiled kernel; and its occupancy."""

from __future__ import annotations

import inspect
import re
import subprocess
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.facts.generated_code import Resources
from pytest_compile_golden.targets import CudaProperties
from pytest_compile_golden.torch_internals import kernels

# Per multiprocessor, by compute capability (CUDA C++ Programming Guide, technical specifications); torch does not say.
_BLOCKS = {(7, 5): 16, (8, 6): 16, (8, 7): 16, (8, 9): 24, (12, 0): 24, (12, 1): 24}
_BLOCKS_ELSEWHERE = 32
# Since compute capability 7.0, and so on every card that Triton compiles for.
_REGISTERS_AT_ONCE = 256  # a warp's registers are allocated in pieces of this size
_WARPS_AT_ONCE = 4  # a multiprocessor has this many parts, each with its own registers
_SHARED_AT_ONCE = 128
_SHARED_RESERVED = 1024  # in each block, by CUDA, since 8.0
_USAGE = re.compile(
    r"^ Function (?P<name>\S+):\n\s*REG:(?P<registers>\d+) STACK:(?P<stack>\d+) ", re.M
)
_FIELD = re.compile(r"^ +(?:- )?\.(?P<name>\w+): +(?P<number>\d+)$", re.M)
"""A field of the kernel's metadata, which the loader reads (LLVM, "User Guide for AMDGPU Backend": code object V5)."""


def occupancy(device: CudaProperties, threads: int, registers: int, shared: int) -> int:
    """Percent of a multiprocessor's threads that blocks of `threads` threads can fill; 0 if not even one block fits.

    registers: 32-bit registers per thread. shared: bytes per block.
    """
    warps = -(-threads // device.warp_size)
    of_a_warp = _rounded_up(max(registers, 1) * device.warp_size, _REGISTERS_AT_ONCE)
    with_registers = (
        device.regs_per_multiprocessor // of_a_warp // _WARPS_AT_ONCE * _WARPS_AT_ONCE
    )
    reserved = _SHARED_RESERVED if device.major >= 8 else 0
    of_a_block = _rounded_up(shared + reserved, _SHARED_AT_ONCE)
    blocks = min(
        _BLOCKS.get((device.major, device.minor), _BLOCKS_ELSEWHERE),
        device.max_threads_per_multi_processor // (warps * device.warp_size),
        with_registers // warps,
        *(
            [device.shared_memory_per_multiprocessor // of_a_block]
            if of_a_block
            else []
        ),
    )
    return (
        100
        * blocks
        * warps
        * device.warp_size
        // device.max_threads_per_multi_processor
    )


# Per compute unit (AMD Instinct MI300 Instruction Set Architecture): four parts, each with the registers of 8 waves.
_SIMDS = 4
_VECTOR_REGISTERS = 512
_VECTOR_REGISTERS_AT_ONCE = 8
_LDS_AT_ONCE = 512


def wave_occupancy(
    device: CudaProperties, threads: int, registers: int, shared: int
) -> int:
    """The same for AMD's GPUs since gfx90a, as a percentage of the threads that a compute unit can hold.

    registers: vector registers per thread. shared: bytes of local data share per block.
    """
    waves = -(-threads // device.warp_size)
    of_a_wave = _rounded_up(max(registers, 1), _VECTOR_REGISTERS_AT_ONCE)
    of_a_block = _rounded_up(shared, _LDS_AT_ONCE)
    most = device.max_threads_per_multi_processor // device.warp_size
    blocks = min(
        most // waves,
        _SIMDS * (_VECTOR_REGISTERS // of_a_wave) // waves,
        *(
            [device.shared_memory_per_multiprocessor // of_a_block]
            if of_a_block
            else []
        ),
    )
    return 100 * blocks * waves // most


def _rounded_up(number: int, step: int) -> int:
    return -(-number // step) * step


def compiler(binary: Any) -> str:
    """What compiled a kernel, with the versions that its machine code depends on."""
    metadata = binary.metadata
    if "amdgcn" in binary.asm:  # LLVM and the linker are part of Triton
        return f"Triton {metadata.triton_version} for {metadata.arch}"
    find = kernels.GET_PTXAS.get()
    # Triton brings a second assembler, for newer cards, since 3.6.
    ptxas = find(metadata.target.arch) if inspect.signature(find).parameters else find()
    return (
        f"Triton {metadata.triton_version}, ptxas {ptxas.version} for {metadata.arch}"
    )


def disassembled(binary: Any, folder: Path) -> tuple[dict[str, str], Resources]:
    """The texts, by stage, and the resources of a kernel that Triton compiled (triton/compiler/compiler.py)."""
    metadata = binary.metadata
    texts = {stage: text for stage, text in binary.asm.items() if isinstance(text, str)}
    threads = metadata.num_warps * metadata.warp_size
    device = torch.cuda.get_device_properties(torch.cuda.current_device())
    if "amdgcn" in texts:
        fields = {
            match["name"]: int(match["number"])
            for match in _FIELD.finditer(texts["amdgcn"])
        }
        # From gfx90a on, both kinds of registers share one file, and this is their total.
        registers, stack = fields["vgpr_count"], fields["private_segment_fixed_size"]
        resident = wave_occupancy(device, threads, registers, metadata.shared)
    else:
        cubin = folder / f"{binary.hash}.cubin"
        cubin.write_bytes(binary.asm["cubin"])
        texts["sass"] = _run(kernels.NVDISASM.get().path, "-c", cubin)
        registers, stack = registers_and_stack(metadata.name, cubin)
        resident = occupancy(device, threads, registers, metadata.shared)
    return texts, Resources(registers, stack, metadata.shared, threads, resident)


def registers_and_stack(kernel: str, cubin: Path) -> tuple[int, int]:
    """32-bit registers of a thread, and its bytes of stack, of a kernel in a file with NVIDIA's machine code."""
    printed = _run(kernels.CUOBJDUMP.get().path, "-res-usage", cubin)
    usage = next(match for match in _USAGE.finditer(printed) if match["name"] == kernel)
    return int(usage["registers"]), int(usage["stack"])


def _run(*command: str | Path) -> str:
    # stderr is ignored: it only warns that the text format is an older one for cards before Blackwell.
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
