"""Triton kernels as Inductor wrote them, loaded as Inductor loads them, with the configurations of its heuristics."""

from __future__ import annotations

import importlib.util
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_compile_golden.formats.code import kernel_files
from pytest_compile_golden.observe.probes.launches import described
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.code import OutputCode
from pytest_compile_golden.record.graphs import GraphKey
from pytest_compile_golden.torch_names import device
from pytest_compile_golden.torch_names.kernels import GRID


@dataclass(frozen=True)
class LoadedKernel:
    """A kernel that can be compiled."""

    key: GraphKey
    name: str
    autotuner: Any
    """Inductor's CachingAutotuner (torch/_inductor/runtime/triton_heuristics.py); `configs` has its configurations."""


def kernels(record: Record, folder: Path) -> Iterator[LoadedKernel]:
    """Every Triton kernel of a capture, in the order in which they were written; files go into `folder`."""
    codes: list[OutputCode] = record.get("output_code")
    for graph, code in enumerate(codes):
        for number, (name, text) in enumerate(kernel_files(code.code, "triton")):
            # Triton looks up a kernel's source in its file (triton/runtime/jit.py: JITFunction).
            yield LoadedKernel(code.key, name, load(text, folder / f"kernel_{graph}_{number}.py"))


def load(text: str, path: Path) -> Any:
    """The autotuner of the only kernel in a module that Inductor wrote; the module is written to `path`."""
    autotuners = device.AUTOTUNER.get()
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module: types.ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return next(value for value in vars(module).values() if isinstance(value, autotuners))


def launches(autotuner: Any) -> tuple[tuple[str, ...], ...]:
    """How Inductor launches a kernel: each configuration on offer, with the grid that follows from it."""
    meta = autotuner.inductor_meta
    return tuple(
        (described(config), *grid.prefix, *map(str, (grid.x_grid, grid.y_grid, grid.z_grid)), repr(_given(meta)))
        for config in autotuner.configs
        for grid in [GRID.get()(meta, config)]
    )


def _given(meta: dict[str, Any]) -> list[Any]:
    """What a launcher passes to the kernel or its grid besides the caller's arguments."""
    return [meta.get(name) for name in ("extra_launcher_args", "config_args")]
