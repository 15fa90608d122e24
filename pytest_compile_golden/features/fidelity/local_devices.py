"""This machine's own devices, as the properties of virtual targets like them."""

from __future__ import annotations

import os
import platform
from dataclasses import MISSING, fields, replace
from typing import Any

import torch

from pytest_compile_golden.errors import TargetUnavailable
from pytest_compile_golden.targets.device_properties import (
    CpuProperties,
    CudaProperties,
    CudaRuntime,
)
from pytest_compile_golden.targets.native_targets import NativeCuda
from pytest_compile_golden.targets.virtual_cpu import VirtualCpu
from pytest_compile_golden.targets.virtual_cuda import VirtualCuda
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import settings


def like(native: str) -> VirtualCpu | VirtualCuda:
    """A virtual target with the properties that `native-cpu` or `native-cuda` has here, called `like-native-cpu` ..."""
    if native == NativeCuda.name:
        properties, runtime = cuda_properties()
        rates = NativeCuda().rates
        return VirtualCuda(
            f"like-{native}",
            properties,
            runtime,
            rates,
            gpus_per_node=torch.cuda.device_count(),
        )
    return VirtualCpu(f"like-{native}", cpu_properties())


def cpu_properties() -> CpuProperties:
    """This CPU as Inductor's C++ backend sees it. Raises TargetUnavailable if Inductor finds no vector instructions."""
    isa = names.PICK_VEC_ISA.get()()
    name = type(isa).__name__.removeprefix("Vec")
    if not isa or name == "InvalidVecISA":
        raise TargetUnavailable(
            "Inductor finds no vector instruction set that it can build for here, so no virtual CPU can match this "
            "one. Install a C++ compiler (g++), or see what torch._inductor.cpu_vec_isa.valid_vec_isa_list() returns."
        )
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return CpuProperties(
        isa=name,
        machine=platform.machine(),
        capability=torch.backends.cpu.get_cpu_capability(),
        mkl=bool(names.HAS_MKL.get()),
        acl=_asks_onednn("_is_mkldnn_acl_supported"),
        bf16=_asks_onednn("_is_mkldnn_bf16_supported"),
        fp16=_asks_onednn("_is_mkldnn_fp16_supported"),
        flags=frozenset(
            member[len("_is_") : -len("_supported")]
            for member in vars(torch.cpu)
            if member.startswith("_is_")
            and member.endswith("_supported")
            and getattr(torch.cpu, member)()
        ),
        threads=torch.get_num_threads()
        if settings.CPP_THREADS.get() < 1
        else settings.CPP_THREADS.get(),
        cores=os.cpu_count() if settings.CPP_THREADS.get() < 1 else None,
        **{
            size: int(capabilities[size])
            for size in ("l1d_cache_size", "l2_cache_size")
            if capabilities.get(size)
        },
    )


def _asks_onednn(name: str) -> bool:
    is_available = getattr(torch.ops.mkldnn, name, None)
    return bool(
        torch.backends.mkldnn.is_available()
        and is_available is not None
        and is_available()
    )


def cuda_properties() -> tuple[CudaProperties, CudaRuntime]:
    """The first GPU, and the CUDA libraries with which this torch drives it. Raises TargetUnavailable without a GPU."""
    NativeCuda().require()
    gpu: Any = torch.cuda.get_device_properties(0)
    values: dict[str, Any] = {}
    for field in fields(CudaProperties):
        value = getattr(gpu, field.name, field.default)
        # An older torch version does not report everything; what is the same for all cards has a default.
        if value is MISSING:
            raise TargetUnavailable(
                f"torch {torch.__version__} does not report the {field.name} of {gpu.name}, which a virtual GPU needs. "
                "Use a newer torch version, or describe the card with CudaProperties."
            )
        values[field.name] = str(value) if field.name == "uuid" else value
    if not torch.version.hip:
        # It is the card's name here (torch/csrc/cuda/Module.cpp), which would be taken for one of AMD's architectures.
        values["gcnArchName"] = ""
    runtime = CudaRuntime(
        str(torch.version.cuda), int(torch.backends.cudnn.version() or 0)
    )
    if torch.distributed.is_nccl_available():
        major, minor, patch, *_ = torch.cuda.nccl.version()
        runtime = replace(runtime, nccl=(major, minor, patch))
    return CudaProperties(**values), runtime
