"""Importing this makes a process one that has torch, and nothing else of what an eject script does without."""

import importlib.machinery
import sys

_GONE = ("triton", "pytest_compile_golden", "pytest")
_find = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = classmethod(  # type: ignore[assignment]
    lambda cls, name, *rest: None if name.partition(".")[0] in _GONE else _find(name, *rest)
)
for name in [*sys.modules]:
    if name.partition(".")[0] in _GONE:
        del sys.modules[name]

import torch._inductor.compile_fx  # noqa: E402, F401  it asks what is installed
