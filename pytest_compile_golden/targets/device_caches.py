"""Forget what torch remembers about devices: its functools caches keep the answers of whichever target came first."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

from pytest_compile_golden.targets.import_torch import imported
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import distributed

_PREFIXES = (
    "torch._inductor",
    "torch._dynamo.device_interface",
    "torch.utils._triton",
    "torch.cuda",
    "torch._utils",
)
_TRITON = (
    "triton.runtime",
    "triton.compiler",
    "triton.backends",
    "triton.tools",
    "triton._utils",
    "triton.knobs",
)

# Caches that hold nothing about a device. Clearing them would be slow, or would do something twice.
_KEPT_MODULES = (
    "torch._inductor.fx_passes",  # once-only registration of patterns: patterns.py swaps these along with the patterns
    "torch._inductor.sizevars",  # algebra on index expressions, expensive to do again
    "torch._inductor.codegen.rocm",
    "torch._inductor.async_compile",  # process pools
    "torch._inductor.compile_worker",
    "torch._inductor.autoheuristic.artifacts",
)
_KEPT_NAMES = frozenset(
    {
        "torch_key",  # hashes every source file of torch: 50 ms
        "get_default_op_list",  # parses the operator schemas
        "_lazy_serialized_pattern",
        "_setup_libdevice_routing",  # wraps the code generator's functions once more each time
        "_compiled_regex",
        "_get_template_source",
        "load_template",
        "_known_precompiled_patterns",
        "triton_key",
        "get_compiler_version_info",
        "get_cpp_compiler",
        # These run the given tool to get its version (knobs.py, backends/nvidia/compiler.py of Triton).
        "from_path",
        "get_ptxas_version",
        # Pure functions of their arguments that are expensive to call again.
        "_default_device_constructor_overload_packets",
        "_dummy_gm",
        "_jinja2_env",
        "_join_dimensions_cached",
        "get_dtype_size",
        "get_promoted_dtype",
        "torch_version_hash",
        "type_mappings",
    }
)

_scanned: set[str] = set()
"""The modules whose caches are known."""
_clear: list[Callable[[], None]] = []
_seen: set[int] = set()


def clear_device_caches() -> None:
    """Empty every functools cache of torch's compiler that may hold a device's answer."""
    # Only modules imported since the last call are scanned: scanning costs more than clearing.
    for name, module in imported(*_PREFIXES, *_TRITON).items():
        if name in _scanned or name.startswith(_KEPT_MODULES):
            continue
        _scanned.add(name)
        for cached in _in_namespace(vars(module), name):
            if id(cached) not in _seen:
                _seen.add(id(cached))
                _clear.append(cached.cache_clear)
    for clear in _clear:
        clear()
    # What Inductor registered with `clear_on_fresh_cache`: generated template code, choices made (select_algorithm.py).
    if names.DEVICE_CACHES.module in sys.modules:
        names.DEVICE_CACHES.get()()


def forget_shardings() -> None:
    """Empty DTensor's caches: their contents belong to other fake tensors, and to meshes of groups that are gone.

    The meshes of two ranks are equal (torch/distributed/device_mesh.py), so one rank would get the other's groups.
    """
    if "torch.distributed.tensor" not in sys.modules:
        return
    for row in distributed.SHARDINGS:
        if row.here:
            cached = row.get()
            getattr(cached, "cache_clear", cached)()


def _in_namespace(namespace: Any, module: str) -> Iterator[Any]:
    for name, value in list(namespace.items()):
        if name in _KEPT_NAMES:
            continue
        if isinstance(value, functools._lru_cache_wrapper):
            if getattr(value, "__module__", "").startswith((*_PREFIXES, *_TRITON)):
                yield value
        elif isinstance(value, type) and value.__module__ == module:
            for attribute, inner in list(vars(value).items()):
                unwrapped = getattr(inner, "__func__", inner)
                if attribute not in _KEPT_NAMES and isinstance(
                    unwrapped, functools._lru_cache_wrapper
                ):
                    yield unwrapped
