"""What the first capture of a process imports and sets up is done by importing this; nothing is run."""

from pytest_compile_golden.observe.compile import prepare

for target in ("cuda-sm90", "cpu-avx2"):
    prepare(target)
