"""Devices to compile for: virtual ones, and the machine's own. Importing this imports no torch."""

from pytest_compile_golden.targets import devices as _devices
from pytest_compile_golden.targets.device_properties import (
    CpuProperties,
    CudaProperties,
    Rates,
)
from pytest_compile_golden.targets.native_targets import NativeCpu, NativeCuda
from pytest_compile_golden.targets.target import (
    Target,
    active_target,
    get_target,
    register_target,
    target_names,
    target_or_default,
)
from pytest_compile_golden.targets.virtual_cpu import VirtualCpu
from pytest_compile_golden.targets.virtual_cuda import VirtualCuda, VirtualRocm

__all__ = [
    "CpuProperties",
    "CudaProperties",
    "Rates",
    "Target",
    "VirtualCpu",
    "VirtualCuda",
    "VirtualRocm",
    "active_target",
    "get_target",
    "register_target",
    "target_names",
    "target_or_default",
]

for _name, _gpu in _devices.GPUS.items():
    _kind = VirtualRocm if _gpu.properties.gcnArchName else VirtualCuda
    register_target(
        _kind(
            _name, _gpu.properties, rates=_gpu.rates, gpus_per_node=_gpu.gpus_per_node
        )
    )
for _name, _cpu in _devices.CPUS.items():
    register_target(VirtualCpu(_name, _cpu.properties, _cpu.rates))
for _target in (NativeCpu(), NativeCuda()):
    register_target(_target)
