"""What tries patterns: how torch registers them, and what their expressions are made of."""

from pytest_compile_golden.torch_names.name import Attribute, Name

_MATCHER = "torch._inductor.pattern_matcher:"
REGISTER = Name(
    _MATCHER + "register_replacement",
    "registers a pattern",
    takes="search_fn, replace_fn, example_inputs, *, scalar_workaround",
)
ENTRIES = Attribute(_MATCHER + "PatternMatcherPass.patterns", "by the operator that each ends in")
OPEN = (
    Name(_MATCHER + "Arg", "any argument"),
    Name(_MATCHER + "Ignored", "any argument, which the handler is not told"),
    Name(_MATCHER + "KeywordArg", "any argument, the same wherever it has that name"),
)
FUNCTIONS = Attribute(_MATCHER + "_TargetExpr.fns", "the functions of which a part finds a call")
ARGUMENTS = Attribute(_MATCHER + "_TargetArgsExpr.args", "what the arguments of that call must be")
SEVERAL = Name(_MATCHER + "ListOf", "a list of the same")
