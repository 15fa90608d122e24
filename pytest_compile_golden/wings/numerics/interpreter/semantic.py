"""Triton's rules for operators, as the interpreter applies them, without repeating the same work for each one."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import triton.language as tl

from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_names import numerics as torch_names

stock = torch_names.INTERPRETER.get()

_OPERATIONS: dict[str, Callable[[int, int], int]] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}


class Semantic(stock.TritonSemantic):  # type: ignore[misc,name-defined]
    """Checks for overflow element by element, in 64 bits, only if the smallest and largest elements allow one."""

    def binary_op_sanitize_overflow_impl(self, lhs: Any, rhs: Any, binary_op: Any) -> None:
        if not _within_bounds(lhs, rhs, binary_op.__name__):
            super().binary_op_sanitize_overflow_impl(lhs, rhs, binary_op)


def _within_bounds(lhs: Any, rhs: Any, name: str) -> bool:
    """Whether every combination of their elements gives a number that is within the range of their type."""
    operation = _OPERATIONS.get(name)
    if operation is None or not lhs.handle.data.size or not rhs.handle.data.size:
        return False
    first, second = ((int(each.handle.data.min()), int(each.handle.data.max())) for each in (lhs, rhs))
    # Over a rectangle, each of the three operations has its extremes in the corners.
    corners = [operation(a, b) for a in first for b in second]
    ty = lhs.type.scalar
    return bool(ty.get_int_min_value() <= min(corners) and max(corners) <= ty.get_int_max_value())


class Shapes:
    """Shapes of blocks as Triton keeps them: lists of typed objects, which take longer to make than most sums."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[Any, ...], tuple[Any, Any, str]] = {}
        self._tensors: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def install(self, patches: Patches) -> None:
        """Let Triton make each shape only once, or every time if this Triton stores attributes that are new to us."""
        patches.wrap(tl.core.block_type, "__init__", self._block)
        patches.wrap(tl.core.tensor, "__init__", self._tensor)

    def _block(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def init(block: Any, element_ty: Any, shape: Any) -> None:
            key = _numbers(shape)
            known = self._blocks.get(key)
            if known is not None:
                block.element_ty = element_ty
                block.shape, block.numel, name = known
                block.name = f"{name}{element_ty}>"
                return
            original(block, element_ty, shape)
            if vars(block).keys() == {"element_ty", "shape", "numel", "name"}:
                self._blocks[key] = block.shape, block.numel, block.name.removesuffix(f"{element_ty}>")

        return init

    def _tensor(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def init(tensor: Any, handle: Any, type: Any) -> None:
            key = _numbers(type.shape) if type.is_block() else ()
            known = self._tensors.get(key)
            if known is not None:
                tensor.handle, tensor.type, tensor.dtype = handle, type, type.scalar
                tensor.shape, tensor.numel = known
                return
            original(tensor, handle, type)
            if vars(tensor).keys() == {"handle", "shape", "numel", "type", "dtype"}:
                self._tensors[key] = tensor.shape, tensor.numel

        return init


def _numbers(shape: Any) -> tuple[Any, ...]:
    return tuple([getattr(size, "value", size) for size in getattr(shape, "values", shape)])
