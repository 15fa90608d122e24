"""Import what of torch a compile needs, and keep what torch does to the process on that occasion to itself."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import warnings

_MODULES = (
    "torch._dynamo",
    "torch._inductor.compile_fx",
    # Passes are imported when the first graph gets there; numeric_utils.py sets CUBLAS_WORKSPACE_CONFIG for good.
    "torch._inductor.fx_passes.joint_graph",
    "torch._inductor.fx_passes.post_grad",
    "torch._inductor.fx_passes.pre_grad",
    "torch._inductor.fx_passes.numeric_utils",
    # torch/_dynamo/trace_rules.py imports it when a program is first traced, and it warns of torch.jit, which it uses.
    "torch.utils.mkldnn",
)


@functools.cache
def load_compiler() -> None:
    """Import torch's compiler without its warnings about itself and without the variables that it sets."""
    before = dict(os.environ)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in _MODULES:
            with contextlib.suppress(ModuleNotFoundError):  # modules come and go between torch versions
                importlib.import_module(name)
    restore_environment(before)


def restore_environment(before: dict[str, str]) -> None:
    """Set os.environ to `before`, touching only what differs."""
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    for name, value in before.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
