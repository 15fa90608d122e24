"""Loaders of public corpora, which stay where the user has them: KernelBench and GraphNet."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pytest_compile_golden.crater.program import Program

_NUMBERED = re.compile(r"\d+_.*\.py")
_DEVICE = re.compile(r'\bdevice\(type="(\w+)"(?:, index=\d+)?\)')


@dataclass(frozen=True)
class KernelBench:
    """A folder of files `N_name.py`, each with `Model`, `get_inputs` and `get_init_inputs`."""

    name: str = "folder of KernelBench programs"

    def programs(self, source: str) -> Iterator[Program] | None:
        root = Path(source)
        files = sorted(path for path in root.rglob("*.py") if _NUMBERED.fullmatch(path.name)) if root.is_dir() else []
        files = [path for path in files if "def get_init_inputs" in path.read_text(encoding="utf-8")]
        return (
            (Program(_id(root, path.with_suffix("")), partial(_kernel_bench, path), _size(path)) for path in files)
            if files
            else None
        )


def _kernel_bench(path: Path) -> Any:
    names = runpy.run_path(str(path), run_name=path.stem)
    return names["Model"](*names["get_init_inputs"]()), tuple(names["get_inputs"]())


@dataclass(frozen=True)
class GraphNet:
    """A folder of GraphNet samples: folders with a `model.py` (`GraphModule`), `weight_meta.py` and `input_meta.py`.

    The two other files have a class for each argument of `GraphModule.forward`, with its name, shape and dtype, and
    its values where these matter (graph_net/torch/utils.py there).
    """

    name: str = "folder of GraphNet samples"

    def programs(self, source: str) -> Iterator[Program] | None:
        root = Path(source)
        folders = sorted(path.parent for path in root.rglob("weight_meta.py")) if root.is_dir() else []
        return (
            (Program(_id(root, folder), partial(_sample, folder), _size(folder / "model.py")) for folder in folders)
            if folders
            else None
        )


def _sample(folder: Path) -> Any:
    described: list[Mapping[str, Any]] = []
    for file in ("weight_meta.py", "input_meta.py"):
        if (folder / file).is_file():
            described += [vars(kind) for kind in runpy.run_path(str(folder / file)).values() if isinstance(kind, type)]
    graph = _on_default_device(folder / "model.py", all(fields["device"] == "cpu" for fields in described))
    return graph["GraphModule"](), (), {"kwargs": {fields["name"]: _tensor(fields) for fields in described}}


def _on_default_device(path: Path, from_cpu: bool) -> dict[str, Any]:
    """The names of a module, in which the device that its graph was captured on, from the CPU or not, is the target's.

    GraphNet's own runs replace it too (graph_net/torch/utils.py there: modify_code_by_device).
    """
    import torch

    def moved(device: re.Match[str]) -> str:
        return f'device("{torch.get_default_device()}")' if from_cpu or device[1] != "cpu" else device[0]

    names: dict[str, Any] = {"__name__": path.parent.name}
    exec(compile(_DEVICE.sub(moved, path.read_text(encoding="utf-8")), str(path), "exec"), names)
    return names


def _tensor(fields: Mapping[str, Any]) -> Any:
    """A tensor of that shape and dtype; its values count only where they are given."""
    import torch

    dtype = getattr(torch, fields["dtype"].removeprefix("torch."))
    shape, data = fields["shape"], fields.get("data")
    # As captured: a scalar on the CPU stays there.
    device = "cpu" if fields["device"] == "cpu" and not shape else None
    if data is not None:
        return torch.tensor(data, dtype=dtype, device=device).reshape(shape)
    if dtype.is_floating_point:
        return torch.empty(shape, dtype=dtype, device=device)
    return torch.full(shape, fields.get("min_val") or 0, dtype=dtype, device=device)


def _id(root: Path, path: Path) -> str:
    """Its path below the source, with the source's own name if it lies right in it."""
    below = path.relative_to(root)
    return below.as_posix() if len(below.parts) > 1 else f"{root.resolve().name}/{below.as_posix()}"


def _size(path: Path) -> int:
    return path.stat().st_size
