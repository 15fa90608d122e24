"""Dynamo's once-per-process tables: made before a target replaces anything that they are made of."""

from __future__ import annotations

import functools


@functools.cache
def make_tables() -> None:
    """Build the tables by which Dynamo knows torch's functions (torch/_dynamo/trace_rules.py, variables/torch.py).

    They map function objects to how Dynamo treats them. Built inside a target they would hold its stand-ins for good.
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
