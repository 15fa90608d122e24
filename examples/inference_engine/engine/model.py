"""An FP8 decoder under tensor parallelism, as it runs on one GPU."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.operators import FP8

ops = torch.ops.engine


@dataclass(frozen=True)
class Config:
    layers: int
    width: int = 256
    hidden: int = 512
    heads: int = 4
    key_heads: int = 1
    words: int = 1024

    @property
    def head(self) -> int:
        return self.width // self.heads

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Widths of query, key and value in the output of their common projection."""
        return self.width, self.key_heads * self.head, self.key_heads * self.head


class Linear(nn.Module):
    """A linear layer in FP8."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.register_buffer("weight", torch.empty(outputs, inputs, dtype=FP8))
        self.register_buffer("weight_scale", torch.ones(()))
        self.register_buffer("input_scale", torch.ones(()))

    def forward(self, x: Tensor, scale: Tensor | None = None) -> Tensor:
        """With `scale`, `x` is already quantized; without, it is quantized here."""
        if scale is None:
            x, scale = ops.quantize(x, self.input_scale), self.input_scale
        return ops.matmul(x, self.weight, scale, self.weight_scale)


class Layer(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.sizes, self.scale = list(config.sizes), config.head**-0.5
        self.attention_norm, self.mlp_norm = (_norm(config.width) for _ in range(2))
        self.query_norm, self.key_norm = (_norm(config.head) for _ in range(2))
        self.qkv, self.out = Linear(config.width, sum(config.sizes)), Linear(config.width, config.width)
        self.gate_up, self.down = Linear(config.width, 2 * config.hidden), Linear(config.hidden, config.width)

    def forward(self, x: Tensor, residual: Tensor | None, positions: Tensor, table: Tensor) -> tuple[Tensor, Tensor]:
        if residual is None:
            x, residual = ops.rms_norm(x, self.attention_norm), x
        else:
            x, residual = ops.add_rms_norm(x, residual, self.attention_norm)
        query, key, value = self.qkv(x).split(self.sizes, -1)
        query.mul_(self.scale)
        query, key = ops.rms_norm(query, self.query_norm), ops.rms_norm(key, self.key_norm)
        query, key = ops.rotate(positions, query, key, table)
        x = ops.all_reduce(self.out(ops.attention(query, key, value)))
        x, residual = ops.add_rms_norm(x, residual, self.mlp_norm)
        x = ops.silu_and_mul(self.gate_up(x))
        return ops.all_reduce(self.down(*ops.quantize_rows(x))), residual


class Decoder(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.words = nn.Embedding(config.words, config.width, dtype=torch.bfloat16)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm, self.head = _norm(config.width), Linear(config.width, config.words)
        self.register_buffer("table", torch.ones(4096, config.head, dtype=torch.bfloat16))

    def forward(self, tokens: Tensor, positions: Tensor) -> Tensor:
        x, residual = F.embedding(tokens, self.words.weight), None
        for layer in self.layers:
            x, residual = layer(x, residual, positions, self.table)
        x, _ = ops.add_rms_norm(x, residual, self.norm)
        return self.head(x)


def _norm(width: int) -> nn.Parameter:
    return nn.Parameter(torch.ones(width, dtype=torch.bfloat16))
