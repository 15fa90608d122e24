"""Importing this does what a process's first capture would import and set up, without running anything.

So it does for what judges values, which imports Triton's interpreter.
"""

import importlib
import pkgutil

from pytest_compile_golden.features import numerics
from pytest_compile_golden.observe.record_compile import prepare

for target in ("cuda-sm90", "cpu-avx2"):
    prepare(target)
for module in pkgutil.walk_packages(numerics.__path__, f"{numerics.__name__}."):
    importlib.import_module(module.name)
