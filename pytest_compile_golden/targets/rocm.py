"""An AMD GPU that is not there, as far as a torch that is built for other GPUs can tell what is compiled for it."""

from __future__ import annotations

from pytest_compile_golden.targets.cuda import VirtualCuda

_HIP = "7.1.52802"
"""Of the ROCm that such a torch would be built with; only that there is one decides anything."""


class VirtualRocm(VirtualCuda):
    """A GPU of AMD's with the given properties, which ROCm's torch calls `cuda` too, in a process for AMD's GPUs only.

    What is decided in Python (Inductor, its templates and heuristics, Triton's AMD backend) is as it is there. What
    only the C++ of ROCm's torch decides is assumed to be as on an NVIDIA GPU without cuDNN: docs/fidelity.md.
    """

    maker = "AMD"
    hip = _HIP
    # Triton's interpreter knows the functions of NVIDIA's library by their exact results, and not those of AMD's.
    interprets = False
