"""Index expressions as polynomials: `4*(p0 + p1)` and `p1*4 + 4*p0` are the same index."""

from __future__ import annotations

import ast
from collections import Counter
from functools import lru_cache

# Maps each sorted product of atoms to its factor.
_Terms = dict[tuple[str, ...], int]
_MOST_TERMS = 200


class _NotAnIndex(ValueError):
    """Something that cannot be part of an index, or too many terms."""


@lru_cache(maxsize=1 << 14)
def index(text: str) -> str:
    """`text` with sums and products multiplied out, in a fixed order; unchanged if it is not an index expression.

    Anything but sums, differences and products (`c0//8`, `ModularIndexing(...)`) is treated as an atom.
    """
    try:
        return _text(_terms(ast.parse(text.strip(), mode="eval").body))
    except (SyntaxError, _NotAnIndex, RecursionError):
        return text


def _terms(node: ast.expr) -> _Terms:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return {(): node.value} if node.value else {}
    if isinstance(node, ast.Name):
        return {(node.id,): 1}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _product({(): -1}, _terms(node.operand))
    if isinstance(node, ast.BinOp):
        left, right = _terms(node.left), _terms(node.right)
        if isinstance(node.op, ast.Add):
            return _sum(left, right)
        if isinstance(node.op, ast.Sub):
            return _sum(left, _product({(): -1}, right))
        if isinstance(node.op, ast.Mult):
            return _product(left, right)
        return {(f"({_text(left)} {type(node.op).__name__} {_text(right)})",): 1}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return {(f"{node.func.id}({', '.join(_text(_terms(arg)) for arg in node.args)})",): 1}
    raise _NotAnIndex


def _sum(one: _Terms, other: _Terms) -> _Terms:
    total = Counter(one)
    total.update(other)
    return {atoms: factor for atoms, factor in total.items() if factor}


def _product(one: _Terms, other: _Terms) -> _Terms:
    if len(one) * len(other) > _MOST_TERMS:
        raise _NotAnIndex
    product: Counter[tuple[str, ...]] = Counter()
    for atoms, factor in one.items():
        for more_atoms, times in other.items():
            product[tuple(sorted(atoms + more_atoms))] += factor * times
    return {atoms: factor for atoms, factor in product.items() if factor}


def _text(terms: _Terms) -> str:
    parts = ("*".join([str(factor)] * (factor != 1 or not atoms) + list(atoms)) for atoms, factor in terms.items())
    return " + ".join(sorted(parts)) or "0"
