"""The contents of FX graphs, counted: operators, inputs, results and values saved for backward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_compile_golden.formats.graph.form import nodes
from pytest_compile_golden.formats.graph.printed import RESULT, Function
from pytest_compile_golden.formats.inventory import INPUT, OUTPUT, SAVED, Counted
from pytest_compile_golden.formats.text import arguments, sizes_by_appearance, with_sizes


def counted(functions: Sequence[Function]) -> Iterator[Counted]:
    """Each thing in graphs, with details that distinguish things of the same name: types, arguments without names."""
    for function in functions:
        sizes = sizes_by_appearance(argument.type for argument in function.inputs)
        for argument in function.inputs:
            yield Counted(INPUT, with_sizes(argument.type, sizes))
        for node in nodes(function):
            if node.name == RESULT:
                for _ in arguments(node.text.strip().removeprefix("(").removesuffix(")")):
                    yield Counted(OUTPUT)
                continue
            name = node.target
            if node.text.startswith("\0["):
                name = "getitem"
            elif node.text.startswith("\0."):
                name = f"Tensor.{name}"  # a method, presumably of a tensor
            elif not name:
                name = node.text.partition(".")[0]
            yield Counted(name or "value", with_sizes(f"{node.text} -> {node.type}", sizes))
        for _ in function.saves or ():
            yield Counted(SAVED)
