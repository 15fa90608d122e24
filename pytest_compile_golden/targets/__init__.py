"""Devices to compile for: virtual ones that are not there, and the machine's own. Importing it imports no torch."""

from pytest_compile_golden.targets import devices as _devices
from pytest_compile_golden.targets.cpu import VirtualCpu
from pytest_compile_golden.targets.cuda import VirtualCuda
from pytest_compile_golden.targets.devices import CpuProperties, CudaProperties
from pytest_compile_golden.targets.native import NativeCpu, NativeCuda
from pytest_compile_golden.targets.target import Target, active_target, get_target, register_target, target_names

__all__ = [
    "CpuProperties",
    "CudaProperties",
    "Target",
    "VirtualCpu",
    "VirtualCuda",
    "active_target",
    "get_target",
    "register_target",
    "target_names",
]

for _target in (
    VirtualCuda("cuda-sm80", _devices.A100_SXM_80GB),
    VirtualCuda("cuda-sm90", _devices.H100_SXM),
    VirtualCuda("cuda-sm100", _devices.B200),
    VirtualCuda("cuda-h200", _devices.H200_SXM),
    VirtualCpu("cpu-avx2", _devices.AVX2),
    VirtualCpu("cpu-avx512", _devices.AVX512),
    VirtualCpu("cpu-neon", _devices.NEON),
    NativeCpu(),
    NativeCuda(),
):
    register_target(_target)
