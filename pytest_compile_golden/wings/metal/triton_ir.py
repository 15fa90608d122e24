"""Triton's own IR of kernels, which takes a fraction of the time that machine code takes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any

from pytest_compile_golden.formats import get_format
from pytest_compile_golden.formats.machine_code import MachineCodeFormat
from pytest_compile_golden.formats.machine_code.languages import LANGUAGES
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_names.kernels import CUDA_STAGES, HIP_STAGES
from pytest_compile_golden.wings.metal.cores import usable_cores
from pytest_compile_golden.wings.metal.kernels import LoadedKernel

_STAGE = "ttir"


class _Reached(Exception):
    """The compiler is stopped here, with what it has so far."""


def triton_ir(kernel: LoadedKernel) -> list[str]:
    """The kernel in Triton's IR, with the compiler's options, for each configuration on offer.

    Equal IR and options give equal machine code (triton/compiler/compiler.py: compile). Has to run inside the target.
    """
    with Patches() as patches:
        for row in (CUDA_STAGES, HIP_STAGES):
            if row.here:
                patches.wrap(*row.resolve(), _stopping)
        with ThreadPoolExecutor(usable_cores()) as pool:
            tasks = [
                pool.submit(copy_context().run, partial(_until_ir, kernel.autotuner, config))
                for config in kernel.autotuner.configs
            ]
            return [task.result() for task in tasks]


def _until_ir(autotuner: Any, config: Any) -> str:
    try:
        autotuner._precompile_config(config)
    except Exception as error:
        reached = error.__cause__ if isinstance(error.__cause__, _Reached) else error
        if not isinstance(reached, _Reached):
            raise
        options, text = reached.args
        form = get_format(_STAGE)
        assert isinstance(form, MachineCodeFormat)
        return f"{options}\n{form.renamed(LANGUAGES[_STAGE].cleaned(text, autotuner.fn.__name__))}"
    raise AssertionError("Triton compiled a kernel without its own IR")


def _stopping(add_stages: Callable[..., None]) -> Callable[..., None]:
    def add(self: Any, stages: dict[str, Callable[..., Any]], options: Any, *rest: Any) -> None:
        add_stages(self, stages, options, *rest)
        make_ir = stages[_STAGE]

        def stop(source: Any, metadata: dict[str, Any]) -> None:
            raise _Reached(str(options), str(make_ir(source, metadata)))

        stages[_STAGE] = stop

    return add
