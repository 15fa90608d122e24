"""Everything in a script besides the lines of its graph, and a graph's values as Python expressions."""

from __future__ import annotations

import builtins
import functools
import importlib
import math
import operator
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from torch.utils.checkpoint import CheckpointPolicy

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.observe.record_graphs import plain_expression
from pytest_compile_golden.torch_internals import device, tensors
from pytest_compile_golden.torch_internals import eject as names

# Namespaces whose operators exist as soon as torch is imported.
# fmt: off
TORCHS_OWN = frozenset({
    "aten", "prims", "prim", "inductor", "quantized", "mkldnn", "mkl", "onednn", "rngprims", "profiler", "fsdp",
    "coor", "_c10d_functional", "_c10d_functional_autograd", "c10d", "symm_mem", "higher_order", "streams",
    "debugprims",
})
# fmt: on
_FOUND_BY_NAME = (
    torch,
    torch.nn.functional,
    names.C_NN.get(),
    names.C_SPECIAL.get(),
    operator,
    math,
    builtins,
)
REPLACEMENT_IMPORTS = (
    "from torch._inductor.pattern_matcher import PatternMatcherPass, register_replacement",
    "from torch.utils._pytree import tree_map",
)
"""What the helper `replacement` of `helpers.py.jinja` calls."""
_SYMBOL = re.compile(r"\b([a-z]+\d+)\b")


class CannotEject(CompileGoldenError):
    """A pass or graph that a script cannot rebuild without the user's program."""

    located = False
    """Whether the message already names the variable and file it is about."""


class Source:
    """Everything in a script besides the lines of the graph: imports, definitions, symbolic sizes."""

    def __init__(self) -> None:
        self.imports: dict[str, None] = {}
        self.definitions: list[str] = []
        self.symbols: dict[str, int] = {}
        self.operators: dict[Any, str] = {}
        """For each custom operator, the line that declares it."""
        self.registrations: list[str] = []
        """Calls that repeat the user's registrations for operators."""
        self.helpers: dict[str, None] = {}
        """Functions of `helpers.py.jinja` that the definitions call."""
        self.packages: dict[str, None] = {}
        """Installed packages that the script imports besides torch."""
        self.writing: list[int] = []
        """The ids of the values that are being written as expressions: each is part of the one before."""
        self.unfinished: list[str] = []
        """Names in the script whose definitions are still being built."""
        self._later: list[str] = []
        self._names: dict[str, object] = {}
        self._known: dict[int, str] = {}

    def value(self, value: Any) -> str:
        """A value from the user's program as Python; see `value_source.value_expression`. Raises CannotEject."""
        from pytest_compile_golden.features.eject.value_source import value_expression

        return value_expression(value, self)

    def partial(self, value: functools.partial[Any], function: str) -> str:
        """`value` as Python, where `function` is what it calls. Raises CannotEject."""
        arguments = [function, *map(self.value, value.args)]
        arguments += [
            f"{name}={self.value(argument)}"
            for name, argument in value.keywords.items()
        ]
        self.imports["import functools"] = None
        return f"functools.partial({', '.join(arguments)})"

    def define(self, name: str, expression: str) -> None:
        """Define `name` in the script; if the value uses names that are not defined yet, after those."""
        line = f"{name} = {expression}\n"
        if set(self.unfinished).isdisjoint(re.findall(r"\w+", expression)):
            self.definitions.append(line)
        else:
            self._later.append(line)
            self.unfinished.insert(0, name)

    def copy(self, name: str, make: Callable[[], str]) -> None:
        """Add the copy of a function or class that `make` returns; `make` may add definitions that the copy needs, and
        the copy may refer to itself."""
        self.unfinished.append(name)
        text = make()
        self.unfinished.pop()
        self.definitions.append(text)
        if not set(self.unfinished) - {
            line.partition(" = ")[0] for line in self._later
        }:
            self.definitions += self._later
            self._later.clear()
            self.unfinished.clear()

    def known(self, value: object) -> str | None:
        """The name under which the script already has `value`."""
        return self._known.get(id(value))

    def claim(self, wanted: str, value: object, *, imported: bool = False) -> str:
        """A name in the script for `value`: the wanted one, unless it is taken.

        imported: whether `value` is imported under this name; the script's own set-up may import the same.
        """
        name, number = wanted, 1
        while (not imported and name in reserved_names()) or self._names.get(
            name, value
        ) is not value:
            number += 1
            name = f"{wanted}_{number}"
        self._names[name] = value
        # Equal ones may be one object.
        if not isinstance(value, (bool, int, float, str, bytes, type(None))):
            self._known[id(value)] = name
        return name

    def reserve(self, names: Iterable[str]) -> None:
        """Keep names from being claimed: they mean something else in the script."""
        for name in names:
            self._names.setdefault(name, object())

    def expression(self, value: Any) -> str:
        """`value`, an argument of a node, as Python. Raises CannotEject."""
        if isinstance(value, CheckpointPolicy):  # a number too
            self.imports["from torch.utils.checkpoint import CheckpointPolicy"] = None
            return f"CheckpointPolicy.{value.name}"
        if isinstance(value, float) and not math.isfinite(value):
            return f"float({str(value)!r})"
        if (plain := plain_expression(value, self.expression)) is not None:
            return plain
        if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return self._symbolic(value)
        if isinstance(value, torch.device):
            return f"torch.device({value.type!r}{'' if value.index is None else f', {value.index}'})"
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return str(value)
        if callable(value):
            return self.function(value)
        raise CannotEject(
            f"the graph contains a {type(value).__name__}, which cannot be written in a script; choose another pass."
        )

    def function(self, target: Any) -> str:
        """A function that a node calls, by a name under which the script can find it.

        Raises CannotEject for one that is neither an operator nor torch's own.
        """
        if isinstance(target, tensors.OPERATOR.get()):
            self._declare(target)
            return f"torch.ops.{target}"
        if isinstance(target, tensors.PACKET.get()):
            for overload in target.overloads():
                self._declare(getattr(target, overload))
            return f"torch.ops.{target._qualified_op_name.replace('::', '.')}"
        if isinstance(target, tensors.HIGHER_ORDER.get()):
            return f"torch.ops.higher_order.{target.name()}"
        name = getattr(target, "__name__", "")
        for owner in _FOUND_BY_NAME:
            if getattr(owner, name, None) is target:
                return self._in_module(owner.__name__, name)
        module = getattr(target, "__module__", None) or ""
        if (
            module.partition(".")[0] == "torch"
            and attribute(importlib.import_module(module), target.__qualname__)
            is target
        ):
            return self._in_module(module, target.__qualname__)
        raise CannotEject(
            f"the graph calls {name or target!r}, which does not belong to torch; choose a pass after it is lowered."
        )

    def _in_module(self, module: str, name: str) -> str:
        if module == "builtins":
            return name
        self.imports[
            f"import {module.removesuffix('._nn').removesuffix('._special')}"
        ] = None
        return f"{module.replace('_operator', 'operator')}.{name}"

    def _symbolic(self, value: Any) -> str:
        expression = value.node.expr
        for symbol in sorted(expression.free_symbols, key=str):
            if str(symbol) not in self.symbols:
                # Unknown where the size depends on the data.
                self.symbols[str(symbol)] = int(
                    device.SYMBOL_VALUES.of(value.node.shape_env).get(symbol, 16)
                )
        return _SYMBOL.sub(r"S.\1", str(expression))

    def tensor(self, value: Any) -> str:
        """A fake value as an expression that recreates it."""
        if isinstance(value, torch.Tensor):
            sizes = f"[{', '.join(map(self.expression, value.shape))}]"
            parts = [sizes, self.expression(value.dtype)]
            if value.layout is torch.strided and not _plain_strides(value):
                parts.append(
                    f"stride=[{', '.join(map(self.expression, value.stride()))}]"
                )
            parts.append(f"device={str(value.device)!r}")
            return f"g.tensor({', '.join(parts)})"
        if isinstance(value, (tuple, list)):
            return f"({''.join(f'{self.tensor(element)}, ' for element in value)})"
        if isinstance(value, dict):
            return (
                "{"
                + ", ".join(
                    f"{key!r}: {self.tensor(item)}" for key, item in value.items()
                )
                + "}"
            )
        return self.expression(value)

    def _declare(self, target: Any) -> None:
        if target.namespace in TORCHS_OWN:
            return
        schema = str(target._schema).partition("::")[2]
        tags = ", ".join(f"torch.Tag.{tag.name}" for tag in target.tags)
        self.operators[target] = f"declare({target.namespace!r}, {schema!r}, [{tags}])"


@functools.cache
def reserved_names() -> frozenset[str]:
    """The names that every script may use itself: those that the templates define, assign or import at any level."""
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in sorted(Path(__file__).parent.glob("*.jinja"))
    )
    defined = re.findall(r"^ *(?:def|class) (\w+)", text, re.M)
    assigned = [
        name
        for left in re.findall(r"^ {0,4}(\w[\w, ]*) = ", text, re.M)
        for name in left.split(", ")
    ]
    imported = re.findall(r"^from [\w.]+ import (.+?)(?:  #.*)?$", text, re.M)
    return frozenset(
        (
            *defined,
            *assigned,
            *(name for names in imported for name in names.split(", ")),
            "g",
        )
    )


def attribute(owner: Any, path: str) -> Any:
    """What a module holds under a dotted name; None if it holds nothing there."""
    return functools.reduce(
        lambda held, part: getattr(held, part, None), path.split("."), owner
    )


def _plain_strides(tensor: torch.Tensor) -> bool:
    expected: Any = 1
    for size, stride in zip(
        reversed(tensor.shape), reversed(tensor.stride()), strict=True
    ):
        if str(stride) != str(expected):
            return False
        expected = expected * size
    return True
