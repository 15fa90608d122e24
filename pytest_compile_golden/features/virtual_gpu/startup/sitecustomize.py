"""Read by each Python that a run on a virtual GPU starts: it has the GPU, too, as soon as it imports torch."""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Sequence

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH120, PTH100  # pathlib would be imported by each process


class _AfterTorch(importlib.abc.MetaPathFinder):
    """Finds torch as others do, and has the GPU put in when it has been imported."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: types.ModuleType) -> None:
                load(module)
                from pytest_compile_golden.features.virtual_gpu.child_processes import (
                    start,
                )

                start()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _others() -> None:
    """Execute the sitecustomize that this one hides."""
    spec = importlib.machinery.PathFinder.find_spec(
        "sitecustomize", [path for path in sys.path if path != _HERE]
    )
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


sys.meta_path.insert(0, _AfterTorch())
_others()
