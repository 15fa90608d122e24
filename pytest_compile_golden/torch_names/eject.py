"""What a script that runs one pass alone is written from: patterns, registrations, kernels of the user's."""

from pytest_compile_golden.torch_names.name import Name

_SCRIPTS = "compile-golden eject"
_MATCHER = "torch._inductor.pattern_matcher:"

MULTIPLE = Name(_MATCHER + "MULTIPLE", "a pattern", feature=_SCRIPTS)
GRAPH_ENTRY = Name(_MATCHER + "GraphPatternEntry", "a pattern", feature=_SCRIPTS)
LOWERING_ENTRY = Name(_MATCHER + "LoweringPatternEntry", "a pattern", feature=_SCRIPTS)
MULTI_OUTPUT = Name(_MATCHER + "MultiOutputPattern", "a pattern", feature=_SCRIPTS)
PATTERN = Name(_MATCHER + "PatternExpr", "a pattern", feature=_SCRIPTS)
REPLACEMENT_ENTRY = Name(_MATCHER + "ReplacementPatternEntry", "a pattern", feature=_SCRIPTS)
NAMESPACE = Name("torch._ops:_OpNamespace", "torch.ops.aten", feature=_SCRIPTS)
CUSTOM_OPERATOR = Name("torch._library.custom_ops:CustomOpDef", "the user's operator", feature=_SCRIPTS)
CUSTOM_OPERATORS = Name("torch._library.custom_ops:OPDEFS", "the user's operators", feature=_SCRIPTS)
REGISTERED = Name("torch._library.simple_registry:singleton", "fake implementations", feature=_SCRIPTS)
KERNELS = Name(
    "torch._higher_order_ops.triton_kernel_wrap:kernel_side_table", "the user's Triton kernels", feature=_SCRIPTS
)
C_NN = Name("torch._C:_nn", "functions that are found by name", feature=_SCRIPTS)
C_SPECIAL = Name("torch._C:_special", "functions that are found by name", feature=_SCRIPTS)
