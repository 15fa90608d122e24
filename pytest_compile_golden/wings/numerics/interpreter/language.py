"""The context in which Triton's functions can be called as Python functions that run on the CPU."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import triton
import triton.language as tl

from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_names import numerics as torch_names
from pytest_compile_golden.wings.numerics.interpreter.builder import Builder
from pytest_compile_golden.wings.numerics.interpreter.libdevice import LibDevice
from pytest_compile_golden.wings.numerics.interpreter.reductions import Reduce, Scan
from pytest_compile_golden.wings.numerics.interpreter.semantic import Semantic, Shapes

# Imported before the language is patched: what `min` and `max` mean in kernels is fixed when it is imported.
torch_names.CODE_GENERATOR.get()
stock = torch_names.INTERPRETER.get()
jit = torch_names.JIT.get()
triton_helpers = torch_names.HELPERS.get()

# The names of Triton's interpreter that are used, besides what the builder overrides.
_USED = (
    *("ASTTransformer", "InterpreterBuilder", "ReduceOps", "ScanOps", "TensorHandle", "TritonSemantic"),
    *("_get_np_dtype", "_get_signed_np_dtype", "_implicit_cvt", "_patch_lang", "interpreter_builder"),
    *("interpreter_semantic", "_LangPatchScope"),  # without the latter, Triton 3.5 leaves its language patched
)


class Language:
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
            patches.put(stock, "_get_np_dtype", _numpy_type)
            patches.put(stock, "ReduceOps", Reduce)
            patches.put(stock, "ScanOps", Scan)
            language = self

            def call(function: Any, *args: Any, **kwargs: Any) -> Any:
                return language.python(function.fn)(*args, **kwargs)

            patches.put(jit.JITFunction, "__call__", call)
            for name, value in self._helpers().items():
                patches.replace_if_present(triton_helpers, name, value)
            inherited = _forget_inherited(tl.tensor)
            # Once for all functions: doing it at each call, as Triton does, takes most of the time.
            scope = stock._patch_lang(types.SimpleNamespace(__globals__={"tl": tl, "core": tl.core}))
            patches.callback(inherited)
            patches.callback(scope.restore)
            self._shapes.install(patches)
            patches.put(tl, "range", self._range)
            patches.put(tl, "static_assert", lambda condition, message="": None)
            for name in ("gdc_wait", "gdc_launch_dependents"):  # between launches, which run one after another here
                patches.replace_if_present(tl.extra.cuda, name, lambda *args, **kwargs: None)
            yield

    def python(self, fn: Any) -> Callable[..., Any]:
        """A callable version of `fn`, the Python function under triton.jit."""
        known = self._rewritten.get(id(fn))
        if known is None:
            known = self._rewritten[id(fn)] = fn, self._rewrite(fn)
        return known[1]

    def _rewrite(self, fn: Any) -> Callable[..., Any]:
        """Like triton.runtime.interpreter.FunctionRewriter, but with separate globals: the module's are unchanged."""
        lines, first = inspect.getsourcelines(fn)
        tree = ast.parse(textwrap.dedent("".join(lines)))
        function = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
        function.decorator_list = []
        tree = ast.fix_missing_locations(stock.ASTTransformer().visit(tree))
        ast.increment_lineno(tree, first - 1)
        namespace = {**vars(stock), **fn.__globals__, **inspect.getclosurevars(fn).nonlocals}
        namespace["interpreter_semantic"] = self.semantic
        if "libdevice" in fn.__globals__:
            namespace["libdevice"] = self._libdevice
        exec(compile(tree, fn.__code__.co_filename, "exec"), namespace)
        made: Callable[..., Any] = namespace[fn.__name__]
        return made

    def _helpers(self) -> dict[str, Any]:
        """Inductor's functions that Triton's compiler runs instead of compiling (runtime/triton_helpers.py)."""

        def if_mask(mask: Any, value: Any) -> Any:
            return None if mask is None or getattr(mask, "value", mask) is None else value

        return {
            "set_driver_to_gpu": lambda: None,
            "if_mask": if_mask,
            "constexpr_next_power_of_2": lambda n: triton.next_power_of_2(int(n)),
        }

    def _range(self, *bounds: Any, step: Any = None, **hints: Any) -> Iterator[Any]:
        """A loop variable is a tensor on the device: kernels call its methods."""
        start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        by = step if step is not None else bounds[2] if len(bounds) > 2 else 1
        return (self.semantic.to_tensor(each) for each in range(int(start), int(stop), int(by)))


_numpy_type_of = stock._get_np_dtype
_NUMPY_TYPES: dict[str, Any] = {}


def _numpy_type(ty: Any) -> Any:
    """Replaces Triton's _get_np_dtype, which every operator calls and which builds a table of all types each time."""
    scalar = ty.scalar
    numpy_type = _NUMPY_TYPES.get(scalar.name)
    if numpy_type is None:
        numpy_type = _NUMPY_TYPES[scalar.name] = _numpy_type_of(scalar)
    return numpy_type


def _forget_inherited(owner: Any) -> Callable[[], None]:
    """A function that removes what `owner` does not define itself now: Triton restores inherited names as its own."""
    own = set(vars(owner))

    def forget() -> None:
        for name in set(vars(owner)) - own:
            delattr(owner, name)

    return forget


def forget_source(path: str) -> None:
    """Drop Python's cached text of a file."""
    linecache.cache.pop(path, None)
