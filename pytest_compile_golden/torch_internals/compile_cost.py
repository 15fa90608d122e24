"""The functions that compiling consists of, by which its cost is counted."""

from pytest_compile_golden.torch_internals import scheduler
from pytest_compile_golden.torch_internals.private_name import Name

_COST = ("compile_cost",)
_PHASE, _WORK = ("a phase", _COST), ("a piece of work", _COST)
_DYNAMO = "torch._dynamo."
_FX = "torch.fx."
_INDUCTOR = "torch._inductor."

SCHEDULING = Name(_INDUCTOR + "scheduler:Scheduler.__init__", *_PHASE)
CODEGEN = Name(_INDUCTOR + "graph:GraphLowering.codegen", *_PHASE)

COUNTED = {
    Name(
        _DYNAMO + "symbolic_convert:InstructionTranslatorBase.step", *_WORK
    ): "instructions",
    Name(_DYNAMO + "guards:GuardBuilder.get_guard_manager", *_WORK): "guards_built",
    Name(_FX + "graph:Graph.create_node", *_WORK): "nodes_made",
    Name(_FX + "interpreter:Interpreter.run_node", *_WORK): "nodes_run",
    Name(
        "torch._subclasses.fake_tensor:FakeTensorMode.dispatch", *_WORK
    ): "operators_run",
    Name(
        _FX + "experimental.proxy_tensor:ProxyTorchDispatchMode.__torch_dispatch__",
        *_WORK,
    ): "operators_traced",
    Name(
        _FX + "experimental.symbolic_shapes:ShapeEnv.evaluate_expr", *_WORK
    ): "conditions",
    Name(_INDUCTOR + "pattern_matcher:PatternExpr.match", *_WORK): "patterns_tried",
    Name(_INDUCTOR + "pattern_matcher:MatchContext.match", *_WORK): "patterns_compared",
    scheduler.RUN_NODE: "nodes_lowered",
    Name(_INDUCTOR + "ir:Loops.create", *_WORK): "loops_made",
    Name(_INDUCTOR + "loop_body:LoopBody.__init__", *_WORK): "loops_traced",
    scheduler.CAN_FUSE: "fusions_tried",
    Name(_INDUCTOR + "choices:InductorChoices.score_fusion", *_WORK): "fusions_scored",
    Name(_INDUCTOR + "sizevars:SizeVarAllocator.simplify", *_WORK): "simplifications",
    scheduler.CSE_GENERATE: "expressions",
}
"""The functions that are counted, and the names of their counts."""

FAKE_CACHE = Name(
    "torch._subclasses.fake_tensor:FakeTensorMode.cache_clear",
    "forgets computed results",
    _COST,
)
EMPTY_GRAPH = Name(
    _INDUCTOR + "loop_body:InterpreterShim._dummy_gm",
    "a graph that is made once",
    _COST,
)
TRACED_PATTERNS = Name(
    _INDUCTOR + "pattern_matcher:_SpecificPatternCache.lookup",
    "a pattern traced for other inputs",
    _COST,
    since="2.15",
)
