"""What a script that runs one pass alone is written from, and what tries patterns: patterns, registrations, kernels."""

from pytest_compile_golden.torch_internals.private_name import Attribute, Name

_SCRIPTS = "compile-golden eject"
_MATCHER = "torch._inductor.pattern_matcher:"

MULTIPLE = Name(_MATCHER + "MULTIPLE", "a pattern", feature=_SCRIPTS)
EXPECTED_META = Attribute(
    _MATCHER + "_TargetArgsExpr.expected_meta",
    "a pattern of nodes with certain metadata",
    since="2.15",
)
USERS = Attribute(
    _MATCHER + "_TargetExpr.users",
    "how often a pattern's value is used",
    feature=_SCRIPTS,
)
GRAPH_ENTRY = Name(_MATCHER + "GraphPatternEntry", "a pattern", feature=_SCRIPTS)
LOWERING_ENTRY = Name(_MATCHER + "LoweringPatternEntry", "a pattern", feature=_SCRIPTS)
MULTI_OUTPUT = Name(_MATCHER + "MultiOutputPattern", "a pattern", feature=_SCRIPTS)
PATTERN = Name(_MATCHER + "PatternExpr", "a pattern", feature=_SCRIPTS)
REPLACEMENT_ENTRY = Name(
    _MATCHER + "ReplacementPatternEntry", "a pattern", feature=_SCRIPTS
)
NAMESPACE = Name("torch._ops:_OpNamespace", "torch.ops.aten", feature=_SCRIPTS)
CUSTOM_OPERATOR = Name(
    "torch._library.custom_ops:CustomOpDef", "the user's operator", feature=_SCRIPTS
)
CUSTOM_OPERATORS = Name(
    "torch._library.custom_ops:OPDEFS", "the user's operators", feature=_SCRIPTS
)
REGISTERED = Name(
    "torch._library.simple_registry:singleton", "fake implementations", feature=_SCRIPTS
)
KERNELS = Name(
    "torch._higher_order_ops.triton_kernel_wrap:kernel_side_table",
    "the user's Triton kernels",
    feature=_SCRIPTS,
)
DONATED = Attribute(
    "torch._functorch._aot_autograd.schemas:ViewAndMutationMeta.bw_donated_idxs",
    "inputs that a backward graph may write into",
    feature=_SCRIPTS,
)
IS_INFERENCE = Attribute(
    "torch._inductor.graph:GraphLowering.is_inference",
    "how a graph is lowered",
    feature=_SCRIPTS,
)
IS_BACKWARD = Attribute(
    "torch._inductor.graph:GraphLowering.is_backward",
    "how a graph is lowered",
    feature=_SCRIPTS,
)
C_NN = Name("torch._C:_nn", "functions that are found by name", feature=_SCRIPTS)
C_SPECIAL = Name(
    "torch._C:_special", "functions that are found by name", feature=_SCRIPTS
)
REGISTER = Name(
    _MATCHER + "register_replacement",
    "registers a pattern",
    takes="search_fn, replace_fn, example_inputs, *, scalar_workaround",
)
ENTRIES = Attribute(
    _MATCHER + "PatternMatcherPass.patterns", "by the operator that each ends in"
)
OPEN = (
    Name(_MATCHER + "Arg", "any argument"),
    Name(_MATCHER + "Ignored", "any argument, which the handler is not told"),
    Name(_MATCHER + "KeywordArg", "any argument, the same wherever it has that name"),
)
FUNCTIONS = Attribute(
    _MATCHER + "_TargetExpr.fns", "the functions of which a part finds a call"
)
ARGUMENTS = Attribute(
    _MATCHER + "_TargetArgsExpr.args", "what the arguments of that call must be"
)
SEVERAL = Name(_MATCHER + "ListOf", "a list of the same")
