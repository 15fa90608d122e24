"""Triton's language on the CPU: operators, reductions, and the context in which its functions can be called."""

from __future__ import annotations

import ast
import functools
import inspect
import operator
import re
import textwrap
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import triton
import triton.language as tl

from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.features.numerics.interpreter.libdevice import LibDevice
from pytest_compile_golden.features.numerics.interpreter.triton_builder import (
    NARROW,
    Builder,
)
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import numerics as torch_names

# Imported before the language is patched: what `min` and `max` mean in kernels is fixed when it is imported.
torch_names.CODE_GENERATOR.get()
jit = torch_names.JIT.get()
triton_helpers = torch_names.HELPERS.get()
stock = torch_names.INTERPRETER.get()

# The names of Triton's interpreter that are used, besides what the builder overrides.
_USED = (
    "ASTTransformer",
    "InterpreterBuilder",
    "ReduceOps",
    "ScanOps",
    "TensorHandle",
    "TritonSemantic",
    "_get_np_dtype",
    "_get_signed_np_dtype",
    "_implicit_cvt",
    "_patch_lang",
    "interpreter_builder",
)
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
}
_Array = np.ndarray[Any, Any]


class Semantic(stock.TritonSemantic):  # type: ignore[misc,name-defined]
    """Checks for overflow element by element, in 64 bits, only if the smallest and largest elements allow one."""

    def binary_op_sanitize_overflow_impl(
        self, lhs: Any, rhs: Any, binary_op: Any
    ) -> None:
        if not _within_bounds(lhs, rhs, binary_op.__name__):
            super().binary_op_sanitize_overflow_impl(lhs, rhs, binary_op)


def _within_bounds(lhs: Any, rhs: Any, name: str) -> bool:
    """Whether every combination of their elements gives a number that is within the range of their type."""
    operation = _OPERATIONS.get(name)
    if operation is None or not lhs.handle.data.size or not rhs.handle.data.size:
        return False
    first, second = (
        (int(each.handle.data.min()), int(each.handle.data.max()))
        for each in (lhs, rhs)
    )
    # Over a rectangle, each of the three operations has its extremes in the corners.
    corners = [operation(a, b) for a in first for b in second]
    ty = lhs.type.scalar
    return bool(
        ty.get_int_min_value() <= min(corners)
        and max(corners) <= ty.get_int_max_value()
    )


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
                self._blocks[key] = (
                    block.shape,
                    block.numel,
                    block.name.removesuffix(f"{element_ty}>"),
                )

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
    return tuple(
        [getattr(size, "value", size) for size in getattr(shape, "values", shape)]
    )


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
        data = [
            operand.handle.data.reshape(-1)
            if self.axis is None
            else operand.handle.data
            for operand in input
        ]
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
                result = (
                    result.reshape((1,) * dimensions)
                    if self.axis is None
                    else np.expand_dims(result, axis)
                )
            results.append(
                self.to_tensor(result if np.ndim(result) else result.item(), ty)
            )
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
            combined = _combined(
                self.combine_fn,
                [np.roll(array, step, 0) for array in data],
                data,
                types,
            )
            data = [
                np.concatenate([old[:step], new[step:]])
                for old, new in zip(data, combined, strict=True)
            ]
            step *= 2
        if self.reverse:
            data = [array[::-1] for array in data]
        results = [
            np.ascontiguousarray(np.moveaxis(array, 0, self.axis)) for array in data
        ]
        return [
            self.to_tensor(result, ty)
            for result, ty in zip(results, types, strict=True)
        ]


def _combined(
    combine: Any, first: list[_Array], second: list[_Array], types: list[Any]
) -> list[_Array]:
    combined = combine(
        *(
            _block(data, ty)
            for side in (first, second)
            for data, ty in zip(side, types, strict=True)
        )
    )
    combined = combined if isinstance(combined, (tuple, tl.tuple)) else (combined,)
    results = []
    for value, like, ty in zip(combined, first, types, strict=True):
        data = stock.interpreter_semantic.to_tensor(value).handle.data
        results.append(
            np.broadcast_to(data, like.shape).astype(stock._get_np_dtype(ty.scalar))
        )
    return results


def _block(data: _Array, ty: Any) -> Any:
    data = np.ascontiguousarray(data)
    shape = tl.block_type(ty.scalar, list(data.shape)) if data.ndim else ty.scalar
    return tl.core.tensor(stock.TensorHandle(data, ty.scalar), shape)


def language_parts() -> list[Any]:
    """The modules and classes of triton.language, any of which an interpreter may change."""
    classes = (
        value
        for value in vars(tl.core).values()
        if isinstance(value, type) and value.__module__ == tl.core.__name__
    )
    return [tl, tl.core, tl.math, *dict.fromkeys(classes)]


def _put_back(owner: Any, before: dict[str, Any]) -> None:
    """Give a module or class the attributes that it had."""
    for name in {*vars(owner)} - {*before}:
        if not isinstance(vars(owner)[name], types.ModuleType):  # which stay imported
            delattr(owner, name)
    for name, value in before.items():
        if vars(owner).get(name) is not value:
            setattr(owner, name, value)


class TritonLanguage:
    """Python versions of Triton's functions, each made when it is first called."""

    def __init__(self, builder: Builder) -> None:
        missing = [name for name in _USED if not hasattr(stock, name)]
        if missing:
            raise NotInterpretable(
                f"the installed Triton {triton.__version__} has no triton.runtime.interpreter.{missing[0]}"
            )
        self.builder = builder
        self.semantic = Semantic(builder)
        self._shapes = Shapes()
        self._libdevice = LibDevice()
        self._rewritten: dict[int, tuple[object, Callable[..., Any]]] = {}

    @contextmanager
    def active(self) -> Iterator[None]:
        """Make triton.language mean the interpreter until the block ends."""
        with Patches() as patches, np.errstate(all="ignore"):
            patches.put(stock, "interpreter_builder", self.builder)
            patches.put(stock, "interpreter_semantic", self.semantic)
            # Triton 3.5 makes one for each function (triton/runtime/interpreter.py: _patch_attr).
            patches.put(stock, "TritonSemantic", lambda builder: self.semantic)
            patches.put(stock, "_get_np_dtype", _numpy_type)
            patches.put(stock, "ReduceOps", Reduce)
            patches.put(stock, "ScanOps", Scan)

            def call(function: Any, *args: Any, **kwargs: Any) -> Any:
                return self.python(function.fn, lambda: function.raw_src)(
                    *args, **kwargs
                )

            patches.put(jit.JITFunction, "__call__", call)
            for name, value in _HELPERS.items():
                patches.replace_if_present(triton_helpers, name, value)
            # Triton 3.5 leaves its language as it has made it, and 3.6 inherited names as the tensor's own.
            for owner in language_parts():
                patches.callback(_put_back, owner, dict(vars(owner)))
            # Once for all functions: doing it at each call, as Triton does, takes most of the time.
            stock._patch_lang(
                types.SimpleNamespace(__globals__={"tl": tl, "core": tl.core})
            )
            # Triton 3.6 calls int() on an array of one element, which NumPy 2.5 refuses.
            patches.put(
                tl.tensor, "__index__", lambda scalar: int(scalar.handle.data.item())
            )
            self._shapes.install(patches)
            patches.put(tl, "range", self._range)
            patches.put(tl, "static_assert", lambda condition, message="": None)
            for module in (
                tl.extra,
                *(getattr(tl.extra, name, None) for name in ("cuda", "hip")),
            ):
                if module is not None:
                    patches.replace_if_present(module, "libdevice", self._libdevice)
            # Between launches, which run one after another here.
            for name in ("gdc_wait", "gdc_launch_dependents"):
                patches.replace_if_present(
                    tl.extra.cuda, name, lambda *args, **kwargs: None
                )
            yield

    def python(self, fn: Any, lines: Callable[[], Sequence[str]]) -> Callable[..., Any]:
        """A callable version of `fn`, the Python function under triton.jit; `lines` gives its source."""
        known = self._rewritten.get(id(fn))
        if known is None:
            known = self._rewritten[id(fn)] = fn, self._rewrite(fn, lines())
        return known[1]

    def _rewrite(self, fn: Any, lines: Sequence[str]) -> Callable[..., Any]:
        """Like triton.runtime.interpreter.FunctionRewriter, but with separate globals: the module's are unchanged."""
        tree = ast.parse(textwrap.dedent("".join(lines)))
        function = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
        function.decorator_list = []
        tree = ast.fix_missing_locations(_Rewriter().visit(tree))
        ast.increment_lineno(tree, fn.__code__.co_firstlineno - 1)
        namespace = {
            **vars(stock),
            "range": self._range,
            **fn.__globals__,
            **inspect.getclosurevars(fn).nonlocals,
        }
        namespace["interpreter_semantic"] = self.semantic
        namespace |= {
            _BOTH: self._both,
            _EITHER: self._either,
            _NOT: self._not,
            _VALUE: _value,
        }
        for name, value in [*namespace.items()]:
            if name == "libdevice" or (
                isinstance(value, types.ModuleType) and _LIBDEVICE.match(value.__name__)
            ):
                namespace[name] = self._libdevice
            elif inspect.isfunction(value) and _LIBDEVICE.match(value.__module__ or ""):
                namespace[name] = getattr(self._libdevice, value.__name__)
        exec(compile(tree, fn.__code__.co_filename, "exec"), namespace)
        made: Callable[..., Any] = namespace[fn.__name__]
        return made

    def _range(self, *bounds: Any, step: Any = None, **hints: Any) -> Iterator[Any]:
        """A loop variable is a tensor on the device: kernels call its methods."""
        start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        by = step if step is not None else bounds[2] if len(bounds) > 2 else 1
        return (
            self.semantic.to_tensor(each)
            for each in range(int(start), int(stop), int(by))
        )

    def _both(self, *operands: Callable[[], Any]) -> Any:
        return self._logical(operands, self.semantic.logical_and, decides=False)

    def _either(self, *operands: Callable[[], Any]) -> Any:
        return self._logical(operands, self.semantic.logical_or, decides=True)

    def _logical(
        self,
        operands: Sequence[Callable[[], Any]],
        combine: Callable[..., Any],
        *,
        decides: bool,
    ) -> Any:
        """`and` and `or`: of blocks element by element (triton/compiler/code_generator.py: visit_BoolOp).

        decides: the truth of a single number with which the operands after it are irrelevant.
        """
        blocks: list[Any] = []
        value = None
        for operand in operands:
            value = operand()
            if _is_block(value):
                blocks.append(value)
            elif bool(value) is decides:
                return (
                    functools.reduce(
                        combine, [*blocks, self.semantic.to_tensor(decides)]
                    )
                    if blocks
                    else value
                )
        return functools.reduce(combine, blocks) if blocks else value

    def _not(self, value: Any) -> Any:
        return self.semantic.not_(value) if _is_block(value) else not value


def _is_block(value: Any) -> bool:
    return isinstance(value, tl.tensor) and value.type.is_block()


def _value(constant: Any) -> Any:
    """Its `.value`: to compiled code, numbers and types are tl.constexpr; here they are as they are."""
    return (
        constant
        if isinstance(constant, (int, float, str, tl.dtype, type(None)))
        else constant.value
    )


_BOTH, _EITHER, _NOT, _VALUE = (
    f"_compile_golden_{name}" for name in ("and", "or", "not", "value")
)


class _Rewriter(stock.ASTTransformer):  # type: ignore[misc,name-defined]
    """What Python does otherwise than Triton's compiler: it asks a block for its truth, and knows no tl.constexpr."""

    def visit_Assign(self, node: ast.Assign) -> Any:
        node.value = self.visit(node.value)
        return super().visit_Assign(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        nothing = ast.arguments([], [], None, [], [], None, [])
        later: list[ast.expr] = [ast.Lambda(nothing, value) for value in node.values]
        return ast.Call(
            ast.Name(_BOTH if isinstance(node.op, ast.And) else _EITHER, ast.Load()),
            later,
            [],
        )

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return (
            ast.Call(ast.Name(_NOT, ast.Load()), [node.operand], [])
            if isinstance(node.op, ast.Not)
            else node
        )

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        asked = node.attr == "value" and isinstance(node.ctx, ast.Load)
        return (
            ast.Call(ast.Name(_VALUE, ast.Load()), [node.value], []) if asked else node
        )


_LIBDEVICE = re.compile(r"triton\.language\.extra\.(\w+\.)?libdevice$")
"""The modules of a card's own library of functions, whichever name a program has for them."""
_HELPERS: dict[str, Callable[..., Any]] = {
    "set_driver_to_gpu": lambda: None,
    "if_mask": lambda mask, value: (
        None if mask is None or getattr(mask, "value", mask) is None else value
    ),
    "constexpr_next_power_of_2": lambda n: triton.next_power_of_2(int(n)),
}
"""Inductor's functions that Triton's compiler runs instead of compiling (runtime/triton_helpers.py)."""
_numpy_type_of = stock._get_np_dtype
_NUMPY_TYPES: dict[str, Any] = {}


def _numpy_type(ty: Any) -> Any:
    """Replaces Triton's _get_np_dtype, which every operator calls and which builds a table of all types each time."""
    scalar = ty.scalar
    numpy_type = _NUMPY_TYPES.get(scalar.name)
    if numpy_type is None:
        numpy_type = _NUMPY_TYPES[scalar.name] = _numpy_type_of(scalar)
    return numpy_type
