"""What tries patterns: how torch registers them."""

from pytest_compile_golden.torch_names.name import Name

REGISTER = Name(
    "torch._inductor.pattern_matcher:register_replacement",
    "registers a pattern",
    takes="search_fn, replace_fn, example_inputs, *, scalar_workaround",
)
