"""The engine's operators: schemas and fake implementations, which are all that compiling needs.

Their kernels would be a CUDA library. Each operator in the second half does the work of two or three in the first half.
"""

import torch
from torch import Tensor

FP8 = torch.float8_e4m3fn

_library = torch.library.Library("engine", "DEF")

_SCHEMAS = """
rms_norm(Tensor x, Tensor weight) -> Tensor
add_rms_norm(Tensor x, Tensor residual, Tensor weight) -> (Tensor, Tensor)
silu_and_mul(Tensor x) -> Tensor
quantize(Tensor x, Tensor scale) -> Tensor
quantize_rows(Tensor x) -> (Tensor, Tensor)
matmul(Tensor x, Tensor weight, Tensor x_scale, Tensor weight_scale) -> Tensor
rotate(Tensor positions, Tensor query, Tensor key, Tensor table) -> (Tensor, Tensor)
attention(Tensor query, Tensor key, Tensor value) -> Tensor
all_reduce(Tensor x) -> Tensor
rms_norm_quantize(Tensor x, Tensor weight, Tensor scale) -> Tensor
add_rms_norm_quantize(Tensor x, Tensor residual, Tensor weight, Tensor scale) -> (Tensor, Tensor)
silu_and_mul_quantize_rows(Tensor x) -> (Tensor, Tensor)
norm_rotate(Tensor qkv, Tensor query_weight, Tensor key_weight, Tensor positions, Tensor table, int[] sizes) -> Tensor[]
attention_quantize(Tensor query, Tensor key, Tensor value, Tensor scale) -> Tensor
all_reduce_add_rms_norm_quantize(Tensor x, Tensor residual, Tensor weight, Tensor scale) -> (Tensor, Tensor)
"""

for schema in _SCHEMAS.strip().splitlines():
    _library.define(schema)


def _fp8(x: Tensor) -> Tensor:
    return torch.empty_like(x, dtype=FP8)


def _half(x: Tensor) -> Tensor:
    return x.new_empty(*x.shape[:-1], x.shape[-1] // 2)


def _rows(x: Tensor) -> tuple[Tensor, Tensor]:
    return _fp8(x), x.new_empty(*x.shape[:-1], 1, dtype=torch.float32)


_FAKES = {
    # Over the last dimension, or over each head if the weight has the size of a head.
    "rms_norm": lambda x, weight: torch.empty_like(x),
    "add_rms_norm": lambda x, residual, weight: (torch.empty_like(x), torch.empty_like(x)),
    "silu_and_mul": _half,
    "quantize": lambda x, scale: _fp8(x),
    "quantize_rows": _rows,
    "matmul": lambda x, weight, x_scale, weight_scale: x.new_empty(x.shape[0], weight.shape[0], dtype=torch.bfloat16),
    "rotate": lambda positions, query, key, table: (torch.empty_like(query), torch.empty_like(key)),
    "attention": lambda query, key, value: torch.empty_like(query),
    "all_reduce": torch.empty_like,
    "rms_norm_quantize": lambda x, weight, scale: _fp8(x),
    "add_rms_norm_quantize": lambda x, residual, weight, scale: (_fp8(x), torch.empty_like(x)),
    "silu_and_mul_quantize_rows": lambda x: _rows(_half(x)),
    "norm_rotate": lambda qkv, query_weight, key_weight, positions, table, sizes: [
        qkv.new_empty(qkv.shape[0], size) for size in sizes
    ],
    "attention_quantize": lambda query, key, value, scale: _fp8(query),
    "all_reduce_add_rms_norm_quantize": lambda x, residual, weight, scale: (_fp8(x), torch.empty_like(x)),
}

for name, fake in _FAKES.items():
    torch.library.register_fake(f"engine::{name}", fake, lib=_library)
