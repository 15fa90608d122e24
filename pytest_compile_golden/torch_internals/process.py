"""What a capture sets aside in the process, and puts back: caches, counters, tables, notes."""

from pytest_compile_golden.torch_internals.private_name import Attribute, Name

_UTILS = "torch._dynamo.utils:"
_LOWERING = "torch._inductor.lowering:"
_VIRTUALIZED = "torch._inductor.virtualized:"
_OVERRIDES = "torch.overrides:"

COUNTERS = Name(_UTILS + "counters", "torch's own counts", feature="any capture")
METRICS = Name(
    "torch._inductor.metrics", "Inductor's own counts", feature="any capture"
)

STACK_LENGTH = Name(
    _OVERRIDES + "_len_torch_function_stack",
    "the modes that are on",
    feature="any capture",
)
POP_MODE = Name(_OVERRIDES + "_pop_mode", "sets a mode aside", feature="any capture")
PUSH_MODE = Name(_OVERRIDES + "_push_mode", "puts a mode back", feature="any capture")
DEVICE = Name("torch.utils._device", "the default device", feature="any capture")
DEVICE_CONTEXT = Name(
    "torch:_GLOBAL_DEVICE_CONTEXT", "the default device, put back after a test"
)
DEVICE_IN_CONTEXT = Attribute(
    "torch:set_default_device.device_context",
    "the default device, put back after a test",
)

PYTREE_SOURCE = Name(
    "torch._dynamo.variables.functions:get_pytree_SUPPORTED_NODES_source",
    "a guard that only the first compile gets",
)
_SIDE_EFFECTS = "torch._dynamo.side_effects:SideEffects."
SIDE_EFFECTS = Name(
    _SIDE_EFFECTS + "codegen_update_mutated",
    "what a program writes to other modules' globals",
)
MODIFIED = Name(
    _SIDE_EFFECTS + "is_modified",
    "what a program writes to other modules' globals",
    takes="_, item",
)
HELD = Attribute(
    _SIDE_EFFECTS + "keepalive", "what a program writes to other modules' globals"
)
VARIABLES = Attribute(
    _SIDE_EFFECTS + "id_to_variable", "what a program writes to other modules' globals"
)
SOURCE = Attribute(
    "torch._dynamo.variables.base:VariableTracker.source",
    "what a program writes to other modules' globals",
)
COMPILING = Name(
    "torch._guards:_TLS", "a compile that failed, noted as the current one"
)
_KEYS = "the dispatch keys, kept where a failed compile is collected"
KEYS_GUARD = Name("torch._C:_ForceDispatchKeyGuard", _KEYS)
KEYS_INCLUDED = Name("torch._C:_dispatch_tls_local_include_set", _KEYS)
KEYS_EXCLUDED = Name("torch._C:_dispatch_tls_local_exclude_set", _KEYS)
TRACED_FRAMES = Name(
    "torch._dynamo.eval_frame:DynamoTLS.traced_frame_infos",
    "notes that are kept for good",
)
METRICS_CONTEXT = Name(_UTILS + "get_metrics_context", "notes that are kept for good")
METRICS_EDITS = Attribute(
    "torch._dynamo.metrics_context:MetricsContext._edits",
    "notes that are kept for good",
)
COMPILATION_METRICS = Name(
    _UTILS + "_compilation_metrics", "notes that are kept for good"
)
TIME_GUARDS = Name(
    "torch._dynamo.guards:profile_guard_manager", "times guards, which takes long"
)
THREADLOCAL = Name(_VIRTUALIZED + "threadlocal", "the choices that were made first")
CHOICES = Name(_VIRTUALIZED + "_choices", "the choices that were made first")
CHOICES_KEY = Attribute(
    _VIRTUALIZED + "Virtualized._key", "the choices that were made first"
)
# Inductor's tables of operators. An operator without a lowering is added when Inductor first meets it
# (torch/_inductor/lowering.py: make_fallback), which would pass for a lowering that a later program registers.
LOWERING_TABLES = tuple(
    Name(_LOWERING + table, "put back after a capture")
    for table in ("fallbacks", "needs_realized_inputs", "_maybe_layout_constraints")
)
_ANSWERS = "compiles that no cache answers"
GRAPH_LOOKUP = Name(
    "torch._inductor.codecache:FxGraphCache._lookup_graph",
    "looks for a compiled graph",
    feature=_ANSWERS,
    takes="key, example_inputs, local, remote_cache, constants, evaluate_guards",
)
AUTOGRAD_LOOKUP = Name(
    "torch._functorch._aot_autograd.autograd_cache:AOTAutogradCache._lookup",
    "looks for compiled forward and backward graphs",
    feature=_ANSWERS,
    takes="key, local, remote, args, cache_info, aot_config",
)
DYNAMO_LOOKUP = Name(
    "torch._dynamo.package:DiskDynamoCache.load",
    "looks for compiled bytecode",
    feature=_ANSWERS,
    takes="self, fn",
)
SHAPE_ENV = Name(
    "torch.fx.experimental.symbolic_shapes:ShapeEnv", "keeps fake tensors alive"
)

UNFROZEN = Name(
    "torch.backends:__allow_nonbracketed_mutation",
    "puts flags back that torch's own test framework has frozen",
)
FX_CONFIG = Name(
    "torch.fx.experimental._config", "settings of symbolic sizes, put back after a test"
)
CONFIG_ENTRIES = Attribute(
    "torch.utils._config_module:ConfigModule._config",
    "the keys of a config",
    feature="config=",
)
CONFIG_UNSET = Name(
    "torch.utils._config_module:_UNSET_SENTINEL", "a key that nobody has set"
)
GET_PRECISION = Name(
    "torch._C:_get_fp32_precision_getter",
    "how float32 is rounded, put back after a test",
)
SET_PRECISION = Name(
    "torch._C:_set_fp32_precision_setter",
    "how float32 is rounded, put back after a test",
)
