"""AOTAutograd, Inductor's graph phases and passes, the scheduler, and caches: all between captured graph and code."""

from pytest_compile_golden.facts.schedules import REFUSALS
from pytest_compile_golden.torch_internals.private_name import (
    Attribute,
    Driver,
    DriverStep,
    Name,
)

_LEDGER = ("passes", "pass_diffs")
_PHASE = ("trail", "compile_cost", *_LEDGER)
_COMPILE_FX = "torch._inductor.compile_fx:"
_SCHEDULER = "torch._inductor.scheduler:Scheduler."

PRE_GRAD_PASSES = Name(
    _COMPILE_FX + "_recursive_pre_grad_passes",
    "a phase of passes",
    ("pre_grad_graph", *_PHASE),
)
JOINT_PASSES = Name(
    _COMPILE_FX + "_recursive_joint_graph_passes",
    "a phase of passes",
    ("aot_graph", "joint_graph", *_PHASE),
)
POST_GRAD_PASSES = Name(
    _COMPILE_FX + "_recursive_post_grad_passes",
    "a phase of passes",
    ("post_grad_graph", "collectives", *_PHASE),
)
PARTITION = Name(
    _COMPILE_FX + "partition_fn",
    "splits the joint graph in two",
    (
        "joint_graph",
        "forward_graph",
        "backward_graph",
        "memory",
        "compile_cost",
        *_LEDGER,
    ),
)
DEFAULT_PARTITIONER = Name(
    _COMPILE_FX + "min_cut_rematerialization_partition", "how torch splits it", _LEDGER
)
CODEGEN_AND_COMPILE = Name(
    _COMPILE_FX + "fx_codegen_and_compile",
    "which direction is compiled",
    ("joint_graph", "cache_key", "collectives"),
)
VIEW_TO_RESHAPE = Name(
    _COMPILE_FX + "view_to_reshape", "a pass between two phases", _LEDGER
)
FREEZING_PASSES = Name(
    "torch._inductor.freezing:freezing_passes", "a phase of passes", _LEDGER
)
PASS_AND_SAVE = Name(
    "torch._inductor.fx_passes.pre_grad:pass_execution_and_save",
    "runs some of the passes",
    _LEDGER,
)
_OBSERVER = "torch.fx.passes.graph_transform_observer:GraphTransformObserver."
APPLY_GRAPH_PASS = Name(
    _OBSERVER + "apply_graph_pass",
    "runs most of the passes",
    _LEDGER,
    takes="self, pass_fn",
)
APPLY_GM_PASS = Name(
    _OBSERVER + "apply_gm_pass", "runs the others", _LEDGER, takes="self, pass_fn"
)
_MATCHER = "torch._inductor.pattern_matcher:"
MATCHER_APPLY = Name(
    _MATCHER + "PatternMatcherPass.apply",
    "replaces patterns",
    _LEDGER,
    takes="self, gm",
)
CUSTOM_PARTITIONER = Name(
    "torch._inductor.config:custom_partitioner_fn",
    "the user's way to split it",
    _LEDGER,
)
GRAPH_PATTERN = Name(
    _MATCHER + "GraphPatternEntry.apply",
    "a pattern that matched",
    _LEDGER,
    takes="self, match",
)
GRAPH_INPUTS = Attribute(
    "torch._inductor.graph:GraphLowering.graph_inputs",
    "a lowered graph's inputs by name",
    feature="CUDA graphs",
)
WRITTEN_INPUTS = Attribute(
    "torch._inductor.graph:GraphLowering.mutated_inputs",
    "the names of the inputs that a graph writes to",
    feature="CUDA graphs",
)
LOWERING_PATTERN = Name(
    _MATCHER + "LoweringPatternEntry.apply",
    "a pattern that matched",
    _LEDGER,
    takes="self, match",
)
PATTERN_OF_TARGETS = Name(
    _MATCHER + "_TargetExpr",
    "a part of a pattern, for how near the user's came",
    _LEDGER,
)
EXTRA_CHECK = Attribute(
    _MATCHER + "PatternEntry.extra_check", "whether a match fits", _LEDGER
)
HANDLER = Attribute(_MATCHER + "GraphPatternEntry.handler", "handles a match", _LEDGER)
PATTERN_NAME = Attribute(
    _MATCHER + "ReplacementPatternEntry.pattern_name",
    "which pattern it is, if only it is named",
    since="2.12",
)
REPLACEMENT_PATTERN = Name(
    _MATCHER + "ReplacementPatternEntry.apply",
    "a pattern that matched",
    _LEDGER,
    takes="self, match",
)

# The functions that list a phase's passes; their first parameter is the graph module.
_LIST = ("the passes that a phase calls", _LEDGER)
PHASE_SOURCES = (
    Name("torch._inductor.fx_passes.pre_grad:pre_grad_passes", *_LIST),
    Name("torch._inductor.fx_passes.pre_grad:fuse_fx", *_LIST),
    Name("torch._inductor.fx_passes.joint_graph:joint_graph_passes", *_LIST),
    Name("torch._inductor.fx_passes.post_grad:post_grad_passes", *_LIST),
    Name("torch._inductor.fx_passes.freezing_patterns:freezing_passes", *_LIST),
)
ELIMINATE_DEAD_CODE = Name(
    "torch.fx.graph:Graph.eliminate_dead_code", "removes nodes between passes", _LEDGER
)
INCREMENTAL_UPDATE = Name(
    "torch._inductor.fx_utils:FakeTensorUpdater.incremental_update",
    "updates a graph between passes",
    _LEDGER,
)

# In the order in which they run (torch/_inductor/scheduler.py: Scheduler._init).
SCHEDULER_INIT = Driver(
    _SCHEDULER + "_init",
    "runs the scheduler's steps",
    _LEDGER,
    takes="self",
    beside=frozenset(
        {
            "__init__",
            "create_scheduler_node",
            "update_zero_dim_cpu_tensor",
            "get_donated_buffers",
            "compute_dependencies",
            "compute_ancestors",
            "compute_input_distances",
            "compute_last_usage",
            "_populate_stream_assignments",
            "_populate_mempool_assignments",
            "debug_draw_graph",
            "graph_partition",
            "align_runtime_estimations_across_all_distributed_ranks",
            "assign_memory_planning_info_for_scheduler_buffers",
        }
    ),
)
_STAGES = ("cache_key",)
_AOT = "torch._functorch._aot_autograd.autograd_cache:"
_FX = "torch._inductor.codecache:"

PREPARED = Name(
    "torch._functorch.aot_autograd:prepare_aot_module_simplified",
    "where AOTAutograd looks in its cache",
    _STAGES,
    takes="mod",
)
AOT_KEY = Name(
    _AOT + "autograd_cache_key", "the key", _STAGES, takes="_, example_inputs, config"
)
CHECK_NODE = Name(_AOT + "check_node_safe", "rejects a node", _STAGES, takes="node")
AOT_BYPASS = Name(_AOT + "BypassAOTAutogradCache", "why there is no key", _STAGES)
FX_BYPASS = Name(_FX + "BypassFxGraphCache", "why there is no key", _STAGES)
FX_KEY = Name(
    _FX + "compiled_fx_graph_hash",
    "the key",
    _STAGES,
    takes="gm, example_inputs, fx_kwargs",
)
CHECK_GRAPH = Name(
    _FX + "FxGraphCache._check_can_cache", "rejects a graph", _STAGES, takes="gm"
)
DETAILS = Name(_FX + "FxGraphHashDetails", "the parts of the key", _STAGES)
DUMPS = Name(
    _FX + "FxGraphCachePickler.dumps", "the parts as bytes", _STAGES, takes="self, obj"
)
DEBUG_LINES = Name(
    _FX + "FxGraphCachePickler.debug_lines", "torch's own log of the parts", _STAGES
)
PICKLEABLE = Name(
    _FX + "FxGraphCachePickler._pickleable_type_cache",
    "keeps classes alive",
    since="2.13",
)
TORCH_KEY = Name(_FX + "torch_key", "a digest of torch's own files", _STAGES)
SYSTEM = Name(_FX + "CacheBase.get_system", "a description of the machine", _STAGES)
COMMS_CONFIG = Name(
    _FX + "config_comms", "settings of collectives", _STAGES, since="2.13"
)
_GRAPH_COMPILE = "torch._functorch._aot_autograd.graph_compile:"
_TRACED = ("the graph as AOTAutograd traced it", ("aot_graph",))
DISPATCHERS = (
    Name(_GRAPH_COMPILE + "aot_dispatch_base_graph", *_TRACED),
    Name(_GRAPH_COMPILE + "aot_dispatch_autograd_graph", *_TRACED),
)
_KEPT = "training that keeps its graph (create_graph, retain_graph)"
DONATED = Name(
    _GRAPH_COMPILE + "collect_bw_donated_buffer_idxs",
    "the buffers that backward may write over",
    feature=_KEPT,
    takes="fw_module, bw_module, fw_metadata",
)
SYMBOLS_SAVED = Attribute(
    "torch._functorch._aot_autograd.schemas:ViewAndMutationMeta.num_symints_saved_for_bw",
    "whether torch compiles backward along with forward",
    feature=_KEPT,
)
AOT_CONFIG = Name(
    "torch._functorch.config",
    "AOTAutograd's settings",
    ("cache_key",),
    feature="any capture",
)
AOT_COUNTER = Name(
    "torch._functorch.aot_autograd:AOT_COUNTER",
    "the numbers of graphs, by which compiled autograd names nodes",
    feature="the same numbers in compiled autograd's graphs, whatever was compiled before",
)


def _step(at: str, until: str = "") -> DriverStep:
    return DriverStep(
        at, "a step of the scheduler", _LEDGER, until=until, driver=SCHEDULER_INIT
    )


FUSE_NODES = _step(_SCHEDULER + "fuse_nodes")
STEPS = (
    _step("torch._inductor.comms:decide_global_ordering_of_comms"),
    _step(_SCHEDULER + "topological_sort_schedule"),
    _step(_SCHEDULER + "dead_node_elimination"),
    _step(_SCHEDULER + "create_foreach_nodes"),
    FUSE_NODES,
    _step(_SCHEDULER + "merge_loops"),
    _step(_SCHEDULER + "finalize_multi_template_buffers"),
    _step(_SCHEDULER + "create_combo_kernel_nodes"),
    _step(_SCHEDULER + "_enforce_conditional_ordering", until="2.13"),
    _step("torch._inductor.memory:reorder_for_peak_memory"),
    _step("torch._inductor.comms:reorder_compute_and_comm_for_overlap"),
    _step(_SCHEDULER + "process_grouped_nodes"),
    _step(_SCHEDULER + "maybe_reorder_for_minimizing_partition"),
    _step(_SCHEDULER + "reorder_for_partition_with_simple_dependency"),
    _step(_SCHEDULER + "insert_memory_check_nodes"),
)
PRE_FUSION_PASS = Name(
    "torch._inductor.config:_pre_fusion_custom_pass",
    "the user's pass before fusion",
    _LEDGER,
)
POST_FUSION_PASS = Name(
    "torch._inductor.config:_post_fusion_custom_pass",
    "the user's pass after fusion",
    _LEDGER,
)
CONFIG = Name(
    "torch._inductor.config",
    "where the user's passes are configured",
    _LEDGER,
    feature="any capture",
)

_DESCRIBED = ("lowered_ir", "scheduler_nodes", *_LEDGER)
PRE_FUSION = Name(
    "torch._inductor.debug:log_ir_pre_fusion",
    "the groups before fusion",
    ("lowered_ir",),
    takes="nodes",
)
POST_FUSION = Name(
    "torch._inductor.debug:log_ir_post_fusion",
    "the groups after fusion",
    ("scheduler_nodes",),
    takes="nodes",
)
WHY_NO_FUSE = Name(
    "torch._inductor.scheduler:WhyNoFuse.__call__",
    "why two groups did not fuse",
    feature=REFUSALS,
    takes="self, reason",
)
DO_AUTOTUNING = Name(
    "torch._inductor.select_algorithm:AlgorithmSelectorCache.do_autotuning",
    "what max-autotune chose",
    takes="self, name",
)
DEFINE_TRITON_KERNEL = Name(
    "torch._inductor.codegen.triton:TritonScheduling.define_kernel",
    "which Triton kernel a group became",
    takes="self, src_code, node_schedule",
)
DEFINE_CPP_KERNEL = Name(
    "torch._inductor.codegen.cpp:CppScheduling.define_kernel",
    "which C++ kernel a group became",
    takes="self, src_code, nodes",
)
DESCRIPTION = Attribute(
    "torch._inductor.ir:ChoiceCaller.description",
    "which variant of a template was chosen",
)
STREAMS = Attribute(
    "torch._inductor.scheduler:Scheduler._init.node_to_stream",
    "which stream each node runs on",
    since="2.12",
)
ORIGINS = Attribute(
    "torch._inductor.ir:IRNode.origins",
    "the FX nodes an operation was made from",
    (*_DESCRIBED, "cost", "collectives", "cudagraphs"),
)
ORIGIN_NODE = Attribute(
    "torch._inductor.ir:IRNode.origin_node",
    "the FX node whose value an operation computes",
    feature="CUDA graphs",
)
OVERLOAD = Attribute(
    "torch._inductor.ir:ExternKernel.op_overload",
    "the operator of a library call",
    (*_DESCRIBED, "cost", "collectives"),
)
NESTED_REGION = Name(
    "torch._inductor.ir:InvokeSubgraph", "a call of a nested region", ("cost",)
)
IS_VIEW = Attribute(
    "torch._ops:OpOverload.is_view", "a call that moves nothing", ("cost",)
)
KERNEL_NAME = Attribute(
    "torch._inductor.ir:ExternKernel.python_kernel_name",
    "the name of a library call",
    (*_DESCRIBED, "cost"),
)
DTYPE = Attribute(
    "torch._inductor.ir:Layout.dtype", "the dtype of a buffer", _DESCRIBED
)
FLEXIBLE_LAYOUT = Name(
    "torch._inductor.ir:FlexibleLayout", "a layout that is not fixed yet", _DESCRIBED
)
CONTIGUOUS_STRIDES = Name(
    "torch._inductor.ir:FlexibleLayout.contiguous_strides",
    "which strides go without saying",
    _DESCRIBED,
    takes="sizes",
)
BOX = Name(
    "torch._inductor.ir:MutableBox", "what a lowering returns", ("passes", "trail")
)
BOXED = Attribute(
    "torch._inductor.ir:MutableBox.data", "what is in a box", ("passes", "trail")
)
COMPUTED = Name(
    "torch._inductor.ir:ComputedBuffer", "loops that are stored", ("passes", "trail")
)
LOOPS = Attribute(
    "torch._inductor.ir:ComputedBuffer.data", "the loops of an operation", _DESCRIBED
)
REDUCTION = Attribute(
    "torch._inductor.ir:Reduction.reduction_type", "the kind of a reduction", _DESCRIBED
)
CUT_REASON = Attribute(
    "torch._functorch.partitioners:solve_min_cut.reason",
    "why a value is saved or computed again",
    ("memory",),
)
HINT = Attribute(
    "torch._inductor.sizevars:SizeVarAllocator.optimization_hint",
    "the number that stands for a size",
    ("cost", "memory", "collectives"),
    others=("torch._inductor.sizevars:SizeVarAllocator.size_hint",),
)
BODY = Attribute(
    "torch._inductor.scheduler:SchedulerNode._body",
    "the body of a loop",
    ("lowered_ir", "cost"),
)
SCHEDULED = Name(
    "torch._inductor.scheduler:BaseSchedulerNode",
    "which of a kernel's nodes are operations",
)
GROUP = Attribute(
    "torch._inductor.scheduler:SchedulerNode.group",
    "the ranges of a group's loops",
    _LEDGER,
)
FLOP_REGISTRY = Name(
    "torch.utils.flop_counter:flop_registry", "torch's formulas", ("cost",), ("flops",)
)
