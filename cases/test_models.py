"""Blocks of real models."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pytest_compile_golden.typing import CompileStages, Golden


class GptBlock(nn.Module):
    def __init__(self, width: int = 256, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        split = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
        attended = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


def test_gpt_block(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(GptBlock().eval(), torch.randn(2, 128, 256))
    assert captured.metrics.graph_breaks == 0
    assert captured == golden


def test_gpt_block_training(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(GptBlock(), torch.randn(2, 128, 256), train=True)
    assert captured.metrics.graph_breaks == 0
    assert captured == golden


def test_llama_block(compile_stages: CompileStages, golden: Golden) -> None:
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRotaryEmbedding

    config = LlamaConfig(
        hidden_size=256,
        intermediate_size=512,
        num_attention_heads=4,
        num_key_value_heads=2,
        num_hidden_layers=1,
        vocab_size=1000,
        attn_implementation="sdpa",
    )
    layer = LlamaDecoderLayer(config, layer_idx=0).to(torch.bfloat16).eval()
    rotary = LlamaRotaryEmbedding(config)
    hidden = torch.randn(1, 64, 256, dtype=torch.bfloat16)
    positions = rotary(hidden, torch.arange(64).unsqueeze(0))
    captured = compile_stages(layer, hidden, kwargs={"position_embeddings": positions})
    assert captured.metrics.graph_breaks == 0
    assert captured == golden
