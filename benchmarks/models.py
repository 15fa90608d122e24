"""What whole models take to capture, written to docs/models.md: kernels, graph breaks, seconds and memory.

    python -m benchmarks.models [MODEL ...]

With names it prints the rows of these models only. Each is captured in a process of its own, a fork of one that has
imported everything, with one layer and then with two; seconds and memory are those of two.
"""

from __future__ import annotations

import multiprocessing
import platform
import resource
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from torch import Tensor, nn

from cases.models import test_transformers, test_written_out
from pytest_compile_golden import Capture, capture
from pytest_compile_golden.targets import get_target

FILE = Path(__file__).parents[1] / "docs" / "models.md"
TARGET = "cuda-sm90"
_HEAD = """# Whole models

Models of `cases/models/` at the widths that they were published with, captured on `{target}` with torch {torch} and
transformers {transformers}, on a machine without a GPU. Kernels and library calls are formulas of the number `n` of
layers, of each stage where there are several, and hold for one layer and for two; the cases check them on every torch
that is supported. Seconds (of processor) and memory (resident at most, of the process) are of one capture with two
layers, with the parameters that these have; {base:.0f} MiB of it are there before anything is captured. Written by
`python -m benchmarks.models`.

| model | parameters | kernels | library calls | attention | graph breaks | seconds | memory |
|---|---|---|---|---|---|---|---|
"""

Inputs = tuple[Any, ...] | Mapping[str, Any]
Make = Callable[[int], tuple[nn.Module, Inputs]]


class Measured(NamedTuple):
    """One capture; what counts, by name."""

    parameters: int
    kernels: int
    extern_kernels: int
    attention: int
    graph_breaks: int
    seconds: float
    mib: float


def programs() -> dict[str, tuple[Make, bool]]:
    """How to make each model with so many layers, and whether it is captured in training."""
    found = {model.name: (_of_transformers(model), False) for model in test_transformers.MODELS}
    return found | {
        "DLRM (n tables)": (lambda n: (test_written_out.Dlrm(n).eval(), _dlrm(n)), False),
        "graph network": (lambda n: (test_written_out.GraphNetwork(n).eval(), _graph()), False),
        "nanoGPT, training": (lambda n: (_half(test_written_out.NanoGpt(n)), _texts()), True),
        "DiT": (lambda n: (_half(test_written_out.Dit(n)).eval(), _drawn((2, 256, 1152), (2, 1152))), False),
        "UNet's first stage": (lambda n: (_half(test_written_out.UNetStage(n)).eval(), _unet()), False),
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


def measure(name: str) -> list[Measured]:
    """With one layer and with two, in this process."""
    make, train = programs()[name]
    return [_measured(make, layers, train) for layers in (1, 2)]


def _measured(make: Make, layers: int, train: bool) -> Measured:
    with get_target(TARGET).active():
        module, inputs = make(layers)
        start = time.process_time()
        captured = _captured(module, inputs, train)
        seconds = time.process_time() - start
        graph = captured["forward_graph" if train else "post_grad_graph"]
        return Measured(
            parameters=sum(parameter.numel() for parameter in module.parameters()),
            kernels=captured.metrics.kernels,
            extern_kernels=captured.metrics.extern_kernels,
            attention=graph.count(test_transformers.ATTENTION),
            graph_breaks=captured.metrics.graph_breaks,
            seconds=seconds,
            mib=_most_mib(),
        )


def _captured(module: nn.Module, inputs: Inputs, train: bool) -> Capture:
    if isinstance(inputs, Mapping):
        return capture(module, kwargs=inputs, train=train)
    return capture(module, *inputs, train=train)


def _most_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def row(name: str, one: Measured, two: Measured) -> str:
    lines = [_line(*pair) for pair in list(zip(one, two, strict=True))[1:5]]
    millions = f"{two.parameters / 1e6:,.0f} million"
    return f"| {' | '.join([name, millions, *lines, f'{two.seconds:.1f}', f'{two.mib:.0f} MiB'])} |"


def _line(one: float, two: float) -> str:
    """`a + bn` through the values at one and two."""
    rise, base = int(two - one), int(one - (two - one))
    parts = [str(base)] * (base != 0) + [f"{'' if rise == 1 else rise}n"] * (rise != 0)
    return " + ".join(parts) or "0"


def main() -> None:
    # The first capture in a process imports what all others need.
    capture(nn.Linear(8, 8), torch.randn(1, 8), target=TARGET)
    base = _most_mib()
    names = sys.argv[1:] or list(programs())
    rows = []
    for name in names:
        with multiprocessing.get_context("fork").Pool(1) as process:
            rows.append(row(name, *process.apply(measure, (name,))))
        print(rows[-1], flush=True)
    if not sys.argv[1:]:
        versions = {"torch": torch.__version__.partition("+")[0], "transformers": transformers.__version__}
        head = _HEAD.format(target=TARGET, base=base, **versions)
        by = f"\nMeasured on {platform.machine()} with Python {platform.python_version()}.\n"
        FILE.write_text(head + "\n".join(rows) + "\n" + by, encoding="utf-8")


if __name__ == "__main__":
    main()
