"""Machine code of kernels: compiled for the target by the installed Triton, and never launched."""

from pytest_compile_golden.seams import KERNEL_COMPILER, TOOLS

PROVIDES = {
    TOOLS: {KERNEL_COMPILER: "pytest_compile_golden.wings.metal.tool"},
}
