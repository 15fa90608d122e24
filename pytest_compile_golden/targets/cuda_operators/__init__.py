"""The operators that only CUDA has, computed on the CPU.

attention_kernels: attention by the names of the kernels: of a batch, or of sequences that lie one after another
batch_normalization: batch norm in the steps that SyncBatchNorm takes, as a GPU computes them; all on the CPU
cudnn_operators: what a GPU leaves to cuDNN, computed on the CPU: convolutions, batch norm, sampling of grids, CTC loss
grouped_products: products of groups of float8 matrices with scales, which only CUDA has, computed on the CPU in float32
int4_products: products with weights of four bits, packed for the tensor cores (aten/src/ATen/native/cuda/int4mm.cu)
linear_algebra: what a GPU leaves to cuBLAS, cuFFT and cuSOLVER, computed on the CPU
recurrent_cells: the cells of recurrent networks, which a GPU fuses, computed on the CPU
semi_structured: matrices of which half of the numbers in each group of four is zero: pruned and multiplied
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch

from pytest_compile_golden.targets.cuda_operators import (
    attention_kernels,
    batch_normalization,
    cudnn_operators,
    grouped_products,
    int4_products,
    linear_algebra,
    recurrent_cells,
    semi_structured,
)
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import tensors

STAND_INS: dict[str, Callable[..., Any]] = {
    **cudnn_operators.STAND_INS,
    **grouped_products.STAND_INS,
    **int4_products.STAND_INS,
    **linear_algebra.STAND_INS,
    **batch_normalization.STAND_INS,
    **recurrent_cells.STAND_INS,
    **semi_structured.STAND_INS,
    **attention_kernels.STAND_INS,
}
"""Each takes those of the operator's arguments that it needs, by their names in its schema, or all with `**given`."""


pytree = tensors.PYTREE.get()
_CPU = torch.device("cpu")


def devices_on_cpu(tree: Any) -> Any:
    """A pytree with the CPU in place of each device in it."""
    return pytree.tree_map_only(torch.device, lambda device: _CPU, tree)


def on_cpu(func: Any) -> Callable[..., Any]:
    """`func`, or a function with the same arguments that computes on the CPU what `func` computes on a GPU."""
    if not isinstance(func, tensors.OPERATOR.get()):
        return func  # type: ignore[no-any-return]
    return _on_cpu(func)


@functools.cache
def _on_cpu(func: Any) -> Callable[..., Any]:
    name = func.name()
    if name in STAND_INS:
        stand_in = STAND_INS[name]
        taken = inspect.signature(stand_in).parameters
        every = any(
            parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()
        )
        declared = func._schema.arguments
        defaults = {
            argument.name: argument.default_value
            for argument in declared
            if argument.has_default_value()
        }

        def computed(*args: Any, **kwargs: Any) -> Any:
            positional = {
                argument.name: value
                for argument, value in zip(declared, args, strict=False)
            }
            given = {**defaults, **positional, **kwargs}
            return stand_in(
                **(given if every else {name: given[name] for name in taken})
            )

        return computed
    if name in linear_algebra.PRODUCTS:
        return linear_algebra.PRODUCTS[name]
    if not names.HAS_COMPUTED_KERNEL.get()(name, "CPU"):
        return names.DECOMPOSITIONS.get().get(func, func)  # type: ignore[no-any-return]
    return func  # type: ignore[no-any-return]
