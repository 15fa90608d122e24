"""Run as a process: compile programs one after another, each in a fork of this process, with torch's caches on.

The first fork saves its caches, and the others load them.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import sys
from pathlib import Path
from typing import Any

import msgspec
import torch

from pytest_compile_golden.observe.compile_options import (
    CompileOptions,
    compile_options,
)
from pytest_compile_golden.observe.config_patches import patched
from pytest_compile_golden.torch_internals import device, process, tensors

device.COMPILE_FX.get()  # before forking, so that the forks need not import it

_ON = {
    "fx_graph_cache": True,
    "fx_graph_remote_cache": False,
    "functorch.enable_autograd_cache": True,
    "functorch.enable_remote_autograd_cache": False,
}
_RELATIVE, _ABSOLUTE = 2e-2, 1e-3
"""Rounding is not looked at here: a cache that answers with another program's code gives other numbers."""
_COUNTERS = {
    "aot": ("aot_autograd", "autograd_cache"),
    "fx": ("inductor", "fxgraph_cache"),
}
_ENDS = {"hits": "hit", "misses": "miss", "bypasses": "bypass"}


def compiled(file: str, name: str, folder: str, loads: bool) -> dict[str, Any]:
    """Compile and run one program in this process; returns what its caches answered, and what was saved."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path(folder, f"caches-{os.getpid()}"))
    os.environ["TRITON_CACHE_DIR"] = str(Path(folder, f"triton-{os.getpid()}"))
    artifacts = Path(folder, "artifacts")
    if loads and artifacts.is_file():
        torch.compiler.load_cache_artifacts(artifacts.read_bytes())
    expected, other = (_eager(file, name, seed) for seed in (0, 1))
    torch.manual_seed(0)
    fn, options = _program(file, name)
    call = options.calls[0]
    with patched({**_ON, **options.config}), torch.set_grad_enabled(options.train):
        torch.manual_seed(0)
        returned = torch.compile(fn, **options.torch_compile)(*call.args, **call.kwargs)
        differs = _difference(returned, expected)
        if options.train:
            outputs = [
                output
                for output in tensors.PYTREE.get().tree_leaves(returned)
                if getattr(output, "requires_grad", False)
            ]
            torch.autograd.backward([output.sum() for output in outputs])
    saved = {}
    if not loads and (result := torch.compiler.save_cache_artifacts()) is not None:
        artifacts.write_bytes(result[0])
        saved = {kind: len(keys) for kind, keys in result[1].artifacts.items()}
    drawn = _difference(other, expected)
    counters = process.COUNTERS.get()
    counts = {
        event: {
            cache: counters[group][f"{prefix}_{end}"]
            for cache, (group, prefix) in _COUNTERS.items()
            if counters[group][f"{prefix}_{end}"]
        }
        for event, end in _ENDS.items()
    }
    return {**counts, "saved": saved, "differs": "" if drawn else differs}


def _eager(file: str, name: str, seed: int) -> Any:
    """What the program returns in eager mode."""
    torch.manual_seed(0)
    fn, options = _program(file, name)
    call = options.calls[0]
    torch.manual_seed(seed)
    with torch.set_grad_enabled(options.train):
        return tensors.PYTREE.get().tree_map_only(
            torch.Tensor, torch.clone, fn(*call.args, **call.kwargs)
        )


def _difference(returned: Any, expected: Any) -> str:
    """How two results differ by more than roundings may explain."""
    leaves = [tensors.PYTREE.get().tree_leaves(each) for each in (returned, expected)]
    for number, (mine, theirs) in enumerate(zip(*leaves, strict=False)):
        if isinstance(mine, torch.Tensor) and isinstance(theirs, torch.Tensor):
            try:
                torch.testing.assert_close(
                    mine, theirs, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True
                )
            except AssertionError as error:
                return f"output {number}: {' '.join(str(error).split())}"
    return "" if len(leaves[0]) == len(leaves[1]) else "another number of outputs"


def _program(file: str, name: str) -> tuple[Any, CompileOptions]:
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    returned = getattr(module, name)()
    fn, *arguments = returned if isinstance(returned, tuple) else (returned,)
    inputs, options = (*arguments, {})[:2] if arguments else ((), {})
    return fn, compile_options(inputs, **options)


def main(request: str) -> None:
    """Compile each program in a request, and write the results to the file that the request names."""
    job = msgspec.json.decode(request)
    uses = []
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    for number, (file, name) in enumerate(job["programs"]):
        # A new process each time.
        with multiprocessing.get_context(method).Pool(1) as pool:
            uses.append(pool.apply(compiled, (file, name, job["folder"], number > 0)))
    Path(job["answer"]).write_bytes(msgspec.json.encode(uses))


if __name__ == "__main__":
    main(sys.argv[1])
