"""What a target answers for: the device that the compiler, the dispatcher and Triton ask about."""

from pytest_compile_golden.torch_internals.private_name import Attribute, Name

_ANY = "any capture"
_GPU = "virtual GPUs"
_CPU = "virtual CPUs"
_AHEAD = ("aot_wrapper",)
_C = "torch._C:"
_GRAPH = "torch._inductor.graph:"
_CPP = "torch._inductor.cpp_builder:"
_ISA = "torch._inductor.cpu_vec_isa"
_INTERFACE = "torch._dynamo.device_interface:"
_FOLDING = "torch._inductor.constant_folding:"
_JOINT = "torch._inductor.fx_passes.joint_graph:UniformValueConstantFolder."
_HEURISTICS = "torch._inductor.runtime.triton_heuristics:"

# Imported before a capture, with the compiler; passes otherwise are when the first graph gets to them.
_LOADED = (
    "imported before a capture",
    (),
    (),
    "the same graph in the first capture of a process",
)
COMPILER = (
    Name("torch._dynamo", *_LOADED),
    Name("torch._inductor.fx_passes.joint_graph", *_LOADED),
    Name("torch._inductor.fx_passes.post_grad", *_LOADED),
    Name("torch._inductor.fx_passes.pre_grad", *_LOADED),
    Name("torch._inductor.fx_passes.numeric_utils", *_LOADED),
    # torch/_dynamo/trace_rules.py imports it when a program is first traced; it warns about torch.jit, which it uses.
    Name("torch.utils.mkldnn", *_LOADED),
)

CONSTANT_TYPES = Name(
    "torch._dynamo.utils:common_constant_types",
    "types whose values are constants of a traced program",
    feature="properties of the device in compiled code",
)
RESOLVED_OPERATORS = Name(
    "torch._ops:get_cached_ops",
    "operators whose kernels Python's dispatcher has looked up",
    feature="virtual GPUs that compute",
)
RESOLVED_KERNELS = Attribute(
    "torch._ops:OpOverload._dispatch_cache",
    "the kernels that Python's dispatcher has looked up",
    feature=_ANY,
)

# Instead of building and running kernels.
ALIGN_INPUTS = Name(
    "torch._inductor.output_code:align_inputs_from_check_idxs",
    "reads addresses",
    feature=_ANY,
)
ASYNC_COMPILE = Name(
    "torch._inductor.async_compile:AsyncCompile", "builds kernels", feature=_ANY
)
COMPILED_GRAPH = Name(
    "torch._inductor.output_code:CompiledFxGraph.__init__",
    "what is saved, and what precompile writes down",
    feature="the source of a compiled graph",
    takes="self, current_callable, graph",
)
LOAD_SAVED = Name(
    "torch._inductor.output_code:CompiledFxGraph.after_deserialization",
    "loads a compiled graph that was saved",
    feature="loading what was compiled",
    takes="self, constants",
)
WARM_POOL = Name(
    "torch._inductor.async_compile:AsyncCompile.warm_pool",
    "starts processes",
    feature=_ANY,
)
_OBSERVERS = "observers of the output code"
SAVE_OUTPUT_CODE = Name(
    _GRAPH + "GraphLowering.save_output_code", "what tests read", feature=_OBSERVERS
)
OUTPUT_CODE_LOG = Name(
    _GRAPH + "output_code_log", "TORCH_LOGS=output_code", feature=_OBSERVERS
)
TRACE_STRUCTURED = Name(
    "torch._logging:trace_structured",
    "torch's own trace",
    feature=_OBSERVERS,
    takes="*, payload_fn",
)
CUDAGRAPH_INFO = Attribute(
    "torch._inductor.output_code:CompiledFxGraph.cudagraph_info",
    "why CUDA graphs are skipped",
    ("cudagraphs",),
)
SYMBOL_VALUES = Attribute(
    "torch.fx.experimental.symbolic_shapes:ShapeEnv.backed_var_to_val",
    "the sizes that symbols stand for",
    others=("torch.fx.experimental.symbolic_shapes:ShapeEnv.var_to_val",),
    feature="graphs with sizes that vary",
)
UNBACKED_FALLBACK = Name(
    "torch._inductor.config:unbacked_symint_fallback",
    "a size that only data tell",
    feature="sizes that only data tell",
)
_AGAIN = "graphs that are lowered a second time, with other settings"
GRAPH_LOWERING = Name(
    _GRAPH + "GraphLowering",
    "lowers a graph",
    feature=_AGAIN,
    takes="gm, example_inputs, shape_env, graph_id, cpp_wrapper, *, is_inference, is_backward",
)
DEBUG = Name(
    "torch._inductor.debug:DebugContext",
    "what lowering writes notes to",
    feature=_AGAIN,
)
SHAPE_ENV = Attribute(
    _GRAPH + "GraphLowering._shape_env", "the sizes of a graph", feature=_AGAIN
)
GET_ATTR = Name(
    _GRAPH + "GraphLowering.get_attr",
    "writes small constants into kernels",
    feature=_GPU,
)
GETATTR_RECURSIVE = Name(
    _GRAPH + "getattr_recursive",
    "finds a constant of a graph",
    feature="advice on constants",
)

TORCHBIND_CONSTANTS = Attribute(
    _GRAPH + "GraphLowering.torchbind_constants",
    "objects of classes in C++",
    feature=_ANY,
)
ORIGIN_NODE = Attribute(
    "torch._inductor.ir:Buffer.get_origin_node", "the node a buffer is of", feature=_ANY
)
LOWERS_ITSELF = Attribute(
    "torch._inductor.pattern_matcher:register_lowering_pattern._inductor_lowering_function",
    "a function that takes IR, not tensors",
    feature=_ANY,
)
LAYOUT_CONSTRAINTS = Name(
    "torch._inductor.lowering:maybe_layout_constraints",
    "which strides an operator wants",
    feature="strides of operators",
)
EXACT_STRIDES = Name(
    "torch._inductor.lowering:constrain_to_fake_tensors",
    "those that eager gives it",
    feature="strides of operators",
)

# AOTInductor.
SAME_TENSOR = Name(
    _GRAPH + "is_same_tensor", "whether two constants are the same", _AHEAD, on="cuda"
)
DEDUCE_VALUE = Name(_JOINT + "_deduce_value", "folds constants", _AHEAD, on="cuda")
AUTOTUNE_BLOCK = Name(
    "torch._inductor.codegen.wrapper:PythonWrapperCodegen.generate_and_run_autotune_block",
    "runs kernels",
    _AHEAD,
)
INIT_HANDLES = Name(
    "triton.compiler.compiler:CompiledKernel._init_handles",
    "loads a kernel",
    _AHEAD,
    on="cuda",
)
KERNEL_PARAMETERS = Name(
    "torch._inductor.codecache:CudaKernelParamCache.cache",
    "their launches",
    _AHEAD,
    on="cuda",
)
CODE_CACHE = Name(
    "torch._inductor.codecache:PyCodeCache",
    "loads a generated module",
    _AHEAD,
    on="cuda",
)
AUTOTUNER = Name(
    _HEURISTICS + "CachingAutotuner", "compiles a kernel", _AHEAD, on="cuda"
)

# What torch decides by timing.
EXTERN_CALLER = Name(
    "torch._inductor.select_algorithm:ExternKernelCaller",
    "a library call",
    feature="max-autotune",
)
BENCHMARK_CHOICES = Name(
    "torch._inductor.select_algorithm:AlgorithmSelectorCache.make_benchmark_fn",
    "times the choices, where nothing else does",
    feature="max-autotune by policy",
)
PRECOMPILE = Name(
    "torch._inductor.select_algorithm:AlgorithmSelectorCache.make_precompile_fn",
    "compiles what is to be timed",
    feature="max-autotune by policy",
)
SHOULD_PAD_BF16 = Name(
    "torch._inductor.fx_passes.pad_mm:should_pad_mm_bf16",
    "decides without timing",
    feature="padding of matrix products",
    takes="dtype, M, N, K",
)
FORCE_SHAPE_PAD = Name(
    "torch._inductor.config:force_shape_pad",
    "the user wants padding",
    feature="padding of matrix products",
)
POST_GRAD_OPTIONS = Name(
    "torch._inductor.config:post_grad_fusion_options",
    "passes that are on",
    feature="padding of matrix products",
)
BENCHMARKER = Name(
    "torch._inductor.runtime.benchmarking:Benchmarker",
    "times kernels",
    feature="answers to timings",
)
BENCHMARK_MODULE = Name(
    "torch._inductor.codegen.triton:TritonScheduling.benchmark_codegened_module",
    "times a fused kernel",
    feature="fusion by benchmark",
)
TRITON_CODE_CACHE = Name(
    "torch._inductor.codegen.triton:PyCodeCache",
    "loads what is to be timed",
    feature="fusion by benchmark",
)

# CPUs.
VEC_ISA = Name(_ISA, "the instruction sets that torch knows", feature=_CPU)
VALID_VEC_ISA = Name(
    _ISA + ":valid_vec_isa_list", "probes for instruction sets", feature=_CPU
)
PICK_VEC_ISA = Name(_ISA + ":pick_vec_isa", "chooses an instruction set", feature=_CPU)
_HOST = "what C++ generation asks about the host"
DEVICE_CACHES = Name(
    "torch._inductor.utils:clear_caches",
    "forgets choices that depend on a device",
    feature=_ANY,
)
OTHER_COMPILERS = tuple(
    Name(_CPP + name, "which compiler there is", feature=_HOST)
    for name in ("is_msvc_cl", "is_clang", "is_apple_clang", "is_intel_compiler")
)
IS_GCC = Name(_CPP + "is_gcc", "which compiler there is", feature=_HOST)
CPP_COMPILER = Name(_CPP + "get_cpp_compiler", "which compiler there is", feature=_HOST)
HAS_MKL = Name(_C + "has_mkl", "whether there is MKL", feature=_HOST)

# GPUs.
DISPATCH_KEY = Name(_C + "DispatchKey", "the kernels of an operator", feature=_GPU)
ALL_OPERATORS = Name(
    _C + "_dispatch_get_all_op_names", "the operators there are", feature=_GPU
)
HAS_KERNEL = Name(
    _C + "_dispatch_has_kernel_for_dispatch_key",
    "whether CUDA has a kernel",
    feature=_GPU,
)
HAS_COMPUTED_KERNEL = Name(
    _C + "_dispatch_has_computed_kernel_for_dispatch_key",
    "whether the CPU has a kernel",
    feature=_GPU,
)
DECOMPOSITIONS = Name(
    "torch._decomp:decomposition_table", "computes what only CUDA has", feature=_GPU
)
DECOMPOSITION_MODULE = Name(
    "torch._decomp.decompositions", "the parts of LSTM, GRU and RNN", feature=_GPU
)
_CONVERSIONS = "torch.sparse._semi_structured_conversions:"
_HALF = "matrices of which half is zero"
TO_SEMI_STRUCTURED = Name(
    _CONVERSIONS + "sparse_semi_structured_from_dense_cutlass",
    "keeps what is not zero",
    feature=_HALF,
)
FROM_SEMI_STRUCTURED = Name(
    _CONVERSIONS + "sparse_semi_structured_to_dense_cutlass",
    "fills in what is zero",
    feature=_HALF,
)
DISABLE_TORCH_FUNCTION = Name(
    _C + "DisableTorchFunctionSubclass", "tensors of a class of their own", feature=_GPU
)
SET_VERSIONS = Name(
    "torch._C._autograd:_unsafe_set_version_counter",
    "how often an input was written to",
    feature=_ANY,
)
GRADIENT_DTYPE = Name(
    "torch:Tensor.grad_dtype",
    "the type that gradients of an input must have",
    since="2.10",
)
DISABLE_ALL_TORCH_FUNCTION = Name(
    _C + "DisableTorchFunction", "copies inputs", feature=_ANY
)
ENABLE_TORCH_FUNCTION = Name(
    _C + "_EnableTorchFunction", "copies modules", feature=_ANY
)
_ATTENTION = "attention's choice of backend"
SET_DEFAULT_TYPE = Name(
    _C + "_set_default_tensor_type", "the type of tensors, and the device", feature=_GPU
)
HAS_CUDA = Name(_C + "_has_cuda", "whether the wheel is for CUDA", feature=_GPU)
CUDNN_ENABLED = Name(
    _C + "_get_cudnn_sdp_enabled", "what the user allows", feature=_ATTENTION
)
FLASH_ENABLED = Name(
    _C + "_get_flash_sdp_enabled", "what the user allows", feature=_ATTENTION
)
EFFICIENT_ENABLED = Name(
    _C + "_get_mem_efficient_sdp_enabled", "what the user allows", feature=_ATTENTION
)
MATH_ENABLED = Name(
    _C + "_get_math_sdp_enabled", "what the user allows", feature=_ATTENTION
)
SDP_PRIORITY = Name(
    _C + "_get_sdp_priority_order", "what the user prefers", feature=_ATTENTION
)
_THREADS = "backward passes in threads of their own"
RUN_BACKWARD = Name(
    "torch.autograd.graph:_engine_run_backward",
    "starts a backward pass",
    feature=_THREADS,
)
RUN_BACKWARD_TOO = Name(
    "torch.autograd:_engine_run_backward", "starts a backward pass", feature=_THREADS
)
SKIP_CODE = Name(
    "torch._dynamo.eval_frame:skip_code", "what Dynamo does not trace", feature=_THREADS
)
AVOID_DEVICE_INIT = Name(
    "torch._subclasses.fake_tensor:FakeTensorMode.avoid_device_init",
    "looks for a GPU",
    feature=_GPU,
)
INIT_GPU = Name(
    "torch._subclasses.fake_tensor:init_gpu_context", "looks for a GPU", feature=_GPU
)
REGISTER_INTERFACES = Name(
    _INTERFACE + "get_registered_device_interfaces", "asks about a GPU", feature=_GPU
)
IN_GRAPH_CLASSES = Name(
    "torch._dynamo.variables.user_defined:UserDefinedClassVariable._in_graph_classes",
    "the classes that compiled code may make instances of",
    feature="streams and events that compiled code makes",
)
CUDA_INTERFACE = Name(_INTERFACE + "CudaInterface", "asks about a GPU", feature=_GPU)
INTERFACES = Name(_INTERFACE + "device_interfaces", "asks about a GPU", feature=_GPU)
EXTRA_REDUCERS = Attribute(
    "multiprocessing.reduction:ForkingPickler._extra_reducers",
    "how tensors go to other processes",
    feature=_GPU,
)
STORAGE_OF_REFERENCE = Name(
    "torch:UntypedStorage._new_with_weak_ptr",
    "memory that several processes have",
    feature=_GPU,
)
FLATTENS_WEIGHTS = Name(
    "torch:_use_cudnn_rnn_flatten_weight",
    "whether weights become parts of one buffer",
    feature="recurrent networks",
)
WORKER_CACHES = (
    Name(
        _INTERFACE + "caching_worker_device_properties", "remembers a GPU", feature=_GPU
    ),
    Name(
        _INTERFACE + "caching_worker_current_devices", "remembers a GPU", feature=_GPU
    ),
)
WARN_OF_ADDRESS = Name(
    _C + "_set_warn_deprecated_on_mutable_data_ptr",
    "warns where an address is read that a fake tensor does not have",
    feature="programs that read addresses of fake tensors, without a warning",
)
PROXY_UNSET_FAKE = Name(
    "torch.fx.experimental.proxy_tensor:unset_fake_temporarily",
    "computes constants while tracing",
    feature=_GPU,
)
FOLD_CONSTANTS = Name(
    _FOLDING + "ConstantFolder.run", "computes constants", feature=_GPU
)
FOLD_UNIFORM = Name(_JOINT + "__init__", "computes constants", feature=_GPU)
TRITON_HASH = Name(
    "torch.utils._triton:triton_hash_with_backend",
    "digests all of Triton's files, for caches",
)
GPU_TARGET = Name(
    "triton.backends.compiler:GPUTarget",
    "what Triton compiles for",
    feature=_GPU,
    on="cuda",
)
DRIVERS = Name(
    "triton.runtime:driver", "Triton's driver of the GPU", feature=_GPU, on="cuda"
)
CUDA_DRIVER = Name(
    "triton.backends.nvidia.driver:CudaDriver",
    "Triton's driver",
    feature=_GPU,
    on="cuda",
)
HIP_DRIVER = Name(
    "triton.backends.amd.driver:HIPDriver",
    "Triton's driver",
    feature="AMD's GPUs",
    on="cuda",
)
FALLBACK_KERNEL = Name(
    "torch._subclasses.fake_tensor:run_fallback_kernel",
    "runs an operator on a real device",
    feature="operators without a fake implementation",
)

# Patterns, which a target has to itself.
MATCHER = Name(
    "torch._inductor.pattern_matcher:PatternMatcherPass",
    "holds patterns",
    feature="patterns of a target",
)
SEEN_PATTERNS = Attribute(
    "torch._inductor.pattern_matcher:PatternMatcherPass.seen_patterns",
    "holds patterns",
    feature="patterns of a target",
)
FX_PASSES = Name(
    "torch._inductor.fx_passes",
    "the modules that hold patterns",
    feature="patterns of a target",
)
PRODUCT_KERNELS = Name(
    "torch._inductor.kernel.mm", "holds patterns", feature="patterns of a target"
)

# Jagged tensors.
NESTED_ARGUMENT = Name(
    "torch.nested._internal.nested_tensor:_nt_view_dummy", "an argument of all of them"
)
NESTED_INT = Name(
    "torch.nested._internal.nested_int:NestedIntNode",
    "their symbolic size",
    feature="jagged tensors",
)
NESTED_UNFLATTEN = Name(
    "torch.nested._internal.nested_tensor:NestedTensor.__tensor_unflatten__",
    "makes one",
    feature="jagged tensors",
)
COMPILE_FX = Name(
    "torch._inductor.compile_fx",
    "looks for a GPU when it is first imported",
    feature="any capture",
)
CUDAGRAPH_TREES = Name(
    "torch._inductor.cudagraph_trees",
    "looks for a GPU when it is first imported",
    feature="any capture",
)
TREE_MANAGER = Name(
    "torch._inductor.cudagraph_trees:get_manager",
    "whether CUDA graphs are recorded",
    feature="numerics",
    takes="device_index, create_if_none_exists",
)
FORGET_TREES = Name(
    "torch._inductor.cudagraph_trees:reset_cudagraph_trees",
    "lets go of recorded CUDA graphs",
    feature="CUDA graphs",
)
TORCH_FUNCTIONS = Name(
    "torch._dynamo.trace_rules:get_torch_obj_rule_map",
    "the functions Dynamo knows",
    feature="any capture",
)
TENSOR_METHODS = Name(
    "torch._dynamo.trace_rules:get_tensor_method",
    "the methods Dynamo knows",
    feature="any capture",
)
GET_HANDLERS = Name(
    "torch._dynamo.variables.torch:TorchInGraphFunctionVariable._get_handlers",
    "the functions Dynamo evaluates",
)
_OPTIMIZERS = "optimizers, and sizes of fake tensors that are marked as unbacked"
OPTIMIZER_CALL = Name(
    "torch._dynamo.variables.optimizer:OptimizerVariable.call_method",
    "makes an optimizer's state",
    feature=_OPTIMIZERS,
    takes="self, tx, name",
)
TENSOR_GUARD_TEXT = Name(
    "torch._dynamo.guards:get_tensor_guard_code_part",
    "the class of a parameter in the text of its guard",
    feature="guards that name parameters as such",
    takes="value, name, sizes, strides, pytype",
)
TRANSFER_SYMBOLS = Name(
    "torch.fx.experimental.symbolic_shapes:ShapeEnv.transfer_symbols_from_foreign_shape_env",
    "the sizes of fake tensors",
    feature=_OPTIMIZERS,
    since="2.13",
)
CREATE_SYMBOLS = Name(
    "torch.fx.experimental.symbolic_shapes:ShapeEnv._create_symbolic_sizes_strides_storage_offset",
    "the sizes of real tensors",
    feature=_OPTIMIZERS,
    takes="self, ex_size, ex_stride, ex_storage_offset, is_dim_dynamic, source, *, symbolic_context",
)
_INPUTS = "fake tensors as the inputs of a graph"
TRACING = Name("torch._guards:tracing", "traces a graph", feature=_INPUTS)
DETECT_FAKE_MODE = Name(
    "torch._guards:detect_fake_mode",
    "the mode a graph is traced in",
    feature=_INPUTS,
    takes="inputs",
)
PROCESS_INPUTS = Name(
    "torch._functorch._aot_autograd.frontend_utils:process_inputs",
    "makes a graph's inputs fake",
    feature=_INPUTS,
    takes="flat_args, aot_config, fake_mode",
)
_PRECOMPILE = "precompile"
COMPILE_TO_PYTHON = Name(
    "torch._inductor.standalone_compile:compile_to_python",
    "compiles a graph that precompile traced",
    since="2.15",
    feature=_PRECOMPILE,
    takes="gm",
)
PRECOMPILE_MODULE = Name(
    "torch._precompile:PrecompiledModule._compile",
    "traces and compiles a program",
    since="2.15",
    feature=_PRECOMPILE,
    takes="self, args",
)
PRECOMPILE_CALL = Name(
    "torch._precompile:_MakeFxCapture.__call__",
    "captures a call",
    since="2.15",
    feature=_PRECOMPILE,
    takes="self",
)
PRECOMPILE_TRACE = Name(
    "torch._precompile:_MakeFxCapture._trace_without_side_effects",
    "puts back what tracing wrote to",
    since="2.15",
    feature=_PRECOMPILE,
    takes="self, args",
)
PRECOMPILED_FUNCTION = Attribute(
    "torch._precompile:PrecompiledModule._fn",
    "the program",
    since="2.15",
    feature=_PRECOMPILE,
)
PRECOMPILED_RUNNABLE = Name(
    "torch._precompile:_runnable_from_pair",
    "runs what precompile wrote",
    since="2.15",
    feature=_PRECOMPILE,
    takes="python_code, cache, *, _trusted",
)
SHOULD_PAD = Name(
    "torch._inductor.fx_passes.pad_mm:_should_pad",
    "whether to pad a product, by timing it",
    feature="padding of matrix products",
    takes="match, mat1, mat2, op, input",
    others=("torch._inductor.fx_passes.pad_mm:_should_pad_bench",),
)
PRE_GRAD_LAZY_INIT = Name(
    "torch._inductor.fx_passes.pre_grad:lazy_init", "traces patterns before a capture"
)
JOINT_LAZY_INIT = Name(
    "torch._inductor.fx_passes.joint_graph:lazy_init",
    "traces patterns before a capture",
    takes="input_device",
)
POST_GRAD_LAZY_INIT = Name(
    "torch._inductor.fx_passes.post_grad:lazy_init", "traces patterns before a capture"
)
