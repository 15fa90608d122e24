"""Which accesses of a schedule are far apart for neighbouring threads, by the rule that Inductor tiles kernels by."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from pytest_compile_golden.common.surplus import surplus
from pytest_compile_golden.facts.schedules import Group, Schedule, index
from pytest_compile_golden.formats.schedules.group_edits import computed_by
from pytest_compile_golden.formats.schedules.operation_edits import LOOP

_FUSED = ("pointwise", "reduction")
_SIZE = 32
"""What stands for a symbolic size."""


def split_apart(old: Sequence[Schedule], new: Sequence[Schedule]) -> tuple[str, ...]:
    """The accesses that are far apart in kernels of `old`, and near in the more kernels of `new` in their place.

    Only of kernels that the other side does not have, in graphs that have more kernels now: what a kernel accesses
    that is as before says nothing about those that cost something.
    """
    now = {section.label: section for section in new}
    regained: list[str] = []
    for section in old:
        other = now.get(section.label)
        if other is None:
            continue
        gone = _fused(surplus(section.groups, other.groups, computed_by))
        come = _fused(surplus(other.groups, section.groups, computed_by))
        of_fused = set(_apart(group for group in gone if len(group.operations) > 1))
        # Of all kernels, since one that is as before may be compared with none. By their indices: what is accessed may
        # have another name now.
        apart, still = (
            sorted(_apart(_fused(side.groups))) for side in (section, other)
        )
        if len(come) > len(gone) and len(apart) > len(still):
            gone_apart = surplus(apart, still, index)
            regained += of_fused.intersection(gone_apart)
    return tuple(sorted(set(regained)))


def _apart(groups: Iterable[Group]) -> Iterator[str]:
    """The accesses that are far apart; what several operations of a kernel read, it loads once."""
    for group in groups:
        accesses = (
            access
            for operation in group.operations
            for access in (*operation.reads, *operation.writes)
        )
        yield from filter(is_apart, set(accesses))


def _fused(groups: Iterable[Group]) -> list[Group]:
    return [group for group in groups if group.kind.startswith(_FUSED)]


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
        # It moves at once: an element that several neighbours read is read once.
        return not any(_moves_by_one(tree, loop) for loop in loops) and any(
            _value(tree, {loop: 1}) != _value(tree, {loop: 0}) for loop in loops
        )
    except (SyntaxError, ValueError, ZeroDivisionError):
        return False


def _moves_by_one(tree: ast.expr, loop: str) -> bool:
    """Whether neighbours access neighbouring elements, or the same one for long and then the next, as `c0//4`."""
    values = [_value(tree, {loop: at}) for at in range(_SIZE)]
    steps = [after - before for before, after in pairwise(values)]
    return steps[:2] == [1, 1] or {*steps} <= {0, 1}


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
