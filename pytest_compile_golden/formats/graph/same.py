"""Whether graphs that differ are the same graph, spelled otherwise."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Sequence
from dataclasses import replace

from pytest_compile_golden.formats import polynomials
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.graph import form
from pytest_compile_golden.formats.graph.printed import Function, GraphLine, read
from pytest_compile_golden.formats.text import arguments, short, sizes_by_appearance, with_sizes

# Tensor operators without a factor for one operand, and arithmetic of symbolic sizes.
COMMUTATIVE = frozenset(
    f"aten.{name}"
    for name in (
        *("add.Tensor", "mul.Tensor", "eq.Tensor", "ne.Tensor", "maximum.default", "minimum.default"),
        *(f"bitwise_{name}.Tensor" for name in ("and", "or", "xor")),
        *(f"logical_{name}.default" for name in ("and", "or", "xor")),
    )
) | {"operator.add", "operator.mul"}
_CALL = re.compile(r"([\w.]+)\((.*)\)$")
# What later torches give higher-order operators besides, beside what is off already: `(full, None, None, mask)`.
_OFF = re.compile(r"(?<=\bNone)(?:, None)+|(?:, None)+(?=,?\))")
# What functions of Dynamo's own are given as a tuple since torch 2.13: `(getitem,)`.
_ALONE = re.compile(r"\((\w+),\)")
_ARGUMENT = re.compile(r"[^\s,()]+")
_LISTS = re.compile(r"(?<=\[)[^\[\]]+(?=\])|(?<=^Sym\().+(?=\)$)")


def same_graphs(old: str, new: str) -> bool:
    """Whether two texts are different graphs that compute the same, node by node.

    Ignored are the order of operands where it does not matter, how an expression of sizes is written, where torch
    keeps an operator, whether Dynamo gives its own functions a value or a tuple of it, and how many None higher-order
    operators are given in a row, or after everything else.
    """
    try:
        sides = [read(text) for text in (old, new)]
    except Unreadable:
        return False
    before, after = (form.forms([_evened(function) for function in side]) for side in sides)
    return before == after and form.canonical(old) != form.canonical(new) and not _off_elsewhere(*sides)


def _off_elsewhere(old: Sequence[Function], new: Sequence[Function]) -> bool:
    """Whether a higher-order operator that is given as much as before has None in other places."""
    given = [
        [
            [argument == "None" for argument in _ARGUMENT.findall(line.call)]
            for function in side
            for line in function.lines
            if line.call.startswith("higher_order.")
        ]
        for side in (old, new)
    ]
    return any(len(was) == len(now) and was != now for was, now in zip(*given, strict=False))


def _evened(function: Function) -> Function:
    """The graph in the one spelling that all its spellings share."""
    sizes = sizes_by_appearance(argument.type for argument in function.inputs)
    # How each value is computed, in that spelling: otherwise, operands would be ordered by what is spelled otherwise.
    keys = {argument.name: index for index, argument in enumerate(function.inputs)}
    lines: list[GraphLine] = []
    for line in function.lines:
        call = line.call if line.is_result else _called(line, keys)
        text, reads = form.holes(call, function.values)
        keys[line.name] = hash((text, *(keys.get(name, name) for name in reads)))
        lines.append(replace(line, type=_type(line.type, sizes), call=call))
    inputs = (replace(argument, type=_type(argument.type, sizes)) for argument in function.inputs)
    return replace(function, inputs=tuple(inputs), lines=tuple(lines))


def _called(line: GraphLine, keys: dict[str, int]) -> str:
    call = _CALL.match(line.call)
    if call is None:
        return line.call
    target, inside = call.groups()
    if target.startswith("higher_order."):
        return f"{target}({_OFF.sub('', _OFF.sub('', f'{inside})'))}"
    if target.startswith("torch._dynamo."):
        inside = _ALONE.sub(lambda alone: alone[1], inside)
    operands = list(arguments(inside))
    if target in COMMUTATIVE and len(operands) == 2 and keys.keys() >= {*operands}:
        inside = ", ".join(sorted(operands, key=keys.__getitem__))
    # Overloads of one operator may compute otherwise.
    return f"{target if target.startswith('aten.') else short(target)}({inside})"


def _type(text: str, sizes: dict[str, str]) -> str:
    return _LISTS.sub(lambda match: ", ".join(map(_expression, arguments(match[0]))), with_sizes(text, sizes))


def _expression(text: str) -> str:
    """An expression of sizes in its one spelling; as it is written if it is anything else."""
    try:
        tree = ast.parse(text, mode="eval").body
        if isinstance(tree, ast.Compare):
            return f"{type(tree.ops[0]).__name__} {_sum(tree.left)} {' '.join(map(_sum, tree.comparators))}"
        return _sum(tree)
    except (SyntaxError, polynomials.TooManyTerms):
        return text


def _sum(node: ast.expr) -> str:
    return polynomials.text(_terms(node))


def _terms(node: ast.expr) -> polynomials.Terms:
    return polynomials.multiplied_out(node, _symbol)


def _symbol(node: ast.expr) -> polynomials.Terms:
    """Powers, multiplied out; anything else is a symbol of its own."""
    match node:
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))) if 0 < power < 9:
            return functools.reduce(polynomials.product, [_terms(left)] * power)
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return {(f"FloorDiv({_sum(left)}, {_sum(right)})",): 1}
        case ast.Call(func=ast.Name(id=name), args=operands):
            return {(f"{name}({', '.join(map(_sum, operands))})",): 1}
    return {(ast.unparse(node),): 1}
