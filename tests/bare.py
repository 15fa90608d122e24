"""Importing this hides Triton, pytest and this package from the process: ejected scripts only need torch."""

import importlib.machinery
import sys

_HIDDEN = ("triton", "pytest_compile_golden", "pytest")
_find = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = classmethod(  # type: ignore[assignment]
    lambda cls, name, *rest: (
        None if name.partition(".")[0] in _HIDDEN else _find(name, *rest)
    )
)
for name in [*sys.modules]:
    if name.partition(".")[0] in _HIDDEN:
        del sys.modules[name]

import torch._inductor.compile_fx  # noqa: E402, F401  checks what is installed
