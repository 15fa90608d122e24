"""A graph that Dynamo makes of what is compiled as a program: a line for each node."""

from __future__ import annotations

import keyword
import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from operator import attrgetter
from typing import Any

import torch
from torch.fx import GraphModule

from pytest_compile_golden.features.eject.script_source import CannotEject, Source
from pytest_compile_golden.features.reduce.small_program import NAME, SmallProgram
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import device as device_names
from pytest_compile_golden.torch_internals import dynamo
from pytest_compile_golden.torch_internals.tensors import FAKE_TENSOR

_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and_": "&", "or_": "|", "xor": "^", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_FEW = 64
"""Elements of a tensor whose values are written."""
Values = Callable[[torch.Tensor], torch.Tensor | None]
"""The values of a tensor; None if they are not known."""


class GraphWriter:
    """A probe that writes each graph of Dynamo's as a program, as it is about to be compiled."""

    stages: tuple[str, ...] = ()

    def __init__(self, values: Values | None = None) -> None:
        """values: if given, each graph is also written with the values of its inputs."""
        self.programs: list[SmallProgram] = []
        self.refused: list[str] = []
        self._values = values

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def begin(output_graph: Any, gm: Any, example_inputs: Any) -> None:
            try:
                self.programs.append(of_graph(gm))
                if self._values is not None:
                    self.programs.append(of_graph(gm, example_inputs, self._values))
            except CannotEject as error:
                self.refused.append(str(error))

        hooks.before(dynamo.CALL_USER_COMPILER, begin)


def of_graph(
    module: GraphModule, given: Sequence[Any] = (), values: Values | None = None
) -> SmallProgram:
    """A function with a line for each node of a graph of Dynamo's. Raises CannotEject.

    given: what it is called with, whose values are written if there are any.
    """
    return _Lines().program(module, given, values)


class _Lines:
    def __init__(self) -> None:
        self._source = Source()
        self._names: dict[str, str] = {}
        self._inputs: dict[str, str] = {}
        self._sizes: dict[str, str] = {}
        """Where each symbolic size comes from."""

    def program(
        self, module: GraphModule, given: Sequence[Any], values: Values | None
    ) -> SmallProgram:
        nodes = [node for node in module.graph.nodes if node.op == "placeholder"]
        symbols: list[Any] = []
        for node, its in zip_longest(nodes, given[: len(nodes)]):
            value = node.meta.get("example_value")
            if isinstance(value, torch.Tensor):
                name = self._claim(node.name, short(node.name))
                known = isinstance(its, torch.Tensor) and its.shape == value.shape
                self._inputs[name] = tensor_expression(its if known else value, values)
                for dimension, size in enumerate(value.shape):
                    self._sizes.setdefault(str(size), f"{name}.shape[{dimension}]")
            elif isinstance(value, (torch.SymInt, int)):
                symbols.append((node, value))
            else:
                raise CannotEject(f"an input of the graph is a {type(value).__name__}")
        body = []
        for node, value in symbols:
            name = self._claim(node.name, node.name)
            if str(value) in self._sizes:
                body.append(f"{name} = {self._sizes[str(value)]}")
            else:
                self._inputs[name] = str(_number(value))
        body += self._statements(module)
        *body, last = body
        results = tuple(name.strip() for name in last.split(",") if name.strip())
        if not body:
            raise CannotEject("the graph computes nothing")
        # A graph that only writes into its inputs returns nothing.
        results = results or tuple(self._inputs)[:1]
        options = (("dynamic", "True"),) if symbols else ()
        imports = more_than_torch(self._source)
        return SmallProgram(
            imports, "", tuple(self._inputs.items()), tuple(body), results, options
        )

    def _statements(self, module: GraphModule) -> Iterator[str]:
        """A line for each node that is not an input; the last one lists the results."""
        for node in module.graph.nodes:
            if node.op == "get_attr":
                value = attrgetter(str(node.target))(module)
                if isinstance(value, GraphModule):
                    yield self._function(node.name, value)
                elif isinstance(value, torch.Tensor):
                    self._inputs[self._claim(node.name, short(node.name))] = (
                        tensor_expression(value)
                    )
                else:
                    raise CannotEject(f"the graph holds a {type(value).__name__}")
            elif node.op == "output":
                returned = node.args[0]
                returned = (
                    returned if isinstance(returned, (tuple, list)) else (returned,)
                )
                yield ", ".join(
                    dict.fromkeys(
                        self._expression(one) for one in returned if one is not None
                    )
                )
            elif node.op != "placeholder":
                if node.op == "call_function" and node.target is operator.setitem:
                    tensor, index, value = node.args
                    place = (
                        f"{_inside(self._expression(tensor))}[{self._subscript(index)}]"
                    )
                    yield f"{place} = {self._expression(value)}"
                else:
                    call = self._call(node)
                    yield f"{self._claim(node.name, node.name)} = {call}"

    def _function(self, name: str, module: GraphModule) -> str:
        """A function that an operator calls."""
        inner = _Lines()
        inner._source = self._source
        parameters = []
        for node in module.graph.nodes:
            if node.op == "placeholder":
                parameters.append(inner._claim(node.name, short(node.name)))
        *body, results = inner._statements(module)
        if inner._inputs:
            raise CannotEject("a function in the graph holds tensors")
        single = len(module.graph.output_node().args[0]) == 1 and not results.endswith(
            ","
        )
        lines = [*body, f"return ({results},)" if single else f"return {results}"]
        return f"def {self._claim(name, name)}({', '.join(parameters)}):\n" + "\n".join(
            f"    {line}" for text in lines for line in text.split("\n")
        )

    def _call(self, node: Any) -> str:
        args = [self._expression(argument) for argument in node.args]
        named = [
            f"{name}={self._expression(argument)}"
            for name, argument in node.kwargs.items()
        ]
        if node.op == "call_method":
            receiver, *args = args
            return f"{_inside(receiver)}.{node.target}({', '.join([*args, *named])})"
        if node.op != "call_function":
            raise CannotEject(f"the graph calls the module {node.target!r}")
        function = self._source.function(node.target)
        name = function.removeprefix("operator.")
        if name != function and not named:
            if name in _INFIX and len(args) == 2:
                return f"{_inside(args[0])} {_INFIX[name]} {_inside(args[1])}"
            if name == "getitem":
                return f"{_inside(args[0])}[{self._subscript(node.args[1])}]"
            if name == "neg":
                return f"-{_inside(args[0])}"
        if function == "getattr" and len(args) == 2:
            return f"{_inside(args[0])}.{args[1][1:-1]}"
        return f"{function}({', '.join([*args, *named])})"

    def _subscript(self, index: Any) -> str:
        """What stands in brackets: slices as colons."""
        if isinstance(index, slice):
            ends = (
                "" if each is None else self._expression(each)
                for each in (index.start, index.stop)
            )
            return ":".join(
                [*ends, *([] if index.step is None else [self._expression(index.step)])]
            )
        if isinstance(index, tuple) and index:
            return ", ".join(map(self._subscript, index)) + (
                "," if len(index) == 1 else ""
            )
        return self._expression(index)

    def _expression(self, value: Any) -> str:
        if isinstance(value, torch.fx.Node):
            return self._names[value.name]
        if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
            inside = ", ".join(map(self._expression, value))
            return (
                f"[{inside}]"
                if isinstance(value, list)
                else f"({inside}{',' if len(value) == 1 else ''})"
            )
        if isinstance(value, torch.Size):
            return self._expression(tuple(value))
        if isinstance(value, dict):
            return (
                "{"
                + ", ".join(
                    f"{key!r}: {self._expression(item)}" for key, item in value.items()
                )
                + "}"
            )
        if isinstance(value, slice):
            return f"slice({', '.join(self._expression(part) for part in (value.start, value.stop, value.step))})"
        if isinstance(value, torch.device):
            return repr(value.type)
        if isinstance(value, (torch.SymInt, torch.SymFloat)):
            return self._sizes.get(str(value), str(_number(value)))
        return self._source.expression(value)

    def _claim(self, node: str, wanted: str) -> str:
        """The name of a node's value in the program."""
        name, number = wanted, 1
        while name in self._names.values() or keyword.iskeyword(name) or name in _TAKEN:
            number += 1
            name = f"{wanted}_{number}"
        self._names[node] = name
        return name


_TAKEN = frozenset(
    {
        "torch",
        "operator",
        "math",
        "inputs",
        "options",
        NAME,
        "int",
        "float",
        "bool",
        "getattr",
        "slice",
    }
)


def short(name: str) -> str:
    """A parameter's name without what Dynamo says of its place: `l_self_modules_norm_parameters_weight_`: `weight`."""
    parts = [
        part
        for part in re.split(r"_+", name)
        if part not in ("l", "L", "self", "modules", "parameters", "")
    ]
    kept = parts[-1] if parts else name
    return kept if kept.isidentifier() else "x" + kept


def _inside(expression: str) -> str:
    """An operand: in parentheses if it is more than a name or a number."""
    return (
        expression
        if re.fullmatch(r"[\w.]+|\(.*\)|\[.*\]", expression)
        else f"({expression})"
    )


def _number(value: Any) -> int | float:
    """The value that a symbolic number has in the example."""
    if isinstance(value, (int, float)):
        return value
    known = device_names.SYMBOL_VALUES.of(value.node.shape_env)
    return int(
        value.node.expr.xreplace(
            {symbol: known.get(symbol, 16) for symbol in value.node.expr.free_symbols}
        )
    )


def known_value(value: torch.Tensor) -> torch.Tensor | None:
    """A tensor's values; None for one that has none."""
    return None if isinstance(value, FAKE_TENSOR.get()) else value.detach()


def _literal(real: torch.Tensor) -> str:
    """The elements of a tensor, as nested lists; numbers with as many digits as its dtype needs."""
    if real.dim():
        return f"[{', '.join(map(_literal, real))}]"
    value = real.item()
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return f"float('{value}')"
    shortest = (f"{value:.{digits}g}" for digits in range(1, 17))
    same = (
        text
        for text in shortest
        if torch.tensor(float(text), dtype=real.dtype, device="cpu").item() == value
    )
    return str(float(next(same, str(value))))


def tensor_expression(value: torch.Tensor, values: Values | None = None) -> str:
    """An expression that makes a tensor of this type on the default device. Raises CannotEject.

    values: gives the values of tensors, which are written if they are few.
    """
    if value.layout is not torch.strided or type(value).__name__ not in (
        "Tensor",
        "Parameter",
        "FakeTensor",
    ):
        raise CannotEject(
            f"a tensor of the class {type(value).__name__} and layout {value.layout}"
        )
    shape = [int(_number(size)) for size in value.shape]
    strides = [int(_number(stride)) for stride in value.stride()]
    dtype = "" if value.dtype == torch.float32 else f", dtype={value.dtype}"
    order = sorted(
        range(len(shape)), key=lambda dimension: (-strides[dimension], dimension)
    )
    made = [shape[dimension] for dimension in order]
    real = None if values is None or not 0 < value.numel() <= _FEW else values(value)
    if real is not None:
        listed = f"torch.tensor({_literal(real.permute(order))}{dtype})"
        if order != sorted(order):
            listed += f".permute{tuple(order.index(dimension) for dimension in range(len(shape)))}"
        return listed + _gradient(value)
    text = _made(made, value.dtype, dtype)
    if value.device.type == "cpu" and torch.get_default_device().type != "cpu":
        text = f"{text[:-1]}, device='cpu')" if text.endswith(")") else text
    plain = all(
        size == 1 or stride == math.prod(made[place + 1 :])
        for place, (size, stride) in enumerate(
            zip(made, (strides[dimension] for dimension in order), strict=True)
        )
    )
    if not plain and 0 not in shape:
        return f"torch.empty_strided({shape}, {strides}{dtype}){_gradient(value)}"
    if [dimension for dimension in order if shape[dimension] > 1] != [
        dimension for dimension in range(len(shape)) if shape[dimension] > 1
    ]:
        back = tuple(order.index(dimension) for dimension in range(len(shape)))
        return f"{text}.permute{back}{_gradient(value)}"
    return (
        f"{_made(shape, value.dtype, dtype)[:-1]}, requires_grad=True)"
        if value.requires_grad
        else (text if made == shape else _made(shape, value.dtype, dtype))
    )


def _gradient(value: torch.Tensor) -> str:
    return ".requires_grad_()" if value.requires_grad else ""


def _made(shape: list[int], dtype: torch.dtype, written: str) -> str:
    if (dtype.is_floating_point and dtype.itemsize > 1) or dtype.is_complex:
        return f"torch.randn({', '.join(map(str, shape)) if shape else '()'}{written})"
    sizes = f"{tuple(shape)}" if len(shape) != 1 else f"({shape[0]},)"
    if dtype == torch.bool:
        return f"torch.ones({', '.join(map(str, shape)) if shape else '()'}{written})"
    if dtype.is_floating_point:
        return f"torch.empty({', '.join(map(str, shape)) if shape else '()'}{written})"
    return (
        f"torch.zeros({sizes}{written})"
        if 0 in shape
        else f"torch.zeros({sizes[1:-1].rstrip(',') or '()'}{written})"
    )


def more_than_torch(source: Source) -> tuple[str, ...]:
    """The imports without those of what is there once torch is."""
    return tuple(
        line
        for line in source.imports
        if line not in ("import torch", "import torch.nn.functional")
    )
