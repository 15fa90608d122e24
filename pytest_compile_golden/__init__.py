"""Golden tests for everything torch.compile does with your code."""

from pytest_compile_golden.api import capture, fake_ranks, numerics
from pytest_compile_golden.api.cache_round_trip import cache_round_trip
from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.api.ranks import capture_ranks
from pytest_compile_golden.common.installed_torch import by_torch
from pytest_compile_golden.common.program_call import Call
from pytest_compile_golden.errors import CompileGoldenError

__all__ = [
    "Call",
    "Capture",
    "CompileGoldenError",
    "by_torch",
    "cache_round_trip",
    "capture",
    "capture_ranks",
    "fake_ranks",
    "numerics",
]
__version__ = "0.1.0"
