"""Arithmetic of indices and sizes in the one spelling that all its spellings share."""

from __future__ import annotations

import ast
import functools
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

_BALANCED = r"(?:[^(),]|\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\))+"
_CAST = r"(?:static_cast<int64_t>)?"
_NUMBER = rf"(?:{_CAST}\((\d+)L?\)|(\d+)L?)"
# `((x0 % 64)) % 16` in Triton; in C++, with `static_cast<int64_t>()` around each value and number
_NESTED = re.compile(
    rf"{_CAST}\(\(({_CAST}(?:\w+|\({_BALANCED}\))) % {_NUMBER}\)\) % ({_NUMBER})(?![\w.])"
)
# b // first % of // second % modulus
_INDEXING = re.compile(
    rf"ModularIndexing\(ModularIndexing\(({_BALANCED}), (\d+), (\d+)\), (\d+), ([1-9]\d*)\)"
)
Terms = dict[tuple[str, ...], int]
"""A sum: the factor of each sorted product of atoms."""
_MOST_TERMS = 200
_SYMMETRIC = frozenset({"Eq", "Max", "Min", "Ne"})
"""Functions of sizes whose operands may be in any order, as sympy and torch/utils/_sympy/functions.py have them."""
_TRIED, _LARGEST = 24, 1 << 20
"""How many values of its names two spellings are compared for, and up to which number."""


def once(text: str) -> str:
    """`text` with each remainder of a remainder that takes nothing away as one."""
    if text.count(" % ") > 1:
        text = _NESTED.sub(_remainder, text)
    return (
        _INDEXING.sub(_indexing, text)
        if "ModularIndexing(ModularIndexing(" in text
        else text
    )


def twice(text: str) -> dict[str, str]:
    """The remainders of remainders in the indices of a schedule of which `once` makes one, each with that one."""
    found = ((match[0], _indexing(match)) for match in _INDEXING.finditer(text))
    return {nested: one for nested, one in found if nested != one}


def _remainder(match: re.Match[str]) -> str:
    value, *outer, inner, one, other = match.groups()
    modulus = int(one or other)
    number = int(outer[0] or outer[1])
    return f"{value} % {inner}" if modulus and number % modulus == 0 else match[0]


def _indexing(match: re.Match[str]) -> str:
    base, first, of, second, modulus = match.groups()
    if int(of) % (int(second) * int(modulus)):
        return match[0]
    return f"ModularIndexing({base}, {int(first) * int(second)}, {modulus})"


def multiplied_out(node: ast.expr, other: Callable[[ast.expr], Terms]) -> Terms:
    """The sums, differences, products and powers of integers and names in `node`; `other` says what anything else is.

    Raises whatever `other` raises.
    """
    match node:
        case ast.Constant(value=int(number)) if type(number) is int:
            return {(): number} if number else {}
        case ast.Name(id=name):
            return {(name,): 1}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _product([{(): -1}, multiplied_out(operand, other)])
        case ast.BinOp(op=ast.Mult() | ast.Pow()) if [*_factors(node)] != [node]:
            return _product([multiplied_out(each, other) for each in _factors(node)])
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            one, two = multiplied_out(left, other), multiplied_out(right, other)
            return _sum(
                one, two if isinstance(op, ast.Add) else _product([{(): -1}, two])
            )
    return other(node)


def _product(factors: Sequence[Terms]) -> Terms:
    """Sums whose product has more terms than are worth listing stay factors, whatever the order."""
    if math.prod(map(len, factors)) > _MOST_TERMS:
        factors = [
            each if len(each) == 1 else {(f"({text(each)})",): 1} for each in factors
        ]
    return functools.reduce(_times, factors)


def _factors(node: ast.expr) -> Iterator[ast.expr]:
    """Those of a product or a power; for anything else, itself."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield from _factors(left)
            yield from _factors(right)
        case ast.BinOp(
            left=left, op=ast.Pow(), right=ast.Constant(value=int(power))
        ) if 0 < power < 9:
            for _ in range(power):
                yield from _factors(left)
        case _:
            yield node


def _times(one: Terms, other: Terms) -> Terms:
    found: Counter[tuple[str, ...]] = Counter()
    for atoms, factor in one.items():
        for more_atoms, times in other.items():
            found[tuple(sorted(atoms + more_atoms))] += factor * times
    return {atoms: factor for atoms, factor in found.items() if factor}


def text(terms: Terms) -> str:
    """`2*c0 + c1`."""
    parts = (
        "*".join(atoms if factor == 1 and atoms else (str(factor), *atoms))
        for atoms, factor in terms.items()
    )
    return " + ".join(sorted(parts)) or "0"


def _sum(one: Terms, other: Terms) -> Terms:
    total = Counter(one)
    total.update(other)
    return {atoms: factor for atoms, factor in total.items() if factor}


@functools.lru_cache(maxsize=1 << 14)
def of_sizes(expression: str) -> str:
    """An expression of sizes, or a condition on them, in its one spelling; as it is written if it is anything else."""
    try:
        return _size(ast.parse(expression, mode="eval").body)
    except (SyntaxError, RecursionError):
        return expression


def _size(node: ast.expr) -> str:
    return text(_terms(node))


def _terms(node: ast.expr) -> Terms:
    return multiplied_out(node, _symbol)


def _symbol(node: ast.expr) -> Terms:
    """Anything but sums and products, as a symbol of its own."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            name, operands = type(op).__name__, [left, right]
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            name, operands = type(op).__name__, [left, right]
        case ast.Call(func=ast.Name(id=name), args=operands):
            pass
        case _:
            return {(ast.unparse(node),): 1}
    sizes = list(map(_size, operands))
    inside = sorted(sizes) if name in _SYMMETRIC else sizes
    return {(f"{name}({', '.join(inside)})",): 1}


def same_everywhere(
    one: str, other: str, below: Mapping[str, int] | None = None
) -> bool:
    """Whether two indices are the same number, whatever their names stand for: `16*(c0 // 16 % 4) + c0 % 16` is
    `c0 % 64`. Numbers are tried, so that no rule is needed for each way to write one.

    below: a number that what a name stands for is smaller than.
    """
    try:
        trees = [ast.parse(side.strip(), mode="eval").body for side in (one, other)]
        names = sorted(
            {
                node.id
                for tree in trees
                for node in ast.walk(tree)
                if isinstance(node, ast.Name)
            }
        )
        numbers = random.Random(0)
        for _ in range(_TRIED):
            values = {
                name: numbers.randrange(below[name])
                if below and name in below
                else numbers.randint(1, _LARGEST)
                for name in names
            }
            if _value(trees[0], values) != _value(trees[1], values):
                return False
    except (SyntaxError, ValueError, ArithmeticError):
        return False
    return True


def _value(node: ast.expr, values: dict[str, int]) -> int:
    """Raises ValueError for anything but arithmetic of whole numbers and names."""
    match node:
        case ast.Constant(value=int(number)) if type(number) is int:
            return number
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, values)
        case ast.BinOp(left=left, op=op, right=right):
            one, two = _value(left, values), _value(right, values)
            match op:
                case ast.Add():
                    return one + two
                case ast.Sub():
                    return one - two
                case ast.Mult():
                    return one * two
                case ast.FloorDiv():
                    return one // two
                case ast.Mod():
                    return one % two
        case ast.Call(
            func=ast.Name(id="ModularIndexing"), args=[index, divisor, modulus]
        ):
            # torch/utils/_sympy/functions.py: ModularIndexing
            parts = [_value(part, values) for part in (index, divisor, modulus)]
            return parts[0] // parts[1] % parts[2]
    raise ValueError(ast.unparse(node))
