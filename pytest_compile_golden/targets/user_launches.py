"""The user's Triton kernels launched outside of compiled code: compiled for a virtual GPU, and run on nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from pytest_compile_golden.targets import known_values
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device, user_code


def install(patches: Patches) -> None:
    """Let kernels be launched while `patches` holds. What they would write is not known afterwards."""

    def launching(original: Callable[..., Any]) -> Callable[..., Any]:
        own: set[int] = set()

        def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            if id(self) not in own:
                own.add(id(self))
                # What a kernel was compiled to, by the number of a device: 0 is another card in each target.
                patches.put(
                    self, user_code.JIT_COMPILED.last, defaultdict(self.create_binder)
                )
            compiled = original(self, *args, grid=grid, warmup=warmup, **kwargs)
            if not warmup:
                known_values.forget((args, kwargs))
            return compiled

        return run

    def tuning(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            # Nothing is faster than anything else here, so it is the first configuration; a real GPU must not get it.
            with Patches() as during:
                during.put(self, "cache", {})
                during.put(self, "_bench", lambda *args, **kwargs: [0.0] * 3)
                return original(self, *args, **kwargs)

        return run

    user_code.JIT_COMPILED.resolve()
    patches.replace(*device.INIT_HANDLES.resolve(), not_loaded)
    patches.wrap(*user_code.JIT_RUN.resolve(), launching)
    patches.wrap(*user_code.AUTOTUNER_RUN.resolve(), tuning)


def not_loaded(kernel: Any) -> None:
    """Make a compiled kernel look as if it were loaded on the card (triton/compiler/compiler.py: CompiledKernel)."""
    kernel.function = kernel.n_regs = kernel.n_spills = 0
    kernel._run = lambda *args: None
