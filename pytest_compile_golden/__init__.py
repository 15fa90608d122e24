"""Golden tests of everything torch.compile does with your code."""

from pytest_compile_golden.api import Capture, capture, numerics
from pytest_compile_golden.errors import CompileGoldenError

__all__ = ["Capture", "CompileGoldenError", "capture", "numerics"]
__version__ = "0.1.0"
