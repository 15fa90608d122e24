"""PatternMatcherPass objects as expressions: torch's by the name it keeps them under, the user's entry by entry."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch._inductor.pattern_matcher import (
    MULTIPLE,
    GraphPatternEntry,
    LoweringPatternEntry,
    MultiOutputPattern,
    PatternExpr,
    PatternMatcherPass,
    ReplacementPatternEntry,
)

from pytest_compile_golden.eject.source import CannotEject, Source
from pytest_compile_golden.observe.source_locations import closure_of, matcher_location

# What torch/_inductor/pattern_matcher.py: register_replacement keeps of its arguments, in the closure of its check.
_KEPT = ("extra_check", "scalar_workaround", "exclusive_arg_names", "get_decomp_fn")
_DECORATORS = {GraphPatternEntry: "register_graph_pattern", LoweringPatternEntry: "register_lowering_pattern"}
_HOME = "from torch._inductor.pattern_matcher import "


def matcher_expression(matcher: PatternMatcherPass, source: Source) -> str:
    """A name or path under which the script has `matcher`. Raises CannotEject."""
    location = matcher_location(matcher)
    if location is not None and location[0].__name__.startswith("torch."):
        module, variable, subscript = location
        package, _, short = module.__name__.rpartition(".")
        source.imports[f"from {package} import {short}"] = None
        return f"{short}.{variable}{subscript}"
    known = source.known(matcher)
    if known is not None:
        return known
    own = location is not None and location[1].isidentifier() and not location[2]
    name = source.claim(location[1] if location is not None and own else "own_patterns", matcher)
    given = [f"{key}={getattr(matcher, key)!r}" for key in ("pass_name", "subsystem") if getattr(matcher, key, None)]
    source.definitions.append(f"{name} = {source.value(type(matcher))}({', '.join(given)})\n")
    # An entry stands once under each operator that its pattern may begin with.
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
    given = [pattern_expression(entry.pattern, source), f"pass_dict={matcher}"]
    if entry.extra_check.__module__ != PatternMatcherPass.__module__:  # `_return_true`, the default
        given.append(f"extra_check={source.value(entry.extra_check)}")
    return f"{decorator}({', '.join(given)})({source.value(entry.handler)})\n"


def _replacement(matcher: str, entry: Any, source: Source) -> str:
    kept = closure_of(entry.extra_check)
    if "search_fn" not in kept or "replace_fn" not in kept:
        if entry.normalize_args.__closure__ is None:
            raise CannotEject("a replacement that was not made by register_replacement")
        raise CannotEject("a replacement whose functions this torch keeps where no supported version does")
    source.helpers["replacement"] = None
    given = [matcher, pattern_expression(entry.pattern, source)]
    given += [source.value(kept[name]) for name in ("search_fn", "replace_fn", "trace_fn")]
    given.append(repr(_of_inputs(kept)))
    if kept.get("search_fn_pattern") is not None:
        given.append("traced=True")
    given += [f"{name}={source.value(kept[name])}" for name in _KEPT if _worth_telling(name, kept.get(name))]
    return f"replacement({', '.join(given)})\n"


def _of_inputs(kept: dict[str, Any]) -> list[Any]:
    """For each example input whether it required a gradient; for scalars, which are given by name, torch notes too."""
    grads, names = list(kept["requires_grad"]), list(kept["argnames_static"])
    scalars = kept["scalar_workaround"] or {}
    if len(grads) != len(names):
        return grads
    return [each for name, each in zip(names, grads, strict=True) if name not in scalars]


def _worth_telling(name: str, value: Any) -> bool:
    default = getattr(value, "__name__", "") in ("_return_true", "select_decomp_table")
    return bool(value) and not (default and value.__module__.startswith("torch."))


def pattern_expression(pattern: PatternExpr, source: Source) -> str:
    """A pattern by the constructors of torch/_inductor/pattern_matcher.py. Raises CannotEject.

    A pattern that stands in several places gets a name: it matches one node then.
    """
    known = source.known(pattern)
    if known is not None:
        return known
    if getattr(pattern, "expected_meta", None) is not None:
        raise CannotEject("a pattern that only matches nodes with certain metadata")
    text = f"{source.value(type(pattern))}({', '.join(_arguments(pattern, source))})"
    if getattr(pattern, "users", 1) == 1 and not isinstance(pattern, MultiOutputPattern):
        return text
    name = source.claim("pattern", pattern)
    source.definitions.append(f"{name} = {text}\n")
    return name


def _arguments(pattern: Any, source: Source) -> list[str]:
    given = []
    for name, parameter in list(inspect.signature(type(pattern).__init__).parameters.items())[1:]:
        value = getattr(pattern, name.lstrip("_"), parameter.default)
        if value is parameter.empty:
            continue  # of a class without an __init__ of its own
        if name == "fns":
            value = _without_overloads(value)
        if parameter.kind is parameter.VAR_POSITIONAL:
            given += [_part(each, source) for each in value]
        elif parameter.kind is parameter.VAR_KEYWORD:
            given += [f"{key}={_part(each, source)}" for key, each in value.items()]
        elif parameter.kind is parameter.KEYWORD_ONLY:
            given += [f"{name}={_part(value, source)}"] if value != parameter.default else []
        else:
            given.append(_part(value, source))
    return given


def _without_overloads(functions: list[Any]) -> Any:
    """A pattern's functions as they were given: it adds the overloads of each packet itself."""
    packets = [function for function in functions if isinstance(function, torch._ops.OpOverloadPacket)]
    given = [function for function in functions if getattr(function, "overloadpacket", None) not in packets]
    return given[0] if len(given) == 1 else given


def _part(value: Any, source: Source) -> str:
    if value is MULTIPLE:
        source.imports[_HOME + "MULTIPLE"] = None
        return "MULTIPLE"
    return source.value(value)
