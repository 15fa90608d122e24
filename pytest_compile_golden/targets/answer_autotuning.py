"""The declared policy for what torch decides by timing: max-autotune, padding, benchmarked fusion."""

from __future__ import annotations

import functools
import tempfile
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.targets.autotuning_policy import pattern_of
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.target import active_policy
from pytest_compile_golden.torch_internals import device, inductor, process, settings
from pytest_compile_golden.torch_internals import device as names


def rank(policy: str, choices: Sequence[Any]) -> list[Any]:
    """The `choices` of one max-autotune decision, best first: a stable order that does not depend on timing."""
    extern_kernel = names.EXTERN_CALLER.get()

    def extern(choice: Any) -> bool:
        return isinstance(choice, extern_kernel)

    if policy == "triton":
        return sorted(
            choices,
            key=lambda choice: (
                extern(choice),
                "Template" not in type(choice).__name__,
            ),
        )
    if policy.startswith("name:"):
        pattern = pattern_of(policy)
        return sorted(
            choices,
            key=lambda choice: (not pattern.search(choice.name), not extern(choice)),
        )
    return sorted(choices, key=lambda choice: not extern(choice))


def install(patches: Patches) -> None:
    """Make every timed decision by the active policy (torch/_inductor/select_algorithm.py, fx_passes/pad_mm.py)."""
    patches.configure(settings.TIMED)

    def do_autotuning(
        self: Any,
        name: str,
        input_nodes: Any,
        layout: Any,
        input_gen_fns: Any,
        inputs_key: Any,
        choices: Any,
        *args: Any,
        **kwargs: Any,
    ) -> dict[Any, float]:
        process.COUNTERS.get()["inductor"]["select_algorithm_autotune"] += 1
        return ranks(choices)

    def ranks(choices: Sequence[Any], *args: Any, **kwargs: Any) -> dict[Any, float]:
        return {
            choice: float(number)
            for number, choice in enumerate(rank(active_policy(), choices), start=1)
        }

    with patches.feature("max-autotune by policy") as own:
        if inductor.DO_AUTOTUNING.here:
            own.replace(*inductor.DO_AUTOTUNING.resolve(), do_autotuning)
        else:
            own.replace(
                *names.BENCHMARK_CHOICES.resolve(), lambda self, *args, **kwargs: ranks
            )
        own.replace(*names.PRECOMPILE.resolve(), lambda self, *args, **kwargs: dict)
    with patches.feature("padding of matrix products") as own:
        own.replace(*device.SHOULD_PAD.resolve(), _should_pad)
    with patches.feature("fusion by benchmark") as own:
        # Answer for kernels that a case benchmarks while fusing (`benchmark_fusion`, `coordinate_descent_tuning`
        # ...). torch/_inductor/codegen/triton.py makes their inputs and launches them. Code is still generated for
        # them, since this shows in torch's own counters.
        def benchmark_codegened_module(
            self: Any, mod: Any, *args: object, **kwargs: object
        ) -> tuple[float, str]:
            return 1.0, mod.__file__

        # For combo kernels, the answer is read from the file next to the module in which torch keeps its measurements.
        @functools.cache
        def module() -> types.SimpleNamespace:
            kernel_file = (
                Path(own.enter_context(tempfile.TemporaryDirectory())) / "kernel.py"
            )
            kernel_file.with_suffix(".kernel_perf").write_text("1.0 0.0")
            return types.SimpleNamespace(__file__=str(kernel_file))

        own.replace(*names.BENCHMARK_MODULE.resolve(), benchmark_codegened_module)
        own.replace(
            *names.TRITON_CODE_CACHE.resolve(),
            types.SimpleNamespace(load=lambda *args, **kwargs: module()),
        )
    # A safety net: anything else that asks for a timing gets the same one, and nothing is run.
    with patches.feature("an answer to other timings") as own:
        base = names.BENCHMARKER.get()
        for owner in (base, *_subclasses(base)):
            for name, member in list(vars(owner).items()):
                if name.startswith("benchmark") and callable(member):
                    # A millisecond.
                    own.replace(owner, name, lambda *args, **kwargs: 1.0)


def _subclasses(owner: Any) -> list[Any]:
    subclasses: list[Any] = []
    children: list[Any] = owner.__subclasses__()
    for child in children:
        subclasses += [child, *_subclasses(child)]
    return subclasses


def _should_pad(match: Any, mat1: Any, mat2: Any, op: Any, input: Any = None) -> bool:
    """torch/_inductor/fx_passes/pad_mm.py `_should_pad`, up to the point where it would start timing."""
    if names.FORCE_SHAPE_PAD.get():
        return True
    if "pad_aten_mm_pass" not in names.POST_GRAD_OPTIONS.get():
        return False
    if op not in (torch.ops.aten.mm, torch.ops.aten.addmm, torch.ops.aten.bmm):
        return False
    sizes = (mat1.shape[-2], mat2.shape[-1], mat1.shape[-1])
    hints = [
        size.node.hint if isinstance(size, torch.SymInt) else size for size in sizes
    ]
    return None not in hints and bool(
        names.SHOULD_PAD_BF16.get()(mat1.dtype, *map(int, hints))
    )
