"""Which accesses of a schedule are far apart for neighbouring threads, by the rule that Inductor tiles kernels by."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from pytest_compile_golden.facts.schedules import Group, Schedule, index

LOOP = re.compile(r"\b[cd]\d+\b")
"""A variable of a loop."""
_FUSED = ("pointwise", "reduction")
_SIZE = 32
"""What stands for a symbolic size."""


def split_apart(old: Sequence[Schedule], new: Sequence[Schedule]) -> tuple[str, ...]:
    """The accesses that are far apart in fewer kernels of `old` and not in the kernels of `new`; empty if as many are.

    Also empty if `new` does not have more kernels.
    """
    kernels = [
        sum(
            group.kind.startswith(_FUSED)
            for section in side
            for group in section.groups
        )
        for side in (old, new)
    ]
    if kernels[0] >= kernels[1]:
        return ()
    apart = [
        Counter(
            access
            for section in side
            for group in section.groups
            for access in _accesses(group)
            if is_apart(access)
        )
        for side in (old, new)
    ]
    return tuple(apart[0] - apart[1]) if apart[0].total() > apart[1].total() else ()


def _accesses(group: Group) -> set[str]:
    """Those of a kernel: what several of its operations read, it loads once."""
    return {
        access
        for operation in group.operations
        for access in (*operation.reads, *operation.writes)
    }


def is_apart(access: str) -> bool:
    """Whether no loop moves an access by one element: torch/_inductor/tiling_utils.py, find_coalesced_var.

    Accesses that no loop moves, or that depend on values, are not.
    """
    try:
        tree = ast.parse(index(access), mode="eval").body
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        loops = list(filter(LOOP.fullmatch, names))
        if any(name.startswith("tmp") for name in names):
            return False
        return not any(_moves_by_one(tree, loop) for loop in loops) and any(
            _moves(tree, loop) for loop in loops
        )
    except (SyntaxError, ValueError, ZeroDivisionError):
        return False


def _moves_by_one(tree: ast.expr, loop: str) -> bool:
    first, second, third = (_value(tree, {loop: step}) for step in range(3))
    return second - first == 1 == third - second


def _moves(tree: ast.expr, loop: str) -> bool:
    """Whether it moves at once: an element that several neighbours read is read once."""
    return _value(tree, {loop: 1}) != _value(tree, {loop: 0})


def _value(node: ast.expr, at: Mapping[str, int]) -> int:
    """Raises ValueError for anything but integers, their arithmetic and what Inductor prints of it."""

    def of(part: ast.expr) -> int:
        return _value(part, at)

    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return at.get(name, 0) if LOOP.fullmatch(name) else _SIZE
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -of(operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return of(left) + of(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return of(left) - of(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return of(left) * of(right)
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return of(left) // of(right)
        case ast.Call(
            func=ast.Name(id="ModularIndexing"), args=[base, divisor, modulus]
        ):
            return of(base) // of(divisor) % of(modulus)
        case ast.Call(func=ast.Name(id="FloorDiv"), args=[base, divisor]):
            return of(base) // of(divisor)
    raise ValueError(ast.unparse(node))
