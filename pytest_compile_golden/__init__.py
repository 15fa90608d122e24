"""Golden tests of everything torch.compile does with your code."""

# The subpackage must be loaded before the function of the same name is bound, or its first import would replace it.
import pytest_compile_golden.capture  # noqa: F401
from pytest_compile_golden.api import Capture, capture, numerics
from pytest_compile_golden.errors import CompileGoldenError

__all__ = ["Capture", "CompileGoldenError", "capture", "numerics"]
__version__ = "0.1.0"
