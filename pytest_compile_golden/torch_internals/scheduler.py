"""Lowering, the scheduler's groups, their cost, and the code that is written for them."""

from pytest_compile_golden.torch_internals.private_name import Attribute, Name

_GRAPH = "torch._inductor.graph:GraphLowering."
_SCHEDULER = "torch._inductor.scheduler:"
_MEMORY = "torch._inductor.memory:"
_OUTPUT = "torch._inductor.output_code:"
_CUDAGRAPHS = "torch._inductor.cudagraph_utils:"
_PARTITIONER = "torch._functorch.partitioners:"

RUN = Name(_GRAPH + "run", "lowers a graph", ("passes", "compile_cost"))
RUN_NODE = Name(
    _GRAPH + "run_node",
    "lowers an operator",
    ("trail", "compile_cost"),
    takes="self, n",
)
CALL_FUNCTION = Name(
    _GRAPH + "call_function", "calls a lowering", ("passes",), takes="self, target"
)
LOWERINGS = Name(
    "torch._inductor.lowering:lowerings",
    "what each operator is lowered to",
    ("passes", "trail"),
)
USER_LOWERINGS = Name(
    "torch._inductor.lowering:user_lowerings",
    "the user's own lowerings",
    ("passes",),
    since="2.12",
)
DECOMPOSE = Name(
    "torch.fx.experimental.proxy_tensor:maybe_handle_decomp",
    "decomposes an operator",
    ("trail",),
    takes="proxy_mode, op",
)
MODE_TABLE = Attribute(
    "torch.fx.experimental.proxy_tensor:ProxyTorchDispatchMode.decomposition_table",
    "the decompositions in use",
    ("trail",),
    since="2.13",
)
DECOMPOSITION_TABLE = Name(
    "torch.fx.experimental.proxy_tensor:CURRENT_DECOMPOSITION_TABLE",
    "the decompositions in use",
    ("trail",),
    until="2.12",
)

SCHEDULER_CODEGEN = Name(
    _SCHEDULER + "Scheduler.codegen", "writes kernels", takes="self"
)
WRAPPER_PASSES = Name(
    "torch._inductor.codegen.wrapper:PythonWrapperCodegen.run_wrapper_ir_passes",
    "writes the calls",
)
CAN_FUSE = Name(
    _SCHEDULER + "Scheduler.can_fuse",
    "may two groups fuse",
    ("compile_cost",),
    takes="self, node1, node2",
)

ACCESSES = Name(
    _SCHEDULER + "BaseSchedulerNode.get_read_write_buffer_accesses",
    "the bytes that a group moves",
    ("cost",),
    takes="self, *, include_reads, include_writes",
)
MEMORY_ACCESS = Name(
    "torch._inductor.dependencies:MemoryDep", "what a loop loads or stores", ("cost",)
)
IS_INDIRECT = Attribute(
    "torch._inductor.dependencies:MemoryDep.is_indirect",
    "whether the index of a load is itself loaded",
    ("cost",),
)
BYTES = Attribute(
    _SCHEDULER + "BaseSchedulerNode.get_read_write_buffers_sizes",
    "the bytes that a group moves, in torch's own count",
    facts=("bytes_accessed",),
)
PLANNING = Name(
    _MEMORY + "prepare_planning_info", "when buffers are freed", ("cost", "memory")
)
PEAK = Name(
    _MEMORY + "estimate_peak_memory_allocfree",
    "the most memory that a schedule holds",
    ("cost", "memory"),
)
TIMELINE = Name(
    _MEMORY + "compute_memory_timeline", "when a schedule holds which buffer"
)
BUFFER_SIZES = Name(
    _MEMORY + "compute_size_for_scheduler_buffer",
    "the size of each buffer",
    ("memory",),
)
FREEABLE = Name(
    _MEMORY + "get_freeable_input_buf", "the inputs that may be freed", ("memory",)
)
SIZE_OF = Name(
    _PARTITIONER + "_size_of",
    "bytes that a value has",
    ("cost", "memory"),
    takes="node",
)
SOLVE = Name(
    _PARTITIONER + "solve_min_cut", "what is saved for backward", ("cost", "memory")
)
MINIMUM_CUT = Name(
    _PARTITIONER + "minimum_cut",
    "the cut between the graphs",
    ("memory",),
    takes="flowG | graph",
    others=("networkx:minimum_cut",),
)

GRAPH_PARTITION = Name(
    _SCHEDULER + "Scheduler.graph_partition",
    "parts for CUDA graphs",
    ("cudagraphs",),
    takes="self",
)
SHOULD_PARTITION = Name(
    _SCHEDULER + "Scheduler.should_partition",
    "why a part is not recorded",
    ("cudagraphs",),
    takes="self, node",
)
CUDAGRAPHS = Name(
    "torch._inductor.config:triton.cudagraphs",
    "whether CUDA graphs are on",
    ("cudagraphs",),
)
CHECK_FOR_MUTATION = Name(
    _CUDAGRAPHS + "check_for_mutation",
    "whether a written input keeps a part from being recorded",
    ("cudagraphs",),
    takes="func, inputs, is_cuda_graph_recorded_tensor",
)
POST_COMPILE = Name(
    _OUTPUT + "CompiledFxGraph.post_compile",
    "loads a compiled graph",
    ("cudagraphs",),
    takes="self",
)
CALL_COMPILED = Name(
    _OUTPUT + "CompiledFxGraph.__call__", "runs a compiled graph", ("collectives",)
)
CUDAGRAPH_WHOLE = Name(
    _OUTPUT + "cudagraph_post_compile",
    "records a whole graph",
    ("cudagraphs",),
    takes="example_inputs, compiled_graph",
)
CUDAGRAPH_PARTS = Name(
    _OUTPUT + "cudagraph_partition_post_compile",
    "records the parts of a graph",
    ("cudagraphs",),
    takes="example_inputs, compiled_graph",
)
COMPILED_PARTS = Attribute(
    _OUTPUT + "CompiledFxGraph.partition_maps",
    "the parts that CUDA graphs are recorded of",
    feature="CUDA graphs",
)
GRAPH_RUNNER = Attribute(
    _OUTPUT + "CompiledFxGraph.compiled_fn_runner",
    "what CUDA graphs are recorded of",
    feature="CUDA graphs",
)
# Each of these modules imports the function under its own name.
CUDAGRAPH_SKIPPED = tuple(
    Name(
        f"torch._inductor.{module}:log_cudagraph_skip_and_bump_counter",
        "why nothing is recorded",
        ("cudagraphs",),
    )
    for module in ("cudagraph_utils", "output_code", "compile_fx")
)

INDENTED_WRITELINE = Name(
    "torch._inductor.utils:IndentedBuffer.writeline",
    "writes a line of code",
    takes="self, line",
)
DEFERRED_LINE = Name(
    "torch._inductor.utils:DeferredLineBase", "a line that may be left out"
)
CSE_OPERATOR = Name(
    "torch._inductor.codegen.common:CSEProxy._default", "writes an operator of a kernel"
)
CSE_GENERATE = Name(
    "torch._inductor.codegen.common:CSE.generate",
    "names an expression of a kernel",
    ("compile_cost",),
)
KERNEL_FORMATTER = Name(
    "torch._inductor.ops_handler:KernelFormatterHandler",
    "writes text that looks like code",
)
CACHED_AUTOTUNE = Name(
    "torch._inductor.runtime.triton_heuristics:cached_autotune",
    "the configurations of a kernel",
    ("trail",),
    takes="size_hints, configs",
    on="cuda",
)
