"""Import the parts of torch that a compile needs, and contain the side effects of doing so on the process."""

from __future__ import annotations

import contextlib
import functools
import os
import warnings
from collections.abc import Iterator

from pytest_compile_golden.torch_names import device, virtual_device

# Set for the rest of the process by numeric_utils.py, cache_dir_utils.py, triton_heuristics.py, compile_tasks.py,
# cpp_builder.py and codecache.py of torch/_inductor.
_VARIABLES = (
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_HOME",
    "KMP_DUPLICATE_LIB_OK",
    "TORCHINDUCTOR_CACHE_DIR",
    "TRITON_CACHE_DIR",
    "TRITON_LIBDEVICE_PATH",
    "TRITON_PTXAS_PATH",
    "_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR",
)


@contextlib.contextmanager
def compiler() -> Iterator[None]:
    """Import torch's compiler; on leaving, restore the environment variables that it sets."""
    _load()
    with own_variables():
        yield


@functools.cache
def _load() -> None:
    """Import torch's compiler without its warnings about itself and without the variables that it sets."""
    with own_variables(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in (*device.COMPILER, virtual_device.COMPILE_FX):
            if row.here:  # modules come and go between torch versions
                row.get()


@contextlib.contextmanager
def own_variables() -> Iterator[None]:
    """Restore, when the block ends, the environment variables that torch's compiler sets as it runs."""
    before = {name: os.environ.get(name) for name in _VARIABLES}
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
