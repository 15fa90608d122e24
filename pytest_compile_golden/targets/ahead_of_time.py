"""AOTInductor on a virtual GPU: kernels are compiled but not launched, and constants have values if they are known."""

from __future__ import annotations

import ast
import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_names import device as names
from pytest_compile_golden.torch_names import settings, tensors

FakeTensor = tensors.FAKE_TENSOR.get()


@contextlib.contextmanager
def compiling_ahead_of_time(mode: Any) -> Iterator[None]:
    """Until the block ends, AOTInductor needs no GPU. `mode` is the mode of the target's tensors."""

    def known_or_not(original: Callable[..., Any]) -> Callable[..., Any]:
        def deduce(self: Any, node: Any) -> Any:
            value = original(self, node)
            if node.op == "get_attr" and isinstance(value, FakeTensor):
                real = mode.known.value_or_none(value)
                return self.unknown_value if real is None else real
            return value

        return deduce

    def inlined_where_known(original: Callable[..., Any]) -> Callable[..., Any]:
        def get_attr(self: Any, target: str, *args: Any) -> Any:
            value = operator.attrgetter(target)(self.module)
            if not isinstance(value, FakeTensor):
                return original(self, target, *args)
            real = mode.known.value_or_none(value)
            with Patches() as answers:
                if real is None:
                    answers.configure({settings.KEEP_CONSTANTS: True})
                else:
                    answers.put(value, "item", real.item)
                    answers.put(value, "tolist", real.tolist)
                return original(self, target, *args)

        return get_attr

    with Patches() as patches:
        # torch's own default for AOTInductor: it compiles kernels before it writes the calls.
        patches.configure({settings.AUTOTUNE_AT_COMPILE_TIME: None})
        patches.wrap(*names.DEDUCE_VALUE.resolve(), known_or_not)
        patches.wrap(*names.GET_ATTR.resolve(), inlined_where_known)
        patches.wrap(*names.SAME_TENSOR.resolve(), _by_storage)
        patches.replace(*names.AUTOTUNE_BLOCK.resolve(), _compile_kernels)
        patches.replace(*names.INIT_HANDLES.resolve(), _not_loaded)
        patches.replace(*names.KERNEL_PARAMETERS.resolve(), {})
        yield


def _by_storage(original: Callable[..., bool]) -> Callable[..., bool]:
    """Two constants are the same if they share memory; fake ones have no address."""

    def is_same_tensor(data: Any, value: Any) -> bool:
        if isinstance(data, FakeTensor) and data.untyped_storage()._cdata != value.untyped_storage()._cdata:
            return False
        return original(data, value)

    return is_same_tensor


def _compile_kernels(wrapper: Any) -> None:
    """Save what the calls need to know about each kernel, in its first configuration: torch would run it in all."""
    autotuners = names.AUTOTUNER.get()
    for call in ast.walk(ast.parse(wrapper.kernel_autotune_defs.getvalue())):
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "async_compile.triton"):
            continue
        module = names.CODE_CACHE.get().load(ast.literal_eval(call.args[1]))
        autotuner: Any = next(value for value in vars(module).values() if isinstance(value, autotuners))
        compiled = autotuner._precompile_config(autotuner.configs[0])
        autotuner.save_gpu_kernel(0, compiled.make_launcher())


def _not_loaded(kernel: Any) -> None:
    """Make a compiled kernel look as if it were loaded on the card (triton/compiler/compiler.py: CompiledKernel)."""
    kernel.function = kernel.n_regs = kernel.n_spills = 0
    kernel._run = lambda *args: None
