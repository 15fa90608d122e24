"""What counts in a comparison of two texts: their canonical form, by kind of text. Pure functions, no torch."""

from pytest_compile_golden.stages.canonical.cpp_kernels import cpp
from pytest_compile_golden.stages.canonical.graphs import graph
from pytest_compile_golden.stages.canonical.ledger import metrics, passes
from pytest_compile_golden.stages.canonical.schedules import schedule
from pytest_compile_golden.stages.canonical.statements import python
from pytest_compile_golden.stages.canonical.text import plain
from pytest_compile_golden.stages.canonical.triton_kernels import triton
from pytest_compile_golden.stages.canonical.wrappers import wrapper

__all__ = ["cpp", "graph", "metrics", "passes", "plain", "python", "schedule", "triton", "wrapper"]
