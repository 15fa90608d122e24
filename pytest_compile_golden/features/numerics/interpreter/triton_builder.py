"""Triton's interpreter with a GPU's arithmetic: narrow floats are rounded as on a GPU, and every access is checked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partialmethod
from typing import Any

import numpy as np
import torch
import triton.language as tl

from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.features.numerics.interpreter import inline_assembly
from pytest_compile_golden.features.numerics.interpreter.checked_memory import Memory
from pytest_compile_golden.features.numerics.interpreter.libdevice import flushed
from pytest_compile_golden.torch_internals import numerics as torch_names

stock = torch_names.INTERPRETER.get()

Handle = stock.TensorHandle

NARROW = {
    "bf16": torch.bfloat16,
    "fp8e4nv": torch.float8_e4m3fn,
    "fp8e5": torch.float8_e5m2,
}
"""Floats that NumPy does not have: Triton's interpreter keeps their bits as integers."""
_FP8 = ("fp8e4nv", "fp8e5")


def _by_library(
    function: Callable[[torch.Tensor], torch.Tensor], data: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    result: np.ndarray[Any, Any] = flushed(
        function(flushed(torch.from_numpy(np.array(data))))
    ).numpy()
    return result


def wide(handle: Any) -> np.ndarray[Any, Any]:
    """The values of a handle, as float32 if NumPy does not have their type."""
    narrow = NARROW.get(handle.dtype.scalar.name)
    data = np.array(handle.data)
    if narrow is None:
        return data
    bits = torch.from_numpy(data.view(np.int16 if data.itemsize == 2 else np.uint8))
    numbers: np.ndarray[Any, Any] = bits.view(narrow).float().numpy()
    return numbers


def rounded(values: np.ndarray[Any, Any], ty: Any) -> Any:
    """A handle of the scalar type `ty`; fp8 is rounded as by cvt.rn.satfinite, which never gives infinity."""
    narrow = NARROW.get(ty.scalar.name)
    numpy_type = stock._get_np_dtype(ty.scalar)
    if narrow is None:
        return Handle(np.asarray(values).astype(numpy_type), ty.scalar)
    exact = torch.from_numpy(np.array(values))
    if ty.scalar.name in _FP8:
        largest = torch.finfo(narrow).max
        exact = torch.where(exact.isnan(), exact, exact.clamp(-largest, largest))
    bits = exact.to(narrow).view(
        torch.int16 if narrow == torch.bfloat16 else torch.uint8
    )
    return Handle(bits.numpy().view(numpy_type), ty.scalar)


class Builder(stock.InterpreterBuilder):  # type: ignore[misc,name-defined]
    """What triton.language calls instead of the compiler's builder."""

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self.memory = memory
        # Programs that wait for each other have a thread each.
        self._place = threading.local()

    @property
    def grid_idx(self) -> tuple[int, int, int]:
        """The indices of the program that runs in this thread."""
        place: tuple[int, int, int] = self._place.indices
        return place

    @grid_idx.setter
    def grid_idx(self, indices: tuple[int, int, int]) -> None:
        self._place.indices = indices

    def get_bf16(self, value: float) -> Any:
        return rounded(np.array([value], dtype=np.float32), tl.bfloat16)

    # Accesses. The arguments after the mask are Triton's: cache policies, whose names differ between versions.

    def create_masked_load(
        self, ptrs: Any, mask: Any, other: Any, *rest: Any, **named: Any
    ) -> Any:
        mask = _as_mask(mask)
        volatile = bool(named.get("is_volatile", rest[-1] if rest else False))
        found = self.memory.load(
            ptrs.data, mask.data, _width(ptrs), self._program(), volatile
        )
        ty = ptrs.get_element_ty()
        found = found.view(stock._get_np_dtype(ty))
        if found.size == ptrs.data.size:
            return Handle(found.reshape(ptrs.data.shape), ty)
        other = _undefined(ptrs) if other is None else other
        data = np.array(np.broadcast_to(other.data, ptrs.data.shape), dtype=found.dtype)
        data[np.broadcast_to(mask.data, data.shape)] = found
        return Handle(data, ty)

    def create_masked_store(
        self, ptrs: Any, value: Any, mask: Any, *rest: Any, **named: Any
    ) -> Any:
        mask = _as_mask(mask)
        kind = stock._get_np_dtype(ptrs.get_element_ty())
        data = value.data if value.data.dtype == kind else value.data.astype(kind)
        pointers, data, chosen = (
            np.ascontiguousarray(a)
            for a in np.broadcast_arrays(ptrs.data, data, mask.data)
        )
        self.memory.store(pointers, chosen, data, self._program())

    def create_atomic_rmw(
        self, operation: Any, ptr: Any, val: Any, mask: Any, sem: Any, scope: Any
    ) -> Any:
        ordered = sem != stock._ir.MEM_SEMANTIC.RELAXED
        self.memory.atomic(ptr.data, mask.data, _width(ptr), self._program(), ordered)
        narrow = ptr.get_element_ty()
        if narrow.name in NARROW:
            if operation.name not in _NARROW_ATOMICS:
                raise NotInterpretable(f"an atomic {operation.name} on {narrow.name}")
            return self._combined(ptr, val, mask, _NARROW_ATOMICS[operation.name])
        given = (_as_it_lies(each) for each in (ptr, val, mask))
        before = super().create_atomic_rmw(operation, *given, sem, scope)
        self._looked(ptr, mask.data, before.data)
        return before

    def _looked(self, ptr: Any, mask: Any, before: Any) -> None:
        """An atomic operation is done. One that changes nothing is how a program waits for another."""
        if ptr.data.size == 1 and mask.all():
            content, elements = self.memory.content(ptr.data.ravel(), _width(ptr))
            if np.array_equal(content[elements], before.ravel().view(content.dtype)):
                self.memory.turns.wait()
                return
        self.memory.turns.wrote()

    def create_descriptor_reduce(
        self, kind: Any, desc: Any, value: Any, indices: Any
    ) -> None:
        """tl.make_tensor_descriptor(...).atomic_add and its like, which Triton's interpreter does not have."""
        pointers, chosen = desc.materialize_pointers(indices)
        mask = _as_mask(chosen)
        self.memory.atomic(
            pointers.data, mask.data, _width(pointers), self._program(), ordered=False
        )
        self._combined(pointers, value, mask, _REDUCTIONS[kind.name])

    def _combined(
        self, ptr: Any, val: Any, mask: Any, combine: Callable[..., Any]
    ) -> Any:
        """Combine values with what is in memory, where several may be at one address; gives what was there before."""
        ty = ptr.get_element_ty()
        given = np.broadcast_arrays(ptr.data, val.data, mask.data)
        pointers, data, chosen = (np.ascontiguousarray(each).ravel() for each in given)
        before, left = data.copy(), np.flatnonzero(chosen)
        while left.size:
            _, first = np.unique(pointers[left], return_index=True)
            now = left[first]
            content, elements = self.memory.content(pointers[now], _width(ptr))
            before[now] = content[elements].view(data.dtype)
            sides = (wide(Handle(each, ty)) for each in (before[now], data[now]))
            content[elements] = rounded(combine(*sides), ty).data.view(content.dtype)
            left = np.delete(left, first)
        return Handle(before.reshape(given[1].shape), ty)

    def create_atomic_cas(
        self, ptr: Any, cmp: Any, val: Any, sem: Any, scope: Any
    ) -> Any:
        ordered = sem != stock._ir.MEM_SEMANTIC.RELAXED
        self.memory.atomic(
            ptr.data,
            np.ones_like(ptr.data, dtype=bool),
            _width(ptr),
            self._program(),
            ordered,
        )
        given = (_as_it_lies(each) for each in (ptr, cmp, val))
        before = super().create_atomic_cas(*given, sem, scope)
        self._looked(ptr, np.ones_like(ptr.data, dtype=bool), before.data)
        return before

    def create_int_to_ptr(self, val: Any, dst_ty: Any) -> Any:
        self.memory.point_to(val.data)
        return super().create_int_to_ptr(val, dst_ty)

    def _program(self) -> int:
        (x, y, z), (columns, rows, _) = self.grid_idx, self.grid_dim
        return 1 + int(x) + int(columns) * (int(y) + int(rows) * int(z))

    # Arithmetic.

    def cast_impl(self, src: Any, dst_type: Any) -> Any:
        if src.dtype.scalar.name in NARROW or dst_type.scalar.name in NARROW:
            return rounded(wide(src), dst_type)
        return super().cast_impl(src, dst_type)

    def create_fp_to_fp(self, src: Any, dst_type: Any, rounding_mode: Any) -> Any:
        return self.cast_impl(src, dst_type)

    create_fp_ext = create_fp_trunc = create_si_to_fp = create_ui_to_fp = cast_impl
    create_fp_to_si = create_fp_to_ui = cast_impl

    def binary_op(self, lhs: Any, rhs: Any, op: Callable[..., Any]) -> Any:
        narrow = lhs.dtype.scalar.name in NARROW and op not in _BITWISE
        output = op(wide(lhs), wide(rhs)) if narrow else op(lhs.data, rhs.data)
        if output.dtype == bool:
            return Handle(output, tl.int1)
        return (
            rounded(output, lhs.dtype)
            if narrow
            else Handle(_cast(output, lhs.dtype), lhs.dtype.scalar)
        )

    def unary_op(self, arg: Any, op: Callable[..., Any]) -> Any:
        return rounded(op(wide(arg)), arg.dtype)

    create_minnumf = partialmethod(binary_op, op=np.fmin)
    create_maxnumf = partialmethod(binary_op, op=np.fmax)
    # Triton compiles these to calls of CUDA's library.
    create_sin = partialmethod(unary_op, op=lambda data: _by_library(torch.sin, data))
    create_erf = partialmethod(unary_op, op=lambda data: _by_library(torch.erf, data))
    create_rsqrt = partialmethod(
        unary_op,
        op=lambda data: _by_library(lambda x: x.double().rsqrt().to(x.dtype), data),
    )

    def create_fma(self, x: Any, y: Any, z: Any) -> Any:
        """Rounded once: float64 holds the product of two float32 numbers exactly."""
        first, second, third = (wide(each).astype(np.float64) for each in (x, y, z))
        return rounded(first * second + third, z.dtype)

    def create_idiv(self, lhs: Any, rhs: Any) -> Any:
        quotient = (
            lhs.data - np.fmod(lhs.data, divisor := _not_zero(rhs.data))
        ) // divisor
        return Handle(_cast(quotient, lhs.dtype), lhs.dtype.scalar)

    create_sdiv = create_udiv = create_idiv

    def create_srem(self, lhs: Any, rhs: Any) -> Any:
        return Handle(
            _cast(np.fmod(lhs.data, _not_zero(rhs.data)), lhs.dtype), lhs.dtype.scalar
        )

    create_urem = create_srem

    def create_ashr(self, lhs: Any, rhs: Any) -> Any:
        signed = lhs.data.view(stock._get_signed_np_dtype(lhs.data.dtype))
        return Handle(
            _cast(np.right_shift(signed, rhs.data.astype(signed.dtype)), lhs.dtype),
            lhs.dtype.scalar,
        )

    def create_umulhi(self, lhs: Any, rhs: Any) -> Any:
        size = lhs.data.dtype.itemsize
        first, second = (each.data.view(f"u{size}") for each in (lhs, rhs))
        if size == 8:
            high = np.asarray(
                (first.astype(object) * second.astype(object)) >> 64
            ).astype(np.uint64)
        else:
            high = ((first.astype(f"u{2 * size}") * second) >> (8 * size)).astype(
                f"u{size}"
            )
        return Handle(high.view(lhs.data.dtype), lhs.dtype.scalar)

    def create_dot(
        self, a: Any, b: Any, d: Any, input_precision: Any, max_num_imprecise_acc: Any
    ) -> Any:
        """Products and sums are exact and rounded once: a matrix unit's own rounding is not reproduced."""
        exact = np.float64 if a.dtype.scalar.is_floating() else np.int64
        product = np.matmul(wide(a).astype(exact), wide(b).astype(exact)) + wide(
            d
        ).astype(exact)
        return rounded(product, d.dtype)

    def create_inline_asm(
        self,
        text: str,
        constraints: str,
        values: Any,
        types: Any,
        is_pure: bool,
        pack: int,
    ) -> inline_assembly.OperationResults:
        shape = (
            np.broadcast_shapes(*(value.data.shape for value in values))
            if values
            else (1,)
        )
        inputs = [np.broadcast_to(value.data, shape) for value in values]
        kinds = [np.dtype(stock._get_np_dtype(ty)) for ty in types]
        counts = [inline_assembly.registers_of(kind, pack) for kind in kinds]
        given = [
            register
            for value in inputs
            for register in inline_assembly.in_registers(value, pack)
        ]
        registers = inline_assembly.run(text, sum(counts), given, self._program() - 1)
        results = inline_assembly.OperationResults()
        for kind, count, ty in zip(kinds, counts, types, strict=True):
            own, registers = registers[:count], registers[count:]
            results.append(
                Handle(
                    inline_assembly.from_registers(own, kind, pack, shape), ty.scalar
                )
            )
        return results

    def create_extern_elementwise(
        self, libName: Any, libPath: Any, symbol: Any, *args: Any
    ) -> Any:
        raise NotInterpretable(f"the library function {symbol}")

    def create_print(self, prefix: str, hex: bool, values: Any, isSigned: Any) -> None:
        """A line for each element, as a GPU prints it (Triton's lib/Conversion/TritonGPUToLLVM/PrintOpToLLVM.cpp)."""
        where = f"pid ({', '.join(str(int(index)) for index in self.grid_idx)})"
        if not values:
            print(f"{where} {prefix.strip()}", flush=True)
        for number, handle in enumerate(values):
            operand = f"(operand {number}) " if len(values) > 1 else ""
            data = wide(handle)
            for index in np.ndindex(data.shape):
                value = data[index]
                shown = (
                    _in_hex(value)
                    if hex
                    else f"{value:f}"
                    if data.dtype.kind == "f"
                    else str(int(value))
                )
                print(
                    f"{where} idx ({', '.join(map(str, index))}){prefix}{operand}{shown}",
                    flush=True,
                )


def _in_hex(value: Any) -> str:
    """The bits of a number, as `device_print(..., hex=True)` shows them."""
    size = value.itemsize
    return f"0x{int(np.asarray(value).view(f'u{size}')):0{2 * size}x}"


def _width(pointers: Any) -> int:
    return max(1, int(pointers.get_element_ty().primitive_bitwidth) // 8)


def _undefined(pointers: Any) -> Any:
    """What a load returns where it is masked out and has no other value: anything, so nothing that looks right."""
    ty = pointers.get_element_ty()
    kind = stock._get_np_dtype(ty)
    value: Any = {"bf16": 0x7FC0, "fp8e5": 0x7F, "fp8e4nv": 0x7F}.get(ty.name)
    if value is None:
        value = (
            np.nan if kind.kind == "f" else kind.kind == "b" or np.iinfo(kind).max // 3
        )
    return Handle(np.full(pointers.data.shape, value, dtype=kind), ty)


def _as_mask(mask: Any) -> Any:
    return mask if isinstance(mask, Handle) else Handle(np.asarray(mask), tl.int1)


def _as_it_lies(block: Any) -> Any:
    """A block with an element of its own in each place: Triton's atomics read one that is broadcast past its end."""
    return Handle(np.array(block.data, order="C"), block.dtype)


def _not_zero(data: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Masked lanes may divide by zero, which gives an arbitrary value on a GPU and an error on a CPU."""
    return np.where(data == 0, 1, data).astype(data.dtype)


def _cast(data: np.ndarray[Any, Any], ty: Any) -> np.ndarray[Any, Any]:
    wanted = stock._get_np_dtype(ty.scalar)
    return data if data.dtype == wanted else data.astype(wanted)


_NARROW_ATOMICS: dict[str, Callable[..., Any]] = {
    "FADD": np.add,
    "XCHG": lambda before, after: after,
}
_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "ADD": np.add,
    "MIN": np.minimum,
    "MAX": np.maximum,
    "AND": np.bitwise_and,
    "OR": np.bitwise_or,
    "XOR": np.bitwise_xor,
}
_BITWISE = (
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.left_shift,
    np.right_shift,
)
