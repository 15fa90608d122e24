"""Calls of the user's own Triton kernels: a graph knows kernels and constants by number, a script by themselves."""

from __future__ import annotations

from torch.fx import Node as FxNode

from pytest_compile_golden.eject.source import Source

NEEDED = (
    "import triton.runtime",
    "from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table",
    "from triton.backends.compiler import GPUTarget",
)
"""What a script that calls kernels imports."""


def kernel_arguments(node: FxNode, source: Source) -> dict[str, str]:
    """For a call of a kernel what to write for its numbers; nothing for any other call. Raises CannotEject.

    The numbers are places in a table that lasts as long as the process (torch/_higher_order_ops/triton_kernel_wrap.py:
    kernel_side_table).
    """
    if "kernel_idx" not in node.kwargs or "triton_kernel_wrapper" not in str(node.target):
        return {}
    from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table

    kernel = kernel_side_table.get_kernel(int(str(node.kwargs["kernel_idx"])))
    constants = kernel_side_table.get_constant_args(int(str(node.kwargs["constant_args_idx"])))
    source.imports.update(dict.fromkeys(NEEDED))
    return {
        "kernel_idx": f"kernel_side_table.add_kernel({source.value(kernel)})",
        "constant_args_idx": f"kernel_side_table.add_constant_args({source.expression(constants)})",
    }
