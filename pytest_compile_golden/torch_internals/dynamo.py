"""Dynamo: frames, guards, graph breaks, recompilations, and the sizes that may vary."""

from pytest_compile_golden.torch_internals.private_name import Attribute, Name

CONFIG = Name(
    "torch._dynamo.config",
    "the limits that a recompilation names, and config=",
    feature="any capture",
)

FRAME_CALLBACK = Name(
    "torch._C._dynamo.eval_frame:get_eval_frame_callback",
    "whether a compiled function is running",
    feature="what modules set when they are first imported",
)
TRANSLATOR_RUN = Name(
    "torch._dynamo.symbolic_convert:InstructionTranslator.run",
    "traces a frame",
    ("compile_cost",),
    takes="self",
)
REGISTER_BYTECODE_HOOK = Name(
    "torch._dynamo.convert_frame:register_bytecode_hook",
    "the bytecode before and after",
    stages=("dynamo_bytecode",),
)
RECOMPILATION_REASONS = Name(
    "torch._dynamo.convert_frame:get_and_maybe_log_recompilation_reasons",
    "why earlier compilations do not fit",
    stages=("recompiles",),
    takes="_, frame",
)
EXCEEDS_RECOMPILE_LIMIT = Name(
    "torch._dynamo.convert_frame:exceeds_recompile_limit",
    "which limit was reached",
    stages=("recompiles",),
)

CHECK_FUNCTION_MANAGER = Name(
    "torch._dynamo.guards:CheckFunctionManager.__init__",
    "the guards of a frame",
    stages=("guards", "dropped_guards", "guard_tree", "compile_cost"),
    takes="self, f_code",
)
BUILD_GUARDS = Name(
    "torch._dynamo.guards:CheckFunctionManager.build_guards",
    "the guards that a filter leaves out",
    stages=("dropped_guards",),
    takes="self, sorted_guards",
)
EPILOGUE_GUARDS = Name(
    "torch._C._dynamo.guards:RootGuardManager.get_epilogue_lambda_guards",
    "the last guards",
    stages=("guard_tree",),
)
KEY_VALUE_MANAGERS = Attribute(
    "torch._C._dynamo.guards:DictGuardManager.get_key_value_managers",
    "the guards inside a dict",
    stages=("guard_tree",),
)
VERBOSE_CODE_PARTS = Name(
    "torch._dynamo.guards:get_verbose_code_parts",
    "which method wrote a guard",
    stages=("guards",),
)
SHAPE_GUARDS = Name(
    "torch._dynamo.guards:GuardBuilder.SHAPE_ENV",
    "guards on sizes, which are written together",
    stages=("guards",),
    takes="self, guard",
)

_SUITES = "the compiles of an existing suite"
COMPILE_FRAME = Name(
    "torch._dynamo.convert_frame:_compile",
    "traces a frame: which function is compiled",
    feature=f"numerics, {_SUITES}",
    takes="code, globals, locals",
)
CURRENT_COMPILE = Name(
    "torch._guards:CompileContext.try_get",
    "which compile a graph, or its backward graph, belongs to",
    feature=_SUITES,
)

LOG_GRAPH_BREAK = Name(
    "torch._dynamo.symbolic_convert:InstructionTranslatorBase.log_graph_break",
    "each graph break",
    stages=("graph_breaks",),
    takes="self, code_options, reason, exc | self, code_options, reason, user_stack"
    " | code_options, reason, _, user_stack",
    others=("torch._dynamo.symbolic_convert:log_graph_break",),
)
REAL_STACK = Attribute(
    "torch._dynamo.exc:Unsupported.real_stack",
    "the user's line of a graph break",
    stages=("graph_breaks",),
)

CALL_USER_COMPILER = Name(
    "torch._dynamo.output_graph:OutputGraph.call_user_compiler",
    "the captured graph, and the key that tells graphs apart",
    stages=("dynamo_graph", "specialisations", "compile_cost"),
    takes="self, gm, example_inputs",
)
COMPILE_SUBMOD = Name(
    "torch._dynamo.backends.distributed:SubmodCompiler.compile_submod",
    "the parts that DDP splits a graph into",
)

_SHAPE_ENV = "torch.fx.experimental.symbolic_shapes:ShapeEnv."
_SPECIALISATIONS = ("specialisations",)
CREATE_SYMBOL = Name(
    _SHAPE_ENV + "create_symbol",
    "sizes that get a symbol",
    stages=_SPECIALISATIONS,
    takes="self, val, source, dynamic_dim",
)
CREATE_UNBACKED = Name(
    _SHAPE_ENV + "create_unbacked_symint",
    "sizes that only data tell",
    stages=_SPECIALISATIONS,
    takes="*, source",
)
LOG_GUARD = Name(
    _SHAPE_ENV + "_log_guard",
    "guards on sizes",
    stages=_SPECIALISATIONS,
    takes="self, prefix, g, forcing_spec",
)
SET_REPLACEMENT = Name(
    _SHAPE_ENV + "_set_replacement",
    "sizes that became constant",
    stages=_SPECIALISATIONS,
    takes="self, a, tgt, msg",
)
DIM_DYNAMIC = Name(
    "torch.fx.experimental.symbolic_shapes:DimDynamic",
    "dynamic or static",
    stages=_SPECIALISATIONS,
)
AUTOMATIC_DYNAMIC = Name(
    "torch._dynamo.variables.builder:_automatic_dynamic",
    "the marks of an input",
    stages=_SPECIALISATIONS,
    takes="e, tx, source",
)
# The marks that a tensor can have, in the order of precedence in torch (torch/_dynamo/variables/builder.py:
# _automatic_dynamic), and the function that sets each (torch/_dynamo/decorators.py).
_MARK = ("the user's mark on a size", _SPECIALISATIONS)
_STRICT = Attribute(
    "torch._dynamo.decorators:mark_unbacked._dynamo_strict_unbacked_indices", *_MARK
)
_UNBACKED = Attribute(
    "torch._dynamo.decorators:mark_unbacked._dynamo_unbacked_indices", *_MARK
)
_DYNAMIC = Attribute(
    "torch._dynamo.decorators:mark_dynamic._dynamo_dynamic_indices", *_MARK
)
_WEAK = Attribute(
    "torch._dynamo.decorators:maybe_mark_dynamic._dynamo_weak_dynamic_indices", *_MARK
)
_STATIC = Attribute(
    "torch._dynamo.decorators:mark_static._dynamo_static_indices", *_MARK
)
MARKS = {
    _STRICT: "mark_unbacked(strict=True)",
    _UNBACKED: "mark_unbacked",
    _DYNAMIC: "mark_dynamic",
    _WEAK: "maybe_mark_dynamic",
    _STATIC: "mark_static",
}
ASSUME_STATIC = Name(
    "torch._dynamo.config:assume_static_by_default",
    "why a size is dynamic",
    stages=_SPECIALISATIONS,
)
TRACING_CONTEXT = Name(
    "torch._guards:TracingContext",
    "the graph that is being traced",
    _SPECIALISATIONS,
    feature="virtual GPUs",
)
VIRTUALIZED = Name(
    "torch._inductor.virtualized:V",
    "the graph that is being lowered, the choices",
    stages=(*_SPECIALISATIONS, "cost"),
)
CURRENT_NODE = Attribute(
    "torch._inductor.graph:GraphLowering.current_node",
    "the node that is being lowered",
    stages=_SPECIALISATIONS,
)
