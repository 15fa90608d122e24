"""Runs generated Triton kernels on the CPU with Triton's interpreter, for the numerics of virtual GPUs."""

import importlib.util

from pytest_compile_golden.errors import NotInterpretable


def check_numpy() -> None:
    """Raises NotInterpretable if NumPy is not installed, which this package needs but is not installed with."""
    if importlib.util.find_spec("numpy") is None:
        raise NotInterpretable(
            "Triton's interpreter needs NumPy, which is not installed: pip install numpy."
        )
