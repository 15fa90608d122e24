"""What a program brings: functions that are already compiled, backends, kernels of its own."""

from pytest_compile_golden.torch_internals.private_name import Attribute, Name

_EVAL = "torch._dynamo.eval_frame:"
_COMPILED = "programs that are already compiled"
_CONTEXT = _EVAL + "_TorchDynamoContext."
_KERNELS = "the line of a user's kernel that does not compile"
_WRAP = "torch._higher_order_ops.triton_kernel_wrap:"

OPTIMIZED_MODULE = Name(
    _EVAL + "OptimizedModule", "a compiled module", feature="any capture"
)
OPTIMIZE_CONTEXT = Name(
    _EVAL + "OptimizeContext", "what torch.compile makes", feature="any capture"
)
WRAPPERS = Name(
    "torch._dynamo.external_utils",
    "where a function that cannot be traced is wrapped",
    feature=_COMPILED,
)
ORIGINAL = Attribute(
    _CONTEXT + "__call__._torchdynamo_orig_callable",
    "the function inside",
    feature=_COMPILED,
)
IN_PLACE = Attribute(
    "torch.nn:Module._compiled_call_impl",
    "what module.compile() sets",
    feature=_COMPILED,
)
DYNAMIC = Attribute(
    _EVAL + "OptimizeContext._dynamic",
    "the dynamic= of torch.compile",
    feature=_COMPILED,
)
FULLGRAPH = Attribute(
    _EVAL + "OptimizeContext.fullgraph",
    "the fullgraph= of torch.compile",
    feature=_COMPILED,
)
HOOKS = Attribute(
    _EVAL + "OptimizeContext._hooks",
    "the guard filter of torch.compile",
    feature=_COMPILED,
)
GUARD_FILTER = Attribute(
    "torch._dynamo.hooks:Hooks.guard_filter_fn",
    "the guard filter itself",
    feature=_COMPILED,
)
SHAPES_SPEC = Attribute(
    _EVAL + "OptimizeContext._shapes_spec",
    "the sizes that vary",
    since="2.13",
    until="2.13",
)
DYNAMIC_SHAPES = Attribute(
    _EVAL + "OptimizeContext._dynamic_shapes", "the sizes that vary", since="2.14"
)
WRAPPED_BACKEND = Attribute(
    "torch._dynamo.convert_frame:ConvertFrame._torchdynamo_orig_backend",
    "the backend inside",
    feature=_COMPILED,
)
RECOMPILE_LIMIT = Attribute(
    "torch._dynamo.convert_frame:ConvertFrame._recompile_limit",
    "the recompile_limit= of torch.compile",
    since="2.12",
)
INDUCTOR_BACKEND = Name(
    "torch:_TorchCompileInductorWrapper", "Inductor as a backend", feature=_COMPILED
)
MODE_OPTIONS = Name(
    "torch._inductor:list_mode_options",
    "what a mode= sets",
    feature="mode= beside config=",
)
LIST_BACKENDS = Name(
    "torch._dynamo.backends.registry:list_backends",
    "the names of backends",
    feature="backend=",
)

JIT_FUNCTION = Name(
    "triton.runtime.jit:JITFunction", "what a kernel is", feature=_KERNELS
)
AUTOTUNER = Name(
    "triton.runtime.autotuner:Autotuner",
    "a user's kernel with configurations",
    feature=_KERNELS,
)
_EAGER = "the user's kernels, launched outside of compiled code"
JIT_RUN = Name(
    "triton.runtime.jit:JITFunction.run",
    "launches a kernel",
    ("eager_kernels",),
    feature=_EAGER,
    takes="self, *, grid, warmup",
    on="cuda",
)
JIT_COMPILED = Attribute(
    "triton.runtime.jit:JITFunction.device_caches",
    "what a kernel was compiled to",
    feature=_EAGER,
    on="cuda",
)
AUTOTUNER_RUN = Name(
    "triton.runtime.autotuner:Autotuner.run",
    "launches a kernel",
    feature=_EAGER,
    on="cuda",
)
GENERATE_TTIR = Name(
    _WRAP + "generate_ttir",
    "compiles a user's kernel",
    feature=_KERNELS,
    takes="kernel, kwargs",
)
IDENTIFY_ACCESSED = Name(
    _WRAP + "identify_accessed_tensors",
    "what a kernel reads and writes",
    since="2.12",
    feature=_KERNELS,
)
IDENTIFY_MUTATED = Name(
    _WRAP + "identify_mutated_tensors",
    "what a kernel writes",
    until="2.11",
    feature=_KERNELS,
)
COMPILATION_ERROR = Name(
    "triton.compiler.errors:CompilationError",
    "a kernel that does not compile",
    feature=_KERNELS,
)
ASSERTION = Name(
    "triton.compiler.errors:CompileTimeAssertionFailure",
    "a static_assert that fails",
    feature=_KERNELS,
)

UNSUPPORTED = Name(
    "torch._dynamo.exc:Unsupported",
    "a graph break where none is allowed",
    feature="advice on it",
)
DISABLED = Name(
    "torch._dynamo.config:disable",
    "whether torch.compile is off",
    feature="why nothing is compiled",
)
STANCE = Name(
    _EVAL + "_stance", "whether torch.compile is off", feature="why nothing is compiled"
)
SET_STANCE = Name(_EVAL + "_set_stance", "puts it back after a test")
STANCE_CLASS = Name(_EVAL + "DynamoStance", "puts it back after a test")

AOT_COMPILE = Name(
    "torch._inductor:aot_compile", "compiles an exported program", ("aot_wrapper",)
)
AOT_CODE = Name(
    "torch._inductor.codecache:AotCodeCompiler.compile",
    "the C++ of an exported program",
    ("aot_wrapper",),
    takes="graph, wrapper_code, kernel_code",
)
AOT_METADATA = Name(
    "torch._inductor.config:aot_inductor.metadata",
    "what a package says of itself",
    ("aot_wrapper",),
)
