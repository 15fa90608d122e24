"""What running compiled code against eager needs: Triton's interpreter, Inductor's fuzzer and its bisector."""

from pytest_compile_golden.torch_internals.private_name import Attribute, Name

_NUMERICS = "numerics"
_HEURISTICS = "torch._inductor.runtime.triton_heuristics"
_BUILDER = "torch._inductor.async_compile:AsyncCompile."

INTERPRETER = Name("triton.runtime.interpreter", "runs kernels", feature=_NUMERICS)
JIT = Name("triton.runtime.jit", "what a kernel is", feature=_NUMERICS)
CODE_GENERATOR = Name(
    "triton.compiler.code_generator",
    "what Triton runs instead of compiling",
    feature=_NUMERICS,
)
HELPERS = Name(
    "torch._inductor.runtime.triton_helpers",
    "Inductor's own functions in kernels",
    feature=_NUMERICS,
)
HEURISTICS = Name(_HEURISTICS, "the configurations of a kernel", feature=_NUMERICS)
ENFORCE_MINIMUMS = Name(
    _HEURISTICS + ":_enforce_reduction_config_block_minimums",
    "the configurations of a kernel",
    since="2.13",
)
MAX_BLOCK = Name(
    "torch._inductor.runtime.hints:TRITON_MAX_BLOCK",
    "the largest blocks",
    feature=_NUMERICS,
)
HEURISTIC = Name(
    "torch._inductor.runtime.hints:HeuristicType",
    "the kinds of kernels",
    feature=_NUMERICS,
)
BUILD_TRITON = Name(_BUILDER + "triton", "builds a kernel", feature=_NUMERICS)
BUILD_MULTI_KERNEL = Name(
    _BUILDER + "multi_kernel", "builds a kernel", feature=_NUMERICS
)
SAVE_RANDOM = Name(
    "torch._prims.rng_prims:run_and_save_rng_state",
    "numbers drawn twice",
    feature=_NUMERICS,
)
SAVED_RANDOM = Name(
    "torch._prims.rng_prims:run_with_rng_state",
    "numbers drawn twice",
    feature=_NUMERICS,
)
GENERATOR_RANDOM = Name(
    "torch._prims.rng_prims:graphsafe_run_with_rng_state",
    "numbers drawn twice",
    feature=_NUMERICS,
)

KEEP_OUTPUT_STRIDE = Name(
    "torch._inductor.config:keep_output_stride",
    "the strides of outputs",
    feature=_NUMERICS,
)
PAD_OUTPUTS = Name(
    "torch._inductor.config:pad_outputs", "the strides of outputs", feature=_NUMERICS
)
STRICT_STRIDES = Name(
    "torch._inductor.config:strict_output_strides",
    "the strides of outputs",
    feature=_NUMERICS,
    since="2.14",
)
JOINT_PASSES = Name(
    "torch._inductor.compile_fx:joint_graph_passes", "the strides of outputs"
)
LEAVE_OUT_CAST = Name(
    "torch._inductor.codegen.cpp:CppKernel.cache_dtype_convert",
    "the C++ without casts to half precision and back",
    takes="self, dst, dst_dtype, src, src_dtype",
)
FUZZER_DEFAULTS = Name(
    "torch._inductor.fuzzer:MODULE_DEFAULTS",
    "settings to try",
    feature="numerics with settings",
)
DEPRECATED = Attribute(
    "torch.utils._config_module:_ConfigEntry.deprecated",
    "settings not to try",
    feature="numerics with settings",
)
FUZZER_SAMPLING = Name(
    "torch._inductor.fuzzer:SamplingMethod",
    "settings to try",
    feature="numerics with settings",
)
_BISECTOR = "the step that makes results differ"
BISECTOR = Name(
    "torch._inductor.compiler_bisector:CompilerBisector",
    "turns steps off",
    feature=_BISECTOR,
)
CONFIG_CHANGE = Name(
    "torch._inductor.compiler_bisector:ConfigChange",
    "turns a setting off",
    feature=_BISECTOR,
)
SELECT_DECOMPOSITIONS = Name(
    "torch._inductor.compile_fx:select_decomp_table",
    "what is decomposed",
    feature=_BISECTOR,
)
