"""What counts in a comparison of two texts: their canonical form, by kind of text. Pure functions, no torch."""

from pytest_compile_golden.stages.canonical.cpp import cpp
from pytest_compile_golden.stages.canonical.graph import graph
from pytest_compile_golden.stages.canonical.ledger import metrics, passes
from pytest_compile_golden.stages.canonical.python import python
from pytest_compile_golden.stages.canonical.schedule import schedule
from pytest_compile_golden.stages.canonical.text import plain
from pytest_compile_golden.stages.canonical.triton import triton
from pytest_compile_golden.stages.canonical.wrapper import wrapper

__all__ = ["cpp", "graph", "metrics", "passes", "plain", "python", "schedule", "triton", "wrapper"]
