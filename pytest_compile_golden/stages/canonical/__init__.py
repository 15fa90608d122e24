"""What counts in a comparison of two texts: their canonical form, a module per kind of text."""

from pytest_compile_golden.stages.canonical.code import cpp, python, triton, wrapper
from pytest_compile_golden.stages.canonical.graph import graph
from pytest_compile_golden.stages.canonical.schedule import schedule
from pytest_compile_golden.stages.canonical.text import plain

__all__ = ["cpp", "graph", "plain", "python", "schedule", "triton", "wrapper"]
