"""A library's models: one graph for any length, recorded as CUDA graphs, on a GPU that is not there.

One layer of each architecture says what eighty do; weights take no memory.
"""

import pytest
import torch
import transformers

SMALL = {
    "num_hidden_layers": 1,
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_attention_heads": 4,
    "vocab_size": 1000,
}
MODELS = {
    "llama": transformers.LlamaConfig(**SMALL, num_key_value_heads=2),
    "qwen3": transformers.Qwen3Config(**SMALL, num_key_value_heads=2, head_dim=64),
}


@pytest.fixture(params=MODELS)
def model(request):
    made = transformers.AutoModel.from_config(MODELS[request.param], attn_implementation="sdpa")
    made.config.use_cache = False
    return made.eval()


def tokens(length):
    return (torch.zeros(2, length, dtype=torch.int64),)


@pytest.mark.parametrize("lengths", [(16, 48), (33, 50)], ids=["multiples_of_16", "others"])
def test_any_length(model, lengths, compile_stages):
    """Compiled once, without a graph break. Attention aligns its mask: lengths that need it are another compile."""
    captured = compile_stages(model, calls=[tokens(length) for length in lengths], dynamic=True)
    assert captured.metrics.graph_breaks == 0
    assert captured.metrics.recompiles == 0


def test_no_cuda_graph_is_skipped(model, compile_stages):
    captured = compile_stages(model, *tokens(16), mode="reduce-overhead")
    assert captured.metrics.graph_breaks == 0
    assert not captured["cudagraphs"].skipped
