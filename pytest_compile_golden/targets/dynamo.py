"""Dynamo's once-per-process tables, built before a target replaces anything that they are built from."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pytest_compile_golden.targets import evaluation, nested
from pytest_compile_golden.targets.patching import Patches


@functools.cache
def make_tables() -> None:
    """Build the tables by which Dynamo knows torch's functions (torch/_dynamo/trace_rules.py, variables/torch.py).

    They map function objects to how Dynamo treats them. Built inside a target, they would keep its stand-ins for good.
    """
    from torch._dynamo import trace_rules
    from torch._dynamo.variables import torch as torch_variables

    trace_rules.get_torch_obj_rule_map()
    trace_rules.get_tensor_method()
    handlers = getattr(torch_variables.TorchInGraphFunctionVariable, "_get_handlers", None)
    if handlers is not None:
        handlers()
    # Modules that look for a GPU when they are first imported.
    import torch._inductor.compile_fx
    import torch._inductor.cudagraph_trees  # noqa: F401

    nested.make_common_argument()


def install(patches: Patches, mode: Any) -> None:
    """Let Dynamo's own eager calls make fake tensors, and make it trace the target's tensors as it would real ones.

    An optimizer's state is made while its step is traced, and Dynamo switches the caller's modes off while it traces
    (torch/_dynamo/variables/optimizer.py, `_init_group`).
    """
    from torch._dynamo.variables.optimizer import OptimizerVariable
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    def in_mode(original: Callable[..., Any]) -> Callable[..., Any]:
        def call_method(self: Any, tx: Any, name: str, *args: Any, **kwargs: Any) -> Any:
            if name != "_init_group":
                return original(self, tx, name, *args, **kwargs)
            with mode, evaluation.resumed():
                return original(self, tx, name, *args, **kwargs)

        return call_method

    def as_for_real_tensors(original: Callable[..., Any]) -> Callable[..., Any]:
        def transfer(self: Any, sizes: Any, strides: Any, offset: Any, source: Any, **kwargs: Any) -> Any:
            if all(isinstance(number, int) for number in (*sizes, *strides, offset)):
                make = self._create_symbolic_sizes_strides_storage_offset
                return make(sizes, strides, offset, [False] * len(sizes), source, **kwargs)
            return original(self, sizes, strides, offset, source, **kwargs)

        return transfer

    patches.wrap(OptimizerVariable, "call_method", in_mode)
    # It treats the sizes of a fake tensor that are not symbols as constants, although mark_unbacked asks for a symbol
    # (torch/fx/experimental/symbolic_shapes.py, since 2.13).
    if hasattr(ShapeEnv, "transfer_symbols_from_foreign_shape_env"):
        patches.wrap(ShapeEnv, "transfer_symbols_from_foreign_shape_env", as_for_real_tensors)
