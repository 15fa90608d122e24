"""Runs a script in a fork that has imported torch, as if torch were still to be imported: for `judge_script`.

What torch reads when it is imported and matters there, is read now. So is `sitecustomize`, which a Python reads when it
starts, and by which it may get a virtual GPU as soon as torch is imported.
"""

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import os
import runpy
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import torch
import torch._dynamo.config
import torch._inductor.config
from torch._logging import _internal


class _Torch(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports torch by giving it back."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        return (
            importlib.machinery.ModuleSpec(name, self, is_package=True)
            if name == "torch"
            else None
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return torch

    def exec_module(self, module: ModuleType) -> None:
        pass


del sys.modules["torch"]
sys.meta_path.insert(0, _Torch())
_internal.LOG_TRACE_HANDLER = None
_internal._init_logs()
torch._inductor.config.force_disable_caches = (
    os.environ.get("TORCHINDUCTOR_FORCE_DISABLE_CACHES") == "1"
)
torch._dynamo.config.disable = os.environ.get("TORCHDYNAMO_DISABLE") == "1"
sys.modules.pop("sitecustomize", None)
with contextlib.suppress(ModuleNotFoundError):
    importlib.import_module("sitecustomize")
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
