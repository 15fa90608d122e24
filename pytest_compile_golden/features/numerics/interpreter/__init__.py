"""Runs generated Triton kernels on the CPU with Triton's interpreter, for the numerics of virtual GPUs.

blame_kernel: find the first kernel that writes a wrong value
buffer_reuse: memory that passes from one buffer to another
checked_memory: the memory of interpreted kernels: checks that accesses are in bounds, read what was written
inline_assembly: inline assembly of kernels: the arithmetic of PTX, computed for all elements of a block at once
interleaving: programs of a launch that wait for each other: each runs until it waits, and then another one does
interpreted_graph: runs a compiled graph by its own wrapper code, with kernels interpreted
interpreted_kernel: one kernel of the generated code: what a launch passes to it and does
kernel_faults: what stops an interpreted kernel: a fault in it, with its location
libdevice: CUDA's libdevice, computed by torch on the CPU: exact where CUDA's own is off by a rounding error or two
machine: what the kernels and library calls of a check run on: the memory, the language, and the choice of block sizes
triton_builder: Triton's interpreter with a GPU's arithmetic: narrow floats are rounded as on a GPU
triton_language: Triton's language on the CPU: operators, reductions
"""

import importlib.util

from pytest_compile_golden.errors import NotInterpretable


def check_numpy() -> None:
    """Raises NotInterpretable if NumPy is not installed, which this package needs but is not installed with."""
    if importlib.util.find_spec("numpy") is None:
        raise NotInterpretable(
            "Triton's interpreter needs NumPy, which is not installed: pip install numpy."
        )
