"""Reductions and scans for Triton's interpreter, as trees: the combining function runs on whole blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl

from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.torch_names import numerics as torch_names
from pytest_compile_golden.wings.numerics.interpreter.builder import NARROW

stock = torch_names.INTERPRETER.get()

_Array = np.ndarray[Any, Any]


class Reduce(stock.ReduceOps):  # type: ignore[misc,name-defined]
    """tl.reduce: each step combines the remaining elements with their neighbours, which halves them."""

    def apply_impl(self, input: Any) -> Any:
        if any(operand.dtype.scalar.name in NARROW for operand in input):
            return self.generic_reduce(input)
        return super().apply_impl(input)

    def generic_reduce(self, input: Any) -> Any:
        types = [operand.dtype for operand in input]
        dimensions = len(input[0].shape)
        axis = 0 if self.axis is None else self.axis
        data = [operand.handle.data.reshape(-1) if self.axis is None else operand.handle.data for operand in input]
        data = [np.moveaxis(array, axis, 0) for array in data]
        while len(data[0]) > 1:
            if len(data[0]) % 2:
                raise NotInterpretable("a reduction of an odd number of elements")
            pairs = [[array[start::2] for array in data] for start in (0, 1)]
            data = _combined(self.combine_fn, pairs[0], pairs[1], types)
        results = []
        for array, ty in zip(data, types, strict=True):
            result = array[0]
            if self.keep_dims:
                result = result.reshape((1,) * dimensions) if self.axis is None else np.expand_dims(result, axis)
            results.append(self.to_tensor(result if np.ndim(result) else result.item(), ty))
        return results


class Scan(stock.ScanOps):  # type: ignore[misc,name-defined]
    """tl.associative_scan: each step combines elements that are twice as far apart as in the one before."""

    def apply_impl(self, input: Any) -> Any:
        data = [np.moveaxis(operand.handle.data, self.axis, 0) for operand in input]
        types = [operand.dtype for operand in input]
        if self.reverse:
            data = [array[::-1] for array in data]
        length, step = len(data[0]), 1
        while step < length:
            # Blocks keep their size, which Triton requires to be a power of two; what wrapped around is not used.
            combined = _combined(self.combine_fn, [np.roll(array, step, 0) for array in data], data, types)
            data = [np.concatenate([old[:step], new[step:]]) for old, new in zip(data, combined, strict=True)]
            step *= 2
        if self.reverse:
            data = [array[::-1] for array in data]
        results = [np.ascontiguousarray(np.moveaxis(array, 0, self.axis)) for array in data]
        return [self.to_tensor(result, ty) for result, ty in zip(results, types, strict=True)]


def _combined(combine: Any, first: list[_Array], second: list[_Array], types: list[Any]) -> list[_Array]:
    combined = combine(*(_block(data, ty) for side in (first, second) for data, ty in zip(side, types, strict=True)))
    combined = combined if isinstance(combined, (tuple, tl.tuple)) else (combined,)
    results = []
    for value, like, ty in zip(combined, first, types, strict=True):
        data = stock.interpreter_semantic.to_tensor(value).handle.data
        results.append(np.broadcast_to(data, like.shape).astype(stock._get_np_dtype(ty.scalar)))
    return results


def _block(data: _Array, ty: Any) -> Any:
    data = np.ascontiguousarray(data)
    shape = tl.block_type(ty.scalar, list(data.shape)) if data.ndim else ty.scalar
    return tl.core.tensor(stock.TensorHandle(data, ty.scalar), shape)
