"""A virtual AMD GPU, as far as a torch that is built for other GPUs can tell what would be compiled for it."""

from __future__ import annotations

from pytest_compile_golden.targets.cuda import VirtualCuda

_HIP = "7.1.52802"
"""The version of ROCm that such a torch would be built with; it only matters that there is one."""


class VirtualRocm(VirtualCuda):
    """An AMD GPU with the given properties, in a process for AMD's GPUs only. ROCm's torch also calls it `cuda`.

    What is decided in Python (Inductor, its templates and heuristics, Triton's AMD backend) is the same as there. What
    only the C++ of ROCm's torch decides is assumed to be as on an NVIDIA GPU without cuDNN: docs/fidelity.md.
    """

    vendor = "AMD"
    hip = _HIP
    # Exact results stand in for the functions of NVIDIA's library in Triton's interpreter, but not for those of AMD's.
    interpretable = False
