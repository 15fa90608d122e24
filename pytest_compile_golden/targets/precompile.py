"""`torch.compiler.precompile` on a virtual GPU: it writes its program, whose results are then computed as eager would.

It traces the program, compiles the graph and writes both down; then it runs what it wrote, which needs kernels
(torch/_precompile.py: _MakeFxCapture).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import dynamo, tensors


def install(patches: Patches) -> None:
    """Until `patches` are undone. Raises UnsupportedTorch before torch 2.15, where precompile has another form."""
    programs: list[Callable[..., Any]] = []
    """That which is being captured."""
    restoring = contextlib.ExitStack()

    def compiling(original: Callable[..., Any]) -> Callable[..., Any]:
        def compile_(module: Any, args: Any) -> Any:
            if not programs:
                return original(module, args)
            programs[-1] = names.PRECOMPILED_FUNCTION.of(module)
            try:
                return original(module, args)
            finally:
                restoring.enter_context(_nothing_to_restore())

        return compile_

    def capturing(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(capture: Any, *args: Any, **kwargs: Any) -> Any:
            programs.append(_no_program)
            try:
                return original(capture, *args, **kwargs)
            finally:
                programs.pop()

        return call

    def tracing(original: Callable[..., Any]) -> Callable[..., Any]:
        def trace(capture: Any, args: Any) -> Any:
            with restoring:
                return original(capture, args)

        return trace

    def running(original: Callable[..., Any]) -> Callable[..., Any]:
        def runnable(python_code: str, cache: bytes, *, _trusted: bool = False) -> Any:
            return (
                programs[-1]
                if _trusted and programs
                else original(python_code, cache, _trusted=_trusted)
            )

        return runnable

    patches.adapt(*names.COMPILE_TO_PYTHON.resolve(), _in_its_mode)
    patches.wrap(*names.PRECOMPILE_MODULE.resolve(), compiling)
    patches.wrap(*names.PRECOMPILE_CALL.resolve(), capturing)
    patches.wrap(*names.PRECOMPILE_TRACE.resolve(), tracing)
    patches.wrap(*names.PRECOMPILED_RUNNABLE.resolve(), running)


def _no_program(*args: Any) -> None:
    """Stands for the program until it is known."""


@contextlib.contextmanager
def _nothing_to_restore() -> Iterator[None]:
    """Tracing writes to no virtual tensor, and there are no values to compare: each is equal to its copy."""
    equal = torch.equal

    def compare(input: torch.Tensor, other: torch.Tensor) -> bool:
        return isinstance(input, tensors.FAKE_TENSOR.get()) or equal(input, other)

    with Patches() as patches:
        patches.put(torch, "equal", compare)
        yield


def _in_its_mode(original: Callable[..., Any]) -> Callable[..., Any]:
    """A graph is compiled in the mode that it was traced in, though the virtual GPU's is active, too."""

    def compile_to_python(gm: torch.fx.GraphModule, *args: Any, **kwargs: Any) -> Any:
        values = (
            node.meta.get("val") for node in gm.graph.find_nodes(op="placeholder")
        )
        fakes = [
            value for value in values if isinstance(value, tensors.FAKE_TENSOR.get())
        ]
        context = dynamo.TRACING_CONTEXT.get()(fakes[0].fake_mode if fakes else None)
        with names.TRACING.get()(context):
            return original(gm, *args, **kwargs)

    return compile_to_python
