"""What it takes to capture whole models, written to docs/models.md: kernels, graph breaks, seconds and memory.

    python -m benchmarks.models [MODEL ...]

With names, it only prints the rows of these models. Each model is captured in its own process, forked from one that
has imported everything.
"""

from __future__ import annotations

import multiprocessing
import platform
import resource
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor, nn

from cases.models import test_transformers, test_written_out
from pytest_compile_golden import Capture, capture
from pytest_compile_golden.targets import get_target

FILE = Path(__file__).parents[1] / "docs" / "models.md"
TARGET = "cuda-sm90"
_HEAD = """# Whole models

What the models of `cases/models/` compile to with two layers (two in the first stage, if there are several), at the
full width of their configurations, on `{target}`, torch {torch}, transformers {transformers}, on a machine without a
GPU. What each additional layer adds is in the cases, which check it on every supported torch. Seconds are the CPU time
of the capture. Memory is the peak resident memory of a separate process, a fork of one that has imported everything;
parameters take none. Written by `python -m benchmarks.models`.

| model | parameters | kernels | library calls | attention | graph breaks | seconds | memory |
|---|---|---|---|---|---|---|---|
"""
LAYERS = 2

Inputs = tuple[Any, ...] | Mapping[str, Any]
Make = Callable[[int], tuple[nn.Module, Inputs]]


def programs() -> dict[str, tuple[Make, bool]]:
    """How to make each model with a given number of layers, and whether it is captured in training."""
    of_transformers = {
        model.name: (_of_transformers(model), False)
        for model in test_transformers.MODELS
    }
    return of_transformers | {
        "DLRM": (lambda n: (test_written_out.Dlrm(n).eval(), _dlrm(n)), False),
        "graph network": (
            lambda n: (test_written_out.GraphNetwork(n).eval(), _graph()),
            False,
        ),
        "nanoGPT, training": (
            lambda n: (_half(test_written_out.NanoGpt(n)), _texts()),
            True,
        ),
        "DiT": (
            lambda n: (
                _half(test_written_out.Dit(n)).eval(),
                _drawn((2, 256, 1152), (2, 1152)),
            ),
            False,
        ),
        "UNet's first stage": (
            lambda n: (_half(test_written_out.UNetStage(n)).eval(), _unet()),
            False,
        ),
        "MMDiT": (lambda n: (_half(test_written_out.MmDit(n)).eval(), _mmdit()), False),
    }


def _of_transformers(model: test_transformers.Model) -> Make:
    def make(layers: int) -> tuple[nn.Module, Inputs]:
        module = test_transformers.make(model, layers)
        return module, test_transformers.inputs_of(module)

    return make


def _half(module: nn.Module) -> nn.Module:
    return module.to(torch.bfloat16)


def _drawn(*shapes: tuple[int, ...]) -> tuple[Tensor, ...]:
    return tuple(torch.randn(*shape, dtype=torch.bfloat16) for shape in shapes)


def _dlrm(tables: int) -> tuple[Tensor, ...]:
    return torch.randn(512, 13), torch.randint(0, 100_000, (512, tables, 4))


def _graph() -> tuple[Tensor, ...]:
    return torch.randn(2708, 128), torch.randint(0, 2708, (2, 10556))


def _texts() -> tuple[Tensor, ...]:
    return tuple(torch.randint(0, 50304, (2, 2, 1024)))


def _unet() -> tuple[Tensor, ...]:
    return _drawn((2, 320, 64, 64), (2, 1280), (2, 77, 768))


def _mmdit() -> tuple[Tensor, ...]:
    return _drawn((2, 1024, 1536), (2, 154, 1536), (2, 1536))


def row(name: str) -> str:
    """A model's row of the table, measured in this process."""
    make, train = programs()[name]
    with get_target(TARGET).active():
        module, inputs = make(LAYERS)
        millions = sum(parameter.numel() for parameter in module.parameters()) / 1e6
        start = time.process_time()
        captured = _captured(module, inputs, train)
        metrics = captured.metrics
        seconds = time.process_time() - start
        attention = captured["forward_graph" if train else "post_grad_graph"].count(
            test_transformers.ATTENTION
        )
    cells = [
        name,
        f"{millions:,.1f} million",
        str(metrics.kernels),
        str(metrics.extern_kernels),
        str(attention),
        str(metrics.graph_breaks),
        f"{seconds:.1f}",
        f"{_most_mib():.0f} MiB",
    ]
    return f"| {' | '.join(cells)} |"


def _captured(module: nn.Module, inputs: Inputs, train: bool) -> Capture:
    if isinstance(inputs, Mapping):
        return capture(module, kwargs=inputs, train=train)
    return capture(module, *inputs, train=train)


def _most_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    # The first capture in a process imports everything that the others need.
    capture(nn.Linear(8, 8), torch.randn(1, 8), target=TARGET)
    names = sys.argv[1:] or list(programs())
    rows = []
    for name in names:
        with multiprocessing.get_context("fork").Pool(1) as process:
            rows.append(process.apply(row, (name,)))
        print(rows[-1], flush=True)
    if not sys.argv[1:]:
        versions = {
            "torch": torch.__version__.partition("+")[0],
            "transformers": transformers.__version__,
        }
        head = _HEAD.format(target=TARGET, **versions)
        by = f"\nMeasured on {platform.machine()} with Python {platform.python_version()}.\n"
        FILE.write_text(head + "\n".join(rows) + "\n" + by, encoding="utf-8")


if __name__ == "__main__":
    main()
