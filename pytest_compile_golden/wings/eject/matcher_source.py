"""PatternMatcherPass objects as expressions: torch's by their names in torch, the user's entry by entry."""

from __future__ import annotations

import inspect
from typing import Any

from pytest_compile_golden.observe.source_locations import closure_of, matcher_location
from pytest_compile_golden.torch_names import device, tensors
from pytest_compile_golden.torch_names import eject as names
from pytest_compile_golden.wings.eject.source import CannotEject, Source

MULTIPLE = names.MULTIPLE.get()
GraphPatternEntry = names.GRAPH_ENTRY.get()
LoweringPatternEntry = names.LOWERING_ENTRY.get()
MultiOutputPattern = names.MULTI_OUTPUT.get()
PatternExpr = names.PATTERN.get()
PatternMatcherPass = device.MATCHER.get()
ReplacementPatternEntry = names.REPLACEMENT_ENTRY.get()

# The arguments that register_replacement (torch/_inductor/pattern_matcher.py) keeps in the closure of its check.
_KEPT = ("extra_check", "scalar_workaround", "exclusive_arg_names", "get_decomp_fn")
_DECORATORS = {GraphPatternEntry: "register_graph_pattern", LoweringPatternEntry: "register_lowering_pattern"}
_HOME = "from torch._inductor.pattern_matcher import "


def matcher_expression(matcher: Any, source: Source) -> str:
    """A name or path for `matcher` in the script. Raises CannotEject."""
    location = matcher_location(matcher)
    if location is not None and location[0].__name__.startswith("torch."):
        module, variable, subscript = location
        package, _, short = module.__name__.rpartition(".")
        source.imports[f"from {package} import {short}"] = None
        return f"{short}.{variable}{subscript}"
    expression = source.known(matcher)
    if expression is not None:
        return expression
    own = location is not None and location[1].isidentifier() and not location[2]
    name = source.claim(location[1] if location is not None and own else "own_patterns", matcher)
    options = [f"{key}={getattr(matcher, key)!r}" for key in ("pass_name", "subsystem") if getattr(matcher, key, None)]
    source.definitions.append(f"{name} = {source.value(type(matcher))}({', '.join(options)})\n")
    # An entry is listed under each operator that its pattern may begin with.
    entries = {id(entry): entry for entries in matcher.patterns.values() for entry in entries}
    for entry in entries.values():
        source.definitions.append(_registered(name, entry, source))
    return name


def _registered(matcher: str, entry: Any, source: Source) -> str:
    if isinstance(entry, ReplacementPatternEntry):
        return _replacement(matcher, entry, source)
    decorator = next((name for kind, name in _DECORATORS.items() if type(entry) is kind), None)
    if decorator is None:
        raise CannotEject(f"a pattern of the class {type(entry).__qualname__}")
    source.imports[_HOME + decorator] = None
    arguments = [pattern_expression(entry.pattern, source), f"pass_dict={matcher}"]
    if entry.extra_check.__module__ != PatternMatcherPass.__module__:  # `_return_true`, the default
        arguments.append(f"extra_check={source.value(entry.extra_check)}")
    return f"{decorator}({', '.join(arguments)})({source.value(entry.handler)})\n"


def _replacement(matcher: str, entry: Any, source: Source) -> str:
    closure = closure_of(entry.extra_check)
    if "search_fn" not in closure or "replace_fn" not in closure:
        if entry.normalize_args.__closure__ is None:
            raise CannotEject("a replacement that was not made by register_replacement")
        raise CannotEject("a replacement whose functions this torch does not keep where the supported versions do")
    source.helpers["replacement"] = None
    arguments = [matcher, pattern_expression(entry.pattern, source)]
    arguments += [source.value(closure[name]) for name in ("search_fn", "replace_fn", "trace_fn")]
    arguments.append(repr(_of_inputs(closure)))
    # From 2.15 on, `search` is traced again even if it was traced before.
    if closure.get("search_fn_pattern", "") is not None:
        arguments.append("traced=True")
    arguments += [
        f"{name}={source.value(closure[name])}" for name in _KEPT if _differs_from_default(name, closure.get(name))
    ]
    return f"replacement({', '.join(arguments)})\n"


def _of_inputs(closure: dict[str, Any]) -> list[Any]:
    """Whether each example input required a gradient, without scalars: torch records these too, but they are passed by
    name."""
    grads, names = list(closure["requires_grad"]), list(closure["argnames_static"])
    scalars = closure["scalar_workaround"] or {}
    if len(grads) != len(names):
        return grads
    return [grad for name, grad in zip(names, grads, strict=True) if name not in scalars]


def _differs_from_default(name: str, value: Any) -> bool:
    default = getattr(value, "__name__", "") in ("_return_true", "select_decomp_table")
    return bool(value) and not (default and value.__module__.startswith("torch."))


def pattern_expression(pattern: Any, source: Source) -> str:
    """A pattern, built with the constructors in torch/_inductor/pattern_matcher.py. Raises CannotEject.

    A pattern that is used several times gets a name, as all its uses must match the same node.
    """
    expression = source.known(pattern)
    if expression is not None:
        return expression
    if getattr(pattern, "expected_meta", None) is not None:
        raise CannotEject("a pattern that only matches nodes with certain metadata")
    text = f"{source.value(type(pattern))}({', '.join(_arguments(pattern, source))})"
    if getattr(pattern, "users", 1) == 1 and not isinstance(pattern, MultiOutputPattern):
        return text
    name = source.claim("pattern", pattern)
    source.definitions.append(f"{name} = {text}\n")
    return name


def _arguments(pattern: Any, source: Source) -> list[str]:
    arguments = []
    for name, parameter in list(inspect.signature(type(pattern).__init__).parameters.items())[1:]:
        value = getattr(pattern, name.lstrip("_"), parameter.default)
        if value is parameter.empty:
            continue  # the class has no __init__ of its own
        if name == "fns":
            value = _without_overloads(value)
        if parameter.kind is parameter.VAR_POSITIONAL:
            arguments += [_part(part, source) for part in value]
        elif parameter.kind is parameter.VAR_KEYWORD:
            arguments += [f"{key}={_part(part, source)}" for key, part in value.items()]
        elif parameter.kind is parameter.KEYWORD_ONLY:
            arguments += [f"{name}={_part(value, source)}"] if value != parameter.default else []
        else:
            arguments.append(_part(value, source))
    return arguments


def _without_overloads(functions: list[Any]) -> Any:
    """A pattern's functions as originally passed: the pattern adds the overloads of each packet itself."""
    packets = [function for function in functions if isinstance(function, tensors.PACKET.get())]
    remaining = [function for function in functions if getattr(function, "overloadpacket", None) not in packets]
    return remaining[0] if len(remaining) == 1 else remaining


def _part(value: Any, source: Source) -> str:
    if value is MULTIPLE:
        source.imports[_HOME + "MULTIPLE"] = None
        return "MULTIPLE"
    return source.value(value)
