"""Hand-written Triton kernels on a device that computes: interpreted, on the memory of its tensors."""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.features.numerics.interpreter import check_numpy
from pytest_compile_golden.features.virtual_gpu import cuda_graphs, device_library
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device, user_code

if TYPE_CHECKING:
    from pytest_compile_golden.features.numerics.interpreter.machine import Machine

_TOLD = 5
"""How many accesses past the end of a tensor a summary tells."""


@dataclass(eq=False)
class Launches:
    """The kernels that programs launch themselves; what Triton's compiler is asked for without a launch, it does."""

    patches: Patches
    """Those of the device, which end what is started here."""
    tolerant: bool
    """Whether they may use what lies between the end of a tensor and that of its block of memory, as on a card."""
    counts: Counter[str] = field(default_factory=Counter)
    """How often each kernel was launched, by its name."""
    seconds: float = 0
    """How long all of them took."""
    # Backward launches kernels in a thread of its own.
    lock: threading.RLock = field(default_factory=threading.RLock)

    @cached_property
    def machine(self) -> Machine:
        """Made when it is first needed. Raises NotInterpretable without NumPy."""
        check_numpy()
        from pytest_compile_golden.features.numerics.interpreter.machine import (
            idle_machine,
        )

        machine = self.patches.enter_context(idle_machine(0))
        machine.memory.limited = False
        machine.memory.block_at = device_library.block_at
        return machine

    def summary(self) -> list[str]:
        """What was interpreted, and what a card would have let pass."""
        if not self.counts:
            return []
        lines = [
            f"{quantity(self.counts.total(), 'launch')} of the program's own kernels interpreted "
            f"in {self.seconds:.1f} s"
        ]
        for overrun, count in self.machine.memory.overruns.most_common(_TOLD):
            where = f"{overrun.kernel}, line {overrun.line}"
            lines.append(
                f"{where}: {overrun.does} what lies past a tensor's end, in its block of memory "
                f"({quantity(count, 'time')})"
            )
        return lines

    def install(self) -> None:
        """Replace how Triton launches: JITFunction.run and Autotuner.run; its other decorators come to these.

        What is compiled first is loaded and launched by Triton's driver (triton/compiler/compiler.py: CompiledKernel).
        """
        with self.patches.feature("hand-written Triton kernels") as own:
            own.wrap(user_code.JIT_FUNCTION.get(), "run", self._launching)
            own.wrap(user_code.AUTOTUNER.get(), "run", self._autotuned)
            driver = device.DRIVERS.get().active
            own.put(driver, "get_current_device", torch.cuda.current_device)
            own.put(driver, "launcher_cls", self._launcher)
            own.put(driver.utils, "load_binary", _load)

    def _launching(self, compiling: Callable[..., Any]) -> Callable[..., Any]:
        def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            if warmup:
                return compiling(kernel, *args, grid=grid, warmup=True, **kwargs)
            for hook in kernel.pre_run_hooks:
                hook(*args, **kwargs)
            self._launch(kernel, args, grid, kwargs)
            return _Launched(
                lambda: compiling(kernel, *args, grid=grid, warmup=True, **kwargs)
            )

        return run

    def _autotuned(self, timing: Callable[..., Any]) -> Callable[..., Any]:
        def run(autotuner: Any, *args: Any, **kwargs: Any) -> Any:
            from pytest_compile_golden.features.numerics.interpreter.machine import (
                first_configuration,
            )

            return first_configuration(autotuner, args, kwargs)

        return run

    def _launcher(self, source: Any, metadata: Any) -> Callable[..., None]:
        """What launches a compiled kernel. Raises NotInterpretable if it was compiled from IR, not from Python."""
        if not hasattr(source, "fn"):
            raise NotInterpretable(
                "a kernel that was compiled from IR has no source in Python"
            )

        def launch(x: int, y: int, z: int, *rest: Any) -> None:
            _stream, _function, _packed, _launch_metadata, _before, _after, *args = rest
            # A constant that it was compiled with stays, whatever is given for it.
            given = (
                source.constants.get((place,), value)
                for place, value in enumerate(args)
            )
            self._launch(source.fn, tuple(given), (x, y, z), {})

        return launch

    def _launch(
        self, kernel: Any, args: tuple[Any, ...], grid: Any, kwargs: dict[str, Any]
    ) -> None:
        """Now, and again when a CUDA graph that is being captured is replayed."""

        def interpret(*args: Any, **kwargs: Any) -> None:
            self._interpret(kernel, args, grid, kwargs)

        cuda_graphs.launch(interpret, args, kwargs)

    def _interpret(
        self, kernel: Any, args: tuple[Any, ...], grid: Any, kwargs: dict[str, Any]
    ) -> None:
        with self.lock:
            machine = self.machine
            from pytest_compile_golden.features.numerics.interpreter.machine import (
                launched_by_user,
            )

            began = time.perf_counter()
            machine.memory.tolerant = self.tolerant
            try:
                launched_by_user(machine, kernel, args, grid, kwargs)
            finally:
                machine.memory.tolerant = False
            self.seconds += time.perf_counter() - began
            self.counts[kernel.fn.__name__] += 1


def _load(name: str, binary: bytes, shared: int, index: int) -> tuple[Any, ...]:
    """The driver's `load_binary`: module, function, registers, spills, threads at most; nothing is loaded."""
    most = torch.cuda.get_device_properties(index).max_threads_per_block
    return None, None, *_registers_and_spills(name, binary), most


@cache  # without a module a kernel is loaded at each launch
def _registers_and_spills(name: str, binary: bytes) -> tuple[int | None, int | None]:
    """None for AMD's cards."""
    if torch.version.hip is not None:
        return None, None
    from pytest_compile_golden.features.machine_code.vendor_tools import (
        registers_and_stack,
    )

    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "kernel.cubin"
        cubin.write_bytes(binary)
        registers, stack = registers_and_stack(name, cubin)
        return registers, stack // 4


class _Launched:
    """What a launch returns: the kernel as it was compiled, which it is when it is first asked for anything."""

    def __init__(self, compiled: Callable[[], Any]) -> None:
        self._compiled = cache(compiled)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._compiled(), name)

    def __getitem__(self, grid: tuple[int, ...]) -> Any:
        return self._compiled()[grid]
