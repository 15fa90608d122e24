"""Importing this does what a process's first capture would import and set up, without running anything."""

from pytest_compile_golden.observe.record_compile import prepare

for target in ("cuda-sm90", "cpu-avx2"):
    prepare(target)
