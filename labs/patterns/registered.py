"""The patterns of torch, replaced by a function or handled by one, and programs that each may match."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import math
import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from unittest import mock

import torch
from torch.fx import Graph, GraphModule, Node

from pytest_compile_golden.observe.source_locations import source_of
from pytest_compile_golden.torch_internals import device, eject, inductor, tensors
from pytest_compile_golden.torch_internals import eject as names

_SHAPES = ((8, 8), (1, 8, 8), (8, 8, 8), (8,))
"""All tensors of a program have the same, so that products and sums fit, but for one at a time that is broadcast."""
_WHOLE, _COLUMN, _NUMBER = "whole", "column", "number"
"""What an argument that may be any tensor is: of that shape, with one element in the last dimension, a plain number."""
_MOST = 40
"""Programs of one shape."""
_PLACE = "place"
"""The kind of an argument that is the number of what it is in, in a list of the same."""


@dataclass(frozen=True)
class Replaced:
    """One pattern that torch replaces, as it is registered for some inputs."""

    name: str
    where: str | None
    search: Callable[..., Any]
    replacement: Callable[..., Any]
    inputs: Sequence[Any]
    """Those that torch traces it with."""
    numbers: Mapping[str, float]
    """Values of the numbers that it takes: any other would match too."""


@dataclass(frozen=True)
class Handled:
    """One pattern whose matches a function of torch handles."""

    name: str
    where: str | None
    entry: Any
    """Has the `pattern`, and is asked to `apply` it to a match."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """Settings of Inductor with which its pass runs."""


@contextlib.contextmanager
def watched() -> Iterator[list[Replaced]]:
    """Notes every replacement pattern that is registered in the block.

    torch keeps only what it traced of them (torch/_inductor/pattern_matcher.py: register_replacement), so they must
    not be registered yet: use this before the first compile for a target.
    """
    found: list[Replaced] = []
    owner, attribute = names.REGISTER.resolve()
    register = getattr(owner, attribute)
    signature = inspect.signature(register)

    def noted(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        found.append(
            Replaced(
                *source_of(given["search_fn"]),
                given["search_fn"],
                given["replace_fn"],
                tuple(given["example_inputs"]),
                {**(given.get("scalar_workaround") or {})},
            )
        )
        return register(*args, **kwargs)

    with mock.patch.object(owner, attribute, noted):
        yield found


def handled() -> list[Handled]:
    """The patterns in the passes of all modules of Inductor that are imported."""
    found: dict[int, Handled] = {}
    for module in [
        module
        for name, module in [*sys.modules.items()]
        if name.startswith("torch._inductor.")
    ]:
        for name, value in [*vars(module).items()]:
            for key, of in value.items() if isinstance(value, dict) else [("", value)]:
                for matching in of if isinstance(of, (list, tuple)) else [of]:
                    for entry in _handlers(matching):
                        new = Handled(
                            *source_of(entry.handler),
                            entry,
                            _switched_on(name.lower(), key),
                        )
                        found.setdefault(id(entry), new)
    return [*found.values()]


def _handlers(value: Any) -> Iterator[Any]:
    every = (
        names.ENTRIES.of(value).values()
        if isinstance(value, device.MATCHER.get())
        else ()
    )
    yield from (
        entry
        for several in every
        for entry in several
        if not isinstance(entry, eject.REPLACEMENT_ENTRY.get())
    )


def _switched_on(name: str, key: object) -> dict[str, Any]:
    """What makes a pass run that does not by default: the option with its name, or the switch."""
    config, option = inductor.CONFIG.get(), name.replace("_patterns", "_fusion_options")
    if key and isinstance(getattr(config, option, None), dict):
        return {
            option: {"normalization_pass": {}, key: {}}
            if option.startswith("pre_")
            else {key: {}}
        }
    return {name: True} if getattr(config, name, None) is False else {}


class NotMade(Exception):
    """No program can be made of a pattern; the message says why."""


class Instance(NamedTuple):
    """A program that a pattern may match; whether it runs is not known."""

    program: GraphModule
    inputs: list[torch.Tensor]
    """Of its form, in float64."""
    words: str = ""
    """What is special about it."""
    shape: tuple[int, ...] = ()
    """Of all its tensors."""
    chosen: Mapping[object, Any] = {}
    """What was chosen for each argument that is open."""


def instances(pattern: Any, device: str) -> Iterator[Instance]:
    """Programs of a pattern. Raises NotMade.

    pattern: an expression of torch/_inductor/pattern_matcher.py.
    device: for tensors that the pattern itself creates.
    """
    for shape in _SHAPES:
        candidates = _Written(pattern, shape, device, {}).candidates
        for chosen in itertools.islice(_choices(candidates), _MOST):
            yield _instance(_Written(pattern, shape, device, chosen), "", shape, chosen)


def variants(pattern: Any, device: str, of: Instance) -> Iterator[Instance]:
    """Programs like one that the pattern matches: of other dtypes, with further keyword arguments, without dimensions.

    torch ignores keyword arguments that a pattern does not name (torch/_inductor/pattern_matcher.py: _TargetArgsExpr).
    """
    written = _Written(pattern, of.shape, device, of.chosen)
    for (key, name), values in {**written.dtypes, **written.unnamed}.items():
        for value in values:
            if value is not of.chosen.get(
                key, values[0] if key in written.candidates else None
            ):
                chosen = {**of.chosen, key: value}
                yield _instance(
                    _Written(pattern, of.shape, device, chosen),
                    f"with {name}={value}",
                    of.shape,
                    chosen,
                )
    yield _instance(_Written(pattern, (), device, {}), "without dimensions", (), {})


def _instance(
    written: _Written, words: str, shape: tuple[int, ...], chosen: Mapping[object, Any]
) -> Instance:
    inputs = [torch.empty(each, dtype=torch.float64) for each in written.inputs]
    return Instance(GraphModule({}, written.graph), inputs, words, shape, chosen)


def _choices(candidates: Mapping[object, Sequence[Any]]) -> Iterator[dict[object, Any]]:
    """The first candidate of each argument, then another one of one argument, tensors last, then every combination."""
    first = {key: values[0] for key, values in candidates.items()}
    yield first
    for key, values in sorted(
        candidates.items(), key=lambda item: first[item[0]] == _WHOLE
    ):
        yield from ({**first, key: value} for value in values[1:])
    for chosen in itertools.product(*candidates.values()):
        if (
            sum(
                one is not other
                for one, other in zip(chosen, first.values(), strict=True)
            )
            > 1
        ):
            yield dict(zip(candidates, chosen, strict=True))


class _Written:
    """One way to write a pattern as a graph."""

    def __init__(
        self,
        pattern: Any,
        shape: tuple[int, ...],
        device: str,
        chosen: Mapping[object, Any],
    ) -> None:
        self._shape, self._device, self._chosen = shape, device, chosen
        self.candidates: dict[object, list[Any]] = {}
        """For each argument that is open."""
        self.dtypes: dict[tuple[object, str], list[Any]] = {}
        """Those that are dtypes, with their names in the schema."""
        self.unnamed: dict[tuple[object, str], list[Any]] = {}
        """For each keyword argument that the pattern does not name."""
        self.inputs: list[tuple[int, ...]] = []
        """The shapes of its inputs."""
        self._made: dict[object, Any] = {}
        self.graph = Graph()
        self._top = self.graph.call_function(torch.empty, (0,))  # inputs come before it
        several = isinstance(pattern, eject.MULTI_OUTPUT.get())
        self.graph.output(
            tuple(
                self._value(one) for one in (pattern.outputs if several else [pattern])
            )
        )
        self.graph.erase_node(self._top)

    def _value(
        self, part: Any, name: str = "", kind: str = "Tensor", place: int = 0
    ) -> Any:
        """What stands for a part of the pattern.

        name, kind: the argument that it is, and its type, in the operator's schema.
        place: the number of what it is in, in a list of the same.
        """
        if isinstance(part, (list, tuple)):
            return type(part)(self._value(each, name, kind, place) for each in part)
        if not isinstance(part, eject.PATTERN.get()):
            return part
        if isinstance(part, names.SEVERAL.get()):
            return [self._value(part.pattern, place=number) for number in range(2)]
        is_open = isinstance(part, tuple(each.get() for each in names.OPEN))
        if is_open and kind == _PLACE:
            return place
        key: object = (
            getattr(part, "name", len(self._made)) if is_open else (id(part), place)
        )
        if key not in self._made:
            self._made[key] = (
                self._open(key, name, kind) if is_open else self._call(part, place)
            )
        return self._made[key]

    def _call(self, part: Any, place: int) -> Node:
        functions = names.FUNCTIONS.of(part, None)
        if functions is None:
            raise NotMade(f"it looks for {type(part).__name__}")
        function = next(
            (each for each in functions if isinstance(each, tensors.OPERATOR.get())),
            functions[0],
        )
        taken = names.ARGUMENTS.of(part, None)
        if taken is None:  # whatever its arguments are
            arguments = _arguments(function, 0)
            values = [
                self._open((id(part), name, place), name, kind)
                for name, kind, needed in arguments
                if needed
            ]
            return self._node(function, values, {})
        arguments = _arguments(function, len(taken) + len(part.kwargs))
        # Of one list, the same is read.
        inner = 0 if function is operator.getitem else place
        values = [
            self._value(each, name, kind, place if kind == _PLACE else inner)
            for each, (name, kind, _) in zip(taken, arguments, strict=False)
        ]
        kinds = {name: kind for name, kind, _ in arguments}
        given = {
            name: self._value(each, name, kinds.get(name, ""), place)
            for name, each in part.kwargs.items()
        }
        for name, kind, _ in arguments[len(taken) :]:
            key = id(part), place, name
            if name in given or "Tensor" in kind or "Device" in kind:
                continue
            with contextlib.suppress(NotMade):
                self.unnamed[key, name] = self._candidates(name, kind)
            if key in self._chosen:
                given[name] = self._chosen[key]
        return self._node(function, values, given)

    def _node(self, function: Any, values: list[Any], given: dict[str, Any]) -> Node:
        call = (
            self.graph.call_method
            if isinstance(function, str)
            else self.graph.call_function
        )
        return call(function, tuple(values), given)

    def _open(self, key: object, name: str, kind: str) -> Any:
        if "Tensor" in kind and "List" in kind:
            return [self._input(self._shape) for _ in range(2)]
        self.candidates[key] = self._candidates(name, kind)
        if "dtype" in name:
            self.dtypes[key, name] = self.candidates[key]
        chosen = self._chosen.get(key, self.candidates[key][0])
        if "Tensor" not in kind:
            return chosen
        return (
            2.0
            if chosen == _NUMBER
            else self._input(
                (*self._shape[:-1], 1) if chosen == _COLUMN else self._shape
            )
        )

    def _input(self, shape: tuple[int, ...]) -> Node:
        self.inputs.append(shape)
        with self.graph.inserting_before(self._top):
            return self.graph.placeholder(f"x{len(self.inputs)}")

    def _candidates(self, name: str, kind: str) -> list[Any]:
        rank, shape = len(self._shape), [*self._shape]
        if "Tensor" in kind:
            return [_WHOLE, _NUMBER, _COLUMN]
        if name in ("layout", "pin_memory"):
            return [None]
        if "dtype" in name:
            return [
                torch.float32,
                torch.float64,
                torch.int64,
                torch.bool,
                torch.bfloat16,
            ]
        if "List[int]" in kind and "dim" in name:
            return [[*range(rank)][::-1], [*range(rank)], [-1]]
        if "List[int]" in kind and "split" in name:
            return [[4, 4], [2, 6]]
        by_kind: dict[str, list[Any]] = {
            "List[int]": [shape, [math.prod(shape)], [-1, *shape[-1:]]],
            "int": [0, 1, -1] if "dim" in name else [4, 8, 1],
            "number": [2.0, 1.0],
            "float": [2.0, 1.0],
            "bool": [True, False],
            "Device": [torch.device(self._device)],
        }
        for part, candidates in by_kind.items():
            if part in kind:
                return candidates
        if "Optional" in kind:
            return [None]
        raise NotMade(f"its argument {name} is of type {kind}")


def _arguments(function: Any, count: int) -> list[tuple[str, str, bool]]:
    """Name, type and necessity of each argument of a function or method, of which `count` are given."""
    if function is operator.getitem:
        return [("self", "Tensor", True), ("index", _PLACE, True)]
    if getattr(function, "__module__", "") == "_operator":
        return [("self", "Tensor", True), ("other", "Tensor", True)]
    if isinstance(function, type):
        raise NotMade(f"it looks for the module {function.__name__}")
    name = function if isinstance(function, str) else getattr(function, "__name__", "")
    packet = getattr(torch.ops.aten, name, None)
    overloads = (
        [getattr(packet, overload) for overload in packet.overloads()]
        if packet is not None
        else []
    )
    schemas = [
        each._schema
        for each in (
            [function] if isinstance(function, tensors.OPERATOR.get()) else overloads
        )
    ]
    for schema in schemas:
        if (
            len(schema.arguments) >= count
            and not schema.is_mutable
            and "Dimname" not in str(schema)
        ):
            return [
                (each.name, str(each.type), not each.has_default_value())
                for each in schema.arguments
            ]
    raise NotMade(f"{name} has no schema")
