"""Kernels taken through the Triton compiler or the C++ compiler."""

from pytest_compile_golden.torch_internals.private_name import Attribute, Name

_TRITON = ("ttir", "ttgir", "llir", "ptx", "sass", "amdgcn", "kernel_resources")
# NVIDIA's tools are run where Triton compiles: without one, nothing of a kernel is kept.
_NVIDIA = ("ttir", "ttgir", "llir", "ptx", "sass", "kernel_resources")
COMPILE_TO_MODULE_LINES = Name(
    "torch._inductor.graph:GraphLowering._compile_to_module_lines",
    "the code that kernels are read from",
    takes="_, wrapper_code",
    stages=(
        "wrapper_code",
        "triton_code",
        "cpp_code",
        "template_code",
        "cost",
        "memory",
        "collectives",
        "trail",
        *_TRITON,
        "assembly",
    ),
    feature="any capture",
)
DEVICE_TYPES = Attribute(
    "torch._inductor.graph:GraphLowering.device_types",
    "the devices that a graph is compiled for",
    feature="the check that something is compiled for the target",
)
PRECOMPILE_CONFIG = Name(
    "torch._inductor.runtime.triton_heuristics:CachingAutotuner._precompile_config",
    "compiles a kernel for one configuration",
    stages=_TRITON,
    on="cuda",
)
GRID = Name(
    "torch._inductor.runtime.triton_heuristics:GridExpr.from_meta",
    "how many blocks a kernel is launched with, to tell whether two are launched alike",
    takes="inductor_meta, cfg",
    on="cuda",
)
GET_PTXAS = Name(
    "triton.backends.nvidia.compiler:get_ptxas",
    "NVIDIA's assembler",
    stages=_NVIDIA,
    on="cuda",
)
PTXAS = Name("triton.knobs:nvidia.ptxas", "where it is", stages=_NVIDIA, on="cuda")
CUOBJDUMP = Name(
    "triton.knobs:nvidia.cuobjdump",
    "reads NVIDIA's machine code",
    stages=_NVIDIA,
    on="cuda",
)
NVDISASM = Name(
    "triton.knobs:nvidia.nvdisasm",
    "prints NVIDIA's machine code",
    stages=_NVIDIA,
    on="cuda",
)
# Without them, rewritten kernels are compared as machine code, which takes longer.
CUDA_STAGES = Name(
    "triton.backends.nvidia.compiler:CUDABackend.add_stages",
    "stops behind Triton's own IR",
    takes="self, stages, options",
)
HIP_STAGES = Name(
    "triton.backends.amd.compiler:HIPBackend.add_stages",
    "stops behind Triton's own IR",
    takes="self, stages, options",
)
TENSOR_MEMORY = Attribute(
    "triton.backends.nvidia.compiler:CUDABackend.make_llir.tmem_size",
    "the columns of tensor memory that a kernel has",
)
HIP_BACKEND = Name(
    "triton.backends.amd.compiler:HIPBackend",
    "compiles for AMD",
    stages=("amdgcn",),
    on="cuda",
)
HEURISTICS_LOG = Name(
    "torch._inductor.runtime.triton_heuristics:log",
    "warns of kernels that are compiled alone",
)
CPP_OPTIONS = Name(
    "torch._inductor.cpp_builder:CppTorchOptions",
    "the C++ compiler's flags",
    stages=("assembly",),
    on="cpu",
)
CPP_COMPILER = Name(
    "torch._inductor.cpp_builder:cpp_compiler_search",
    "the C++ compiler",
    stages=("assembly",),
    on="cpu",
)
