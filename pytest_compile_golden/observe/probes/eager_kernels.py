"""The user's Triton kernels that are launched outside the graphs."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.record_graphs import (
    dtype_name,
    frame_at,
    is_user_file,
)
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import user_code

_OURS = str(Path(__file__).parents[2]) + "/"


class EagerKernelsProbe:
    """Each launch, with its arguments, the number of its programs, and the line that it is at."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def launched(
            kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any
        ) -> None:
            if warmup:
                return
            named = kernel.signature.bind_partial(
                *args, **{k: v for k, v in kwargs.items() if k in kernel.arg_names}
            )
            named.apply_defaults()
            options = {
                name: value
                for name, value in kwargs.items()
                if name not in kernel.arg_names
            }
            programs_of = grid(named.arguments) if callable(grid) else grid
            given = ", ".join(
                f"{name}={_shown(value)}"
                for name, value in {**named.arguments, **options}.items()
            )
            line = _line(sys._getframe(2))
            recorder.add(
                "eager_kernels",
                f"{kernel.__name__}[{' x '.join(map(str, programs_of))}]({given})  # {line}",
            )

        if recorder.record.device_type == "cuda":
            hooks.before(user_code.JIT_RUN, launched)


def _shown(value: Any) -> str:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    return f"{dtype_name(value.dtype)}[{', '.join(map(str, value.shape))}]"


def _line(frame: FrameType | None) -> str:
    """`function: source line` of the program's innermost frame."""
    while frame is not None:
        file = frame.f_code.co_filename
        if is_user_file(file) and not file.startswith(_OURS):
            return frame_at(file, frame.f_lineno, frame.f_code.co_name)[0]
        frame = frame.f_back
    return "no line of the program"
