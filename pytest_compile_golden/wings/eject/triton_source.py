"""Calls of the user's own Triton kernels: a graph refers to kernels and constants by number, a script contains them."""

from __future__ import annotations

from torch.fx import Node as FxNode

from pytest_compile_golden.torch_names import eject as names
from pytest_compile_golden.wings.eject.source import Source

NEEDED = (
    "import triton.runtime",
    "from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table",
    "from triton.backends.compiler import GPUTarget",
)
"""The imports of a script that calls kernels."""


def kernel_arguments(node: FxNode, source: Source) -> dict[str, str]:
    """The expressions that replace the numbers in a kernel call; empty for any other call. Raises CannotEject.

    The numbers are indices into a table that lasts as long as the process
    (torch/_higher_order_ops/triton_kernel_wrap.py: kernel_side_table).
    """
    if "kernel_idx" not in node.kwargs or "triton_kernel_wrapper" not in str(node.target):
        return {}
    kernel_side_table = names.KERNELS.get()
    kernel = kernel_side_table.get_kernel(int(str(node.kwargs["kernel_idx"])))
    constants = kernel_side_table.get_constant_args(int(str(node.kwargs["constant_args_idx"])))
    source.imports.update(dict.fromkeys(NEEDED))
    return {
        "kernel_idx": f"kernel_side_table.add_kernel({source.value(kernel)})",
        "constant_args_idx": f"kernel_side_table.add_constant_args({source.expression(constants)})",
    }
