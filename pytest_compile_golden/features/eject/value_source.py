"""Values from the user's program, patterns among them, as Python expressions, with the source of what they need."""

from __future__ import annotations

import collections
import copyreg
import enum
import functools
import inspect
import sys
import types
from typing import Any

import torch

from pytest_compile_golden.features.eject.script_source import (
    CannotEject,
    Source,
    attribute,
)
from pytest_compile_golden.features.eject.users_source import comes_installed, copied
from pytest_compile_golden.observe.source_locations import closure_of, matcher_location
from pytest_compile_golden.torch_internals import device, tensors
from pytest_compile_golden.torch_internals import eject as names

_FEW = 64
"""The most elements of a tensor whose values are written into a script."""
# The arguments that register_replacement (torch/_inductor/pattern_matcher.py) keeps in the closure of its check.
_KEPT = ("extra_check", "scalar_workaround", "exclusive_arg_names", "get_decomp_fn")
_DECORATORS = {
    names.GRAPH_ENTRY.get(): "register_graph_pattern",
    names.LOWERING_ENTRY.get(): "register_lowering_pattern",
}
_OPERATORS = (tensors.OPERATOR.get(), tensors.PACKET.get(), tensors.HIGHER_ORDER.get())
_HOME = "from torch._inductor.pattern_matcher import "


def value_expression(value: Any, source: Source) -> str:
    """`value` as an expression; whatever it needs is added to `source`. Raises CannotEject.

    The user's functions and classes are copied; those of torch, Python and installed packages are imported. Other
    objects are written by their state, as pickle would save it.
    """
    if (expression := source.known(value)) is not None:
        return expression
    if id(value) in source.writing:
        raise CannotEject(f"a {type(value).__name__} that contains itself")
    source.writing.append(id(value))
    try:
        for write in (_literal, _container, _torch_value, _compilers, _called):
            if (text := write(value, source)) is not None:
                return text
        return _object(value, source)
    finally:
        source.writing.pop()


def _literal(value: Any, source: Source) -> str | None:
    plain = (
        value is None or value is ... or type(value) in (bool, int, float, str, complex)
    )
    return (
        source.expression(value)
        if plain
        else repr(value)
        if type(value) is bytes
        else None
    )


def _container(value: Any, source: Source) -> str | None:
    if type(value) in (dict, collections.OrderedDict, collections.Counter):
        inside = ", ".join(
            f"{source.value(key)}: {source.value(item)}" for key, item in value.items()
        )
        return (
            f"{{{inside}}}"
            if type(value) is dict
            else f"{source.value(type(value))}({{{inside}}})"
        )
    if type(value) not in (tuple, list, set, frozenset):
        return None
    inside = ", ".join(map(source.value, value))
    if type(value) is tuple:
        return f"({inside}{',' if len(value) == 1 else ''})"
    if type(value) is list:
        return f"[{inside}]"
    return (
        f"{{{inside}}}"
        if type(value) is set and value
        else f"{type(value).__name__}([{inside}])"
    )


def _called(value: Any, source: Source) -> str | None:
    """Functions, classes, modules, methods and partials."""
    if isinstance(value, names.NAMESPACE.get()):
        return f"torch.ops.{value.name}"
    if isinstance(value, types.ModuleType):
        if not comes_installed(value.__name__, source):
            raise CannotEject("one of your own modules")
        source.imports[f"import {value.__name__}"] = None
        return value.__name__
    if isinstance(value, functools.partial):
        return source.partial(value, source.value(value.func))
    if isinstance(value, types.MethodType):
        return f"{source.value(value.__self__)}.{value.__name__}"
    named = isinstance(getattr(value, "__module__", None), str) and hasattr(
        value, "__qualname__"
    )
    if (
        named
        and comes_installed(value.__module__, source)
        and (path := _imported(value, source)) is not None
    ):
        return path
    if (variable := _held_by_torch(value, source)) is not None:
        return variable
    if not named:
        return (
            source.function(value)
            if isinstance(value, types.BuiltinFunctionType)
            else None
        )
    if comes_installed(value.__module__, source):
        raise CannotEject(
            f"{value.__module__}.{value.__qualname__}, which is created at run time"
        )
    function = inspect.unwrap(value) if callable(value) else value
    return (
        copied(value, source)
        if isinstance(function, (types.FunctionType, type))
        else None
    )


def _imported(value: Any, source: Source) -> str | None:
    """Its name in its own module; None if that module does not contain it."""
    held = attribute(sys.modules.get(value.__module__), value.__qualname__)
    if held is not value and getattr(held, "__wrapped__", None) is not value:
        return None
    if value.__module__ != "builtins":
        source.imports[
            f"from {value.__module__} import {value.__qualname__.partition('.')[0]}"
        ] = None
    return str(value.__qualname__)


def _held_by_torch(value: Any, source: Source) -> str | None:
    """A pass that is an instance, or wrapped, and is a variable of a torch module."""
    for name, module in list(sys.modules.items()):
        if name.startswith("torch._inductor.fx_passes."):
            for variable, member in list(vars(module).items()):
                if member is value or (
                    callable(value)
                    and inspect.getattr_static(member, "__wrapped__", None) is value
                ):
                    source.imports[f"from {name} import {variable}"] = None
                    return variable
    return None


def _torch_value(value: Any, source: Source) -> str | None:
    """Operators, dtypes, devices, small tensors."""
    if isinstance(value, names.CUSTOM_OPERATOR.get()):
        value = value._opoverload  # calling the definition calls this
    if isinstance(
        value,
        (
            *_OPERATORS,
            torch.dtype,
            torch.device,
            torch.layout,
            torch.memory_format,
            slice,
        ),
    ):
        return source.expression(value)
    if not isinstance(value, torch.Tensor):
        return None
    fake = isinstance(value, tensors.FAKE_TENSOR.get())
    if (
        fake
        or value.numel() > _FEW
        or value.device.type != "cpu"
        or value.layout != torch.strided
    ):
        raise CannotEject(
            f"a tensor of {list(value.shape)}: a script can contain the data of at most {_FEW} elements"
        )
    expression = f"torch.tensor({value.tolist()!r}, dtype={value.dtype})"
    return (
        f"torch.nn.Parameter({expression})"
        if isinstance(value, torch.nn.Parameter)
        else expression
    )


def _compilers(value: Any, source: Source) -> str | None:
    """Objects that only compiler passes and kernels use."""
    if isinstance(value, names.PATTERN.get()):
        return pattern_expression(value, source)
    if isinstance(value, device.MATCHER.get()):
        return matcher_expression(value, source)
    if type(value).__name__ == "FakeTensorUpdater":
        source.imports["from torch._inductor.fx_utils import FakeTensorUpdater"] = None
        # torch makes one when the phase begins: until 2.12 from the same graph, since then from its module.
        return f"FakeTensorUpdater({'gm.graph' if 'graph' in inspect.signature(type(value)).parameters else 'gm'})"
    if not type(value).__module__.startswith("triton."):
        return None
    source.imports["import triton"] = None
    if type(value).__name__ == "constexpr":
        source.imports["import triton.language"] = None
        return f"triton.language.constexpr({source.value(value.value)})"
    function = value
    # autotuner, heuristics, JIT function: each wraps the next.
    while hasattr(function, "fn"):
        function = function.fn
    return copied(function, source, decorator="@triton.jit")


def _object(value: Any, source: Source) -> str:
    """Any other object, from its class and state as pickle sees them."""
    kind = type(value)
    named = f"a {kind.__module__}.{kind.__qualname__}"
    if isinstance(value, enum.Enum):
        return f"{source.value(kind)}.{value.name}"
    if kind.__module__.partition(".")[0] == "torch":
        raise CannotEject(named)
    try:
        reduced = value.__reduce_ex__(2)
    except Exception:
        # The user's code, which may fail with any error (TypeError, PicklingError ...).
        raise CannotEject(named) from None
    if isinstance(reduced, str):
        raise CannotEject(named)
    make, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
    if items is not None or (
        pairs is not None and not isinstance(value, collections.defaultdict)
    ):
        raise CannotEject(f"{named}, a container that stores its items in its own way")
    expressions = [source.value(argument) for argument in arguments]
    if pairs is not None:
        expressions.append(source.value(dict(pairs)))
    if make is not getattr(copyreg, "__newobj__", None):
        if state:
            raise CannotEject(named)
        return f"{source.value(make)}({', '.join(expressions)})"
    source.helpers["instance"] = None
    own, slots = state if isinstance(state, tuple) else (state, None)
    written = []
    for name, held in {**(own or {}), **(slots or {})}.items():
        try:
            written.append(f"{name!r}: {source.value(held)}")
        except CannotEject as error:
            if error.located:
                raise
            file = getattr(sys.modules.get(kind.__module__), "__file__", None)
            raise CannotEject(
                f"a {kind.__qualname__} (of {file}) whose {name} is {error}"
            ) from None
    expressions.insert(1, f"{{{', '.join(written)}}}")
    return f"instance({', '.join(expressions)})"


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
    name = source.claim(
        location[1] if location is not None and own else "own_patterns", matcher
    )
    options = [
        f"{key}={getattr(matcher, key)!r}"
        for key in ("pass_name", "subsystem")
        if getattr(matcher, key, None)
    ]
    source.definitions.append(
        f"{name} = {source.value(type(matcher))}({', '.join(options)})\n"
    )
    # An entry is listed under each operator that its pattern may begin with.
    entries = {
        id(entry): entry for entries in matcher.patterns.values() for entry in entries
    }
    for entry in entries.values():
        source.definitions.append(_registered(name, entry, source))
    return name


def _registered(matcher: str, entry: Any, source: Source) -> str:
    if isinstance(entry, names.REPLACEMENT_ENTRY.get()):
        return _replacement(matcher, entry, source)
    decorator = next(
        (name for kind, name in _DECORATORS.items() if type(entry) is kind), None
    )
    if decorator is None:
        raise CannotEject(f"a pattern of the class {type(entry).__qualname__}")
    source.imports[_HOME + decorator] = None
    arguments = [pattern_expression(entry.pattern, source), f"pass_dict={matcher}"]
    # `_return_true`, the default.
    if entry.extra_check.__module__ != device.MATCHER.get().__module__:
        arguments.append(f"extra_check={source.value(entry.extra_check)}")
    return f"{decorator}({', '.join(arguments)})({source.value(entry.handler)})\n"


def _replacement(matcher: str, entry: Any, source: Source) -> str:
    closure = closure_of(entry.extra_check)
    if "search_fn" not in closure or "replace_fn" not in closure:
        if entry.normalize_args.__closure__ is None:
            raise CannotEject("a replacement that was not made by register_replacement")
        raise CannotEject(
            "a replacement whose functions this torch does not keep where the supported versions do"
        )
    source.helpers["replacement"] = None
    arguments = [matcher, pattern_expression(entry.pattern, source)]
    arguments += [
        source.value(closure[name]) for name in ("search_fn", "replace_fn", "trace_fn")
    ]
    arguments.append(repr(_of_inputs(closure)))
    # From 2.15 on, `search` is traced again even if it was traced before.
    if closure.get("search_fn_pattern", "") is not None:
        arguments.append("traced=True")
    arguments += [
        f"{name}={source.value(closure[name])}"
        for name in _KEPT
        if _differs_from_default(closure.get(name))
    ]
    return f"replacement({', '.join(arguments)})\n"


def _of_inputs(closure: dict[str, Any]) -> list[Any]:
    """Whether each example input required a gradient, without scalars: torch records these too, but they are passed by
    name."""
    grads, names = list(closure["requires_grad"]), list(closure["argnames_static"])
    scalars = closure["scalar_workaround"] or {}
    if len(grads) != len(names):
        return grads
    return [
        grad for name, grad in zip(names, grads, strict=True) if name not in scalars
    ]


def _differs_from_default(value: Any) -> bool:
    default = getattr(value, "__name__", "") in ("_return_true", "select_decomp_table")
    return bool(value) and not (default and value.__module__.startswith("torch."))


def pattern_expression(pattern: Any, source: Source) -> str:
    """A pattern, built with the constructors in torch/_inductor/pattern_matcher.py. Raises CannotEject.

    A pattern that is used several times gets a name, as all its uses must match the same node.
    """
    expression = source.known(pattern)
    if expression is not None:
        return expression
    if (
        names.EXPECTED_META.expected
        and names.EXPECTED_META.of(pattern, None) is not None
    ):
        raise CannotEject("a pattern that only matches nodes with certain metadata")
    text = f"{source.value(type(pattern))}({', '.join(_arguments(pattern, source))})"
    if names.USERS.of(pattern, 1) == 1 and not isinstance(
        pattern, names.MULTI_OUTPUT.get()
    ):
        return text
    name = source.claim("pattern", pattern)
    source.definitions.append(f"{name} = {text}\n")
    return name


def _arguments(pattern: Any, source: Source) -> list[str]:
    arguments = []
    for name, parameter in list(
        inspect.signature(type(pattern).__init__).parameters.items()
    )[1:]:
        value = getattr(pattern, name.lstrip("_"), parameter.default)
        if value is parameter.empty:
            continue  # the class has no __init__ of its own
        if name == "fns":
            # A pattern's functions as originally passed: the pattern adds the overloads of each packet itself.
            packets = [
                function
                for function in value
                if isinstance(function, tensors.PACKET.get())
            ]
            remaining = [
                function
                for function in value
                if tensors.PACKET_OF.of(function, None) not in packets
            ]
            value = remaining[0] if len(remaining) == 1 else remaining
        if parameter.kind is parameter.VAR_POSITIONAL:
            arguments += [_part(part, source) for part in value]
        elif parameter.kind is parameter.VAR_KEYWORD:
            arguments += [f"{key}={_part(part, source)}" for key, part in value.items()]
        elif parameter.kind is parameter.KEYWORD_ONLY:
            arguments += (
                [f"{name}={_part(value, source)}"] if value != parameter.default else []
            )
        else:
            arguments.append(_part(value, source))
    return arguments


def _part(value: Any, source: Source) -> str:
    if value is names.MULTIPLE.get():
        source.imports[_HOME + "MULTIPLE"] = None
        return "MULTIPLE"
    return source.value(value)
