"""Devices to compile for: virtual ones, and the machine's own. Importing this imports no torch.

after_code_generation: after code generation nothing is built: what torch does next is left out
answer_autotuning: the declared policy for what torch decides by timing: max-autotune, padding, benchmarked fusion
attention_choice: which kernel scaled_dot_product_attention uses on a virtual GPU
autotuning_policy: the policies by which a virtual target decides what torch would decide by timing, by name
build_library: build a library of ours once per torch build into the user's cache folder, and load it; shim.cpp is one
cuda_api: the Python side of CUDA: torch.cuda, torch.backends and torch._C answer for the virtual GPU
cuda_compiler: answers for a virtual GPU to what Dynamo, Inductor, AOTInductor and Triton ask; nothing is launched
cuda_operators/: the operators that only CUDA has, computed on the CPU
cuda_streams: torch.cuda's streams and events on a virtual GPU, where each launch is done when it returns
current_context: what the process is in the middle of, one of each kind: a target, ranks, a program's last call
device_caches: forget what torch remembers about devices
device_properties: what describes a virtual device: what drivers, torch and libraries report, and peak rates
devices: the virtual devices: what the driver of each card reports, and what data sheets promise
dispatcher_kernels: operators that only CUDA wheels keep whole
distributed_api: answers to what torch.distributed asks of devices and of other ranks when neither exists
dynamo_tables: Dynamo's once-per-process tables, built before a target replaces anything that they are built from
fake_tensors: a virtual GPU's fake tensors where torch expects none: as the inputs of a graph
import_torch: import the parts of torch that a compile needs, without side effects on the process
known_values: small values known on a virtual GPU: those that follow from constants, or from inputs of whole numbers
missing_fake_rules: operators for which torch has no fake implementation: they run on zeros, as on a real device
native_targets: the machine's own CPU and GPU: kernels are built and run
patching: replace attributes of torch temporarily; they are always restored
pattern_registry: keep the pattern-matcher patterns of targets apart: torch registers them once per process
precompile: `torch.compiler.precompile` on a virtual GPU
process_group: torch's fake process group: this process is one rank of many, no others exist
run_lowered_graph: a compiled graph's call that runs the graph that Inductor lowered, operator by operator
signature_check: which of torch's names an error is about
target: what a target is, which ones there are, and whose GPUs the torch of this process is for
target_files: virtual targets from files: a device's properties as JSON, to compile for another machine's device
tensor_placement: copy tensors, modules and optimizers to a target's device, keeping views, ties and strides
unused_results: results that nothing will read
user_launches: the user's Triton kernels launched outside of compiled code: compiled for a virtual GPU
virtual_cpu: a CPU that may differ from this machine's: C++ code is generated for its instruction set
virtual_cuda: a virtual GPU, NVIDIA's or AMD's: tensors are fake, properties are data, code generation is real
"""

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
