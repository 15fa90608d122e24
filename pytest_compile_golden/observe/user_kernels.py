"""The user's own Triton kernels: one that Triton cannot compile fails the case, where torch would carry on."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import KernelFailed
from pytest_compile_golden.targets import Target
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import user_code as names

NO_DRIVER = "active drivers"


class _Stop(BaseException):
    """Gets past torch's own `except Exception`, which would log a warning and assume that every input is mutated."""

    def __init__(self, error: KernelFailed) -> None:
        self.error = error


@contextmanager
def checked_kernels(target: Target) -> Iterator[None]:
    """Raise KernelFailed where torch finds that a kernel does not compile but would only warn.

    torch compiles each kernel to Triton's first IR to learn what it reads and writes; if that fails, it assumes that
    every input is mutated (torch/_higher_order_ops/triton_kernel_wrap.py: generate_ttir, identify_accessed_tensors).
    """
    with Patches() as patches:
        if all(
            row.here
            for row in (names.GENERATE_TTIR, names.JIT_FUNCTION, names.AUTOTUNER)
        ):
            patches.wrap(
                *names.GENERATE_TTIR.resolve(),
                functools.partial(_watched, target, set()),
            )
            for row in (names.IDENTIFY_ACCESSED, names.IDENTIFY_MUTATED):
                if row.here:
                    patches.wrap(*row.resolve(), _stopping)
        yield


def _watched(
    target: Target, tuned: set[int], original: Callable[..., Any]
) -> Callable[..., Any]:
    """tuned: ids of the functions seen with several configurations."""

    def generate_ttir(
        kernel: Any, kwargs: dict[str, Any], *args: Any, **more: Any
    ) -> Any:
        function = kernel
        # Behind autotuners and heuristics.
        while not isinstance(function, names.JIT_FUNCTION.get()):
            function = function.fn
        if isinstance(kernel, names.AUTOTUNER.get()) and len(kernel.configs) > 1:
            tuned.add(id(function))
        try:
            return original(kernel, kwargs, *args, **more)
        except Exception as error:  # `_failure` decides which are the kernel's fault; torch gets the rest
            failed = _failure(function, id(function) in tuned, kwargs, target, error)
            if failed is None:
                raise
            raise _Stop(failed) from error

    return generate_ttir


def _stopping(original: Callable[..., Any]) -> Callable[..., Any]:
    def identify(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except _Stop as stop:
            raise stop.error from stop.__cause__

    return identify


def _failure(
    kernel: Any, tuned: bool, kwargs: dict[str, Any], target: Target, error: Exception
) -> KernelFailed | None:
    """The failure to report if the kernel is to blame; None if the error should be left to torch."""
    compilation_error = names.COMPILATION_ERROR.get()
    name = getattr(kernel, "__name__", type(kernel).__name__)
    if NO_DRIVER in str(error):
        return needs_gpu(f"the Triton kernel {name}", target)
    if not isinstance(error, compilation_error):
        return None
    # torch tries the first configuration only; if there are others, Triton skips one whose assertion fails.
    asserted = isinstance(error, names.ASSERTION.get())
    if asserted and tuned:
        return None
    constants = [
        parameter.name for parameter in kernel.params if parameter.is_constexpr
    ]
    if any(_symbolic(kwargs.get(constant)) for constant in constants):
        return None  # torch substitutes a number of its own for a constant that it does not know
    inner: Any = error
    # In a function that the kernel calls.
    while isinstance(inner.__cause__, compilation_error):
        inner = inner.__cause__
    message = inner.error_message or (
        "a static_assert does not hold" if asserted else str(inner.__cause__)
    )
    return KernelFailed(
        f"the Triton kernel {name} does not compile: {message}\n  at {_line(inner, kernel)}\n"
        "  Fix that line. torch.compile itself would only warn, assume that every input of the kernel is mutated, and "
        "fail at the first launch."
    )


def needs_gpu(subject: str, target: Target, where: str = "") -> KernelFailed:
    """The error for what is for GPUs, on a CPU target."""
    return KernelFailed(
        f"{subject} can only be compiled for a GPU, and {target.name} is a CPU.{where}\n  Give this case a GPU target: "
        '@pytest.mark.compile_golden(target="cuda-sm90"), or all of them: compile_golden_target in pytest\'s settings.'
    )


def _symbolic(value: Any) -> bool:
    # A symbolic size while Dynamo traces, a sympy expression while Inductor lowers.
    return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)) or hasattr(
        value, "free_symbols"
    )


def _line(error: Any, kernel: Any) -> str:
    """`file:line: source` of what Triton rejects; the file is found in the code generator's frames."""
    number = getattr(error.node, "lineno", None)
    for frame, _ in traceback.walk_tb(error.__traceback__):
        generator: Any = frame.f_locals.get("self")
        function = getattr(generator, "jit_fn", None)
        if number is not None and function is not None and function.src == error.src:
            source = split_lines(error.src)[number - 1].strip()
            return f"{Path(generator.file_name).name}:{generator.begin_line + number}: {source}"
    code = kernel.fn.__code__
    return f"{Path(code.co_filename).name}:{code.co_firstlineno}: {kernel.__name__}"
