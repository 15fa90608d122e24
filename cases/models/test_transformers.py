"""Whole models from transformers, as wide as their configurations make them, with one layer and with two.

Each layer costs the same, so counts are `a + b * layers`: `b` is the cost of one layer, and `a` the cost of the model
around them. Where a version of torch changed a count, both are listed. There are no goldens, because a release of
transformers would change them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest
import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, LlamaConfig, LlamaForCausalLM, StaticCache

from pytest_compile_golden import Capture
from pytest_compile_golden.typing import CompileStages

pytestmark = pytest.mark.compile_golden(target="cuda-sm90")

ATTENTION = "aten._scaled_dot_product_cudnn_attention"


Line: TypeAlias = tuple[int, int]
"""`(a, b)` is `a + b * layers`."""
Count: TypeAlias = "Line | dict[str, Line]"
"""A line, or one for each version of torch that changed it, valid from that version on."""


@dataclass(frozen=True)
class Model:
    """A type of model and its counts."""

    name: str
    kernels: Count
    extern_kernels: Count
    attention: Count = (0, 1)
    """Calls to cuDNN's attention."""
    depth: Callable[[int], dict[str, Any]] = lambda layers: {"num_hidden_layers": layers}
    """The options of its configuration that set the number of layers."""


def encoder_and_decoder(layers: int) -> dict[str, Any]:
    return {"encoder_layers": layers, "decoder_layers": layers}


def first_stage(**others: Any) -> Callable[[int], dict[str, Any]]:
    return lambda layers: {"depths": [layers], **others}


MODELS = [
    # Text, bidirectional.
    Model("albert", (2, 3), (2, 7)),
    Model("bert", (2, 3), (1, 7)),
    # Its scores have distance terms, which no library has an argument for.
    Model("deberta-v2", (1, 8), (0, 8), (0, 0)),
    Model("distilbert", (1, 3), (0, 7)),
    Model("electra", (1, 3), (1, 7)),
    # No kernels besides the layers': the norm after the embeddings replaces the first layer's own, which is missing.
    Model("modernbert", (0, 5), (0, 5)),
    Model("roformer", (1, 5), (0, 7)),
    # Text, autoregressive.
    # Query, key and value are projected from a smaller latent. None of its first layers has experts.
    Model("deepseek_v3", {"2.12": (5, 10), "2.15": (5, 11)}, (0, 9)),
    # One key and one value for all heads, which cuDNN's attention accepts since 2.15.
    Model(
        "falcon", {"2.12": (1, 7), "2.15": (1, 6)}, {"2.12": (0, 6), "2.15": (0, 5)}, {"2.12": (0, 0), "2.15": (0, 1)}
    ),
    # Where it knows the clock rates of the card, 2.15 fuses two kernels of a layer that older ones leave apart.
    Model("gemma3_text", {"2.12": (5, 8), "2.14": (5, 7), "2.15": (5, 6)}, (0, 8)),
    # One matmul computes query, key and value.
    Model("gpt2", (5, 3), (0, 5)),
    Model("gpt_neox", (5, 4), (0, 5)),
    Model("llama", (5, 5), (0, 8)),
    # Its norms come after attention and matmuls, not before them.
    Model("olmo2", {"2.12": (5, 5), "2.14": (5, 4)}, (0, 8)),
    Model("opt", (1, 4), (0, 7)),
    Model("phi3", (5, 4), (0, 5)),
    # Query and key have norms, into which their RoPE is fused.
    Model("qwen3", (5, 4), (0, 8)),
    # No library's attention supports how these scores are biased or capped: two more matmuls, and the softmax.
    Model("bloom", (2, 5), (0, 6), (0, 0)),
    Model("gemma2", (1, 10), (0, 9), (0, 0)),
    Model("mpt", (1, 5), (0, 6), (0, 0)),
    # With experts.
    Model("gpt_oss", {"2.12": (1, 13), "2.13": (1, 14), "2.14": (1, 13)}, (0, 11), (0, 0)),
    Model("mixtral", (5, 10), (0, 10)),
    # A state that each token updates, and no attention.
    Model("mamba", (1, 5), (0, 6), (0, 0)),
    Model("mamba2", (-1, 16), (0, 8), (0, 0)),
    # Text to text: the decoder's layers attend twice.
    Model("bart", (1, 7), (0, 19), (0, 3), encoder_and_decoder),
    Model("t5", (2, 8), (0, 19), (0, 3), lambda layers: {"num_layers": layers, "num_decoder_layers": layers}),
    # Images.
    Model("beit", (6, 3), (1, 7)),
    Model("dinov2", (3, 3), (1, 7)),
    Model("dinov3_vit", (4, 5), (1, 7)),
    # Only the first stage of models that have stages.
    Model("convnext", (6, 3), (1, 3), (0, 0), first_stage(num_stages=1, hidden_sizes=[96])),
    Model("resnet", (4, 4), (2, 3), (0, 0), first_stage()),
    Model("segformer", (2, 6), (1, 9), depth=first_stage(num_encoder_blocks=1)),
    # The pooling at the end also attends.
    Model("siglip_vision_model", (9, 3), (7, 7), (1, 1)),
    # The patches are computed by a convolution.
    Model("vit", (4, 3), (2, 7)),
    # Audio.
    Model("audio-spectrogram-transformer", (3, 3), (1, 7)),
    Model("wav2vec2", (16, 3), (9, 7)),
    Model("whisper", (11, 19), (2, 19), (0, 3), encoder_and_decoder),
]


def of(name: str) -> Model:
    return next(model for model in MODELS if model.name == name)


def make(model: Model, layers: int) -> nn.Module:
    config = AutoConfig.for_model(model.name, use_cache=False, **model.depth(layers))
    return AutoModel.from_config(config, dtype=torch.bfloat16).eval()


def inputs_of(module: nn.Module) -> dict[str, Tensor]:
    """128 tokens, one image, one second of audio, or as much of a spectrogram as the model accepts."""
    name, config = module.main_input_name, module.config
    tokens = torch.randint(0, 1000, (1, min(128, getattr(config, "max_position_embeddings", 128))))
    if name == "pixel_values":
        inputs = {name: torch.randn(1, 3, 224, 224, dtype=torch.bfloat16)}
    elif name == "input_features":
        inputs = {name: torch.randn(1, config.num_mel_bins, 2 * config.max_source_positions, dtype=torch.bfloat16)}
    elif hasattr(config, "num_mel_bins"):
        inputs = {name: torch.randn(1, config.max_length, config.num_mel_bins, dtype=torch.bfloat16)}
    elif name == "input_values":
        inputs = {name: torch.randn(1, 16000, dtype=torch.bfloat16)}
    else:
        inputs = {name: tokens}
    return {**inputs, "decoder_input_ids": tokens} if config.is_encoder_decoder else inputs


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_forward(model: Model, compile_stages: CompileStages) -> None:
    for layers in (1, 2):
        module = make(model, layers)
        captured = compile_stages(module, kwargs=inputs_of(module))
        metrics = captured.metrics
        assert metrics.graph_breaks == 0
        assert metrics.kernels == on_line(model.kernels, layers)
        assert metrics.extern_kernels == on_line(model.extern_kernels, layers)
        assert captured["post_grad_graph"].count(ATTENTION) == on_line(model.attention, layers)


def on_line(count: Count, layers: int) -> int:
    """The value of `count` for this number of layers, on this version of torch."""
    lines = count if isinstance(count, dict) else {"0": count}
    *_, (base, of_a_layer) = (line for since, line in lines.items() if torch.__version__ >= since)
    return base + of_a_layer * layers


def test_training(compile_stages: CompileStages) -> None:
    """Each layer attends once forward and once backward."""
    for layers in (1, 2):
        module = make(of("bert"), layers).train()
        captured = compile_stages(module, kwargs=inputs_of(module), train=True)
        assert captured.metrics.graph_breaks == 0
        # 2.15 uses another library's attention for a mask that needs a gradient.
        for graph in ("forward_graph", "backward_graph"):
            calls = {name: times for name, times in captured[graph].operators.items() if "_scaled_dot_product" in name}
            assert sum(calls.values()) == layers


def test_any_length(compile_stages: CompileStages) -> None:
    """One compilation serves sequences of any length and batches of any size."""
    module = make(of("gpt2"), layers=2)
    calls = [(torch.randint(0, 1000, shape),) for shape in ((2, 128), (3, 200))]
    captured = compile_stages(module, calls=calls, dynamic=True)
    assert captured.metrics.graph_breaks == 0
    assert captured.metrics.recompiles == 0


def test_decoding(compile_stages: CompileStages) -> None:
    """A decoding step with a static cache writes each layer's key and value in place."""
    for layers in (1, 2):
        captured = decode(layers, compile_stages)
        assert captured.metrics.graph_breaks == 0
        assert captured["post_grad_graph"].count("aten.index_put_") == 2 * layers
        assert captured["post_grad_graph"].count(ATTENTION) == layers


def decode(layers: int, compile_stages: CompileStages) -> Capture:
    config = LlamaConfig(num_hidden_layers=layers)
    module = LlamaForCausalLM(config).to(torch.bfloat16).eval()
    cache = StaticCache(config=config, max_cache_len=256)
    heads, size = config.num_key_value_heads, config.head_dim
    cache.early_initialization(batch_size=1, num_heads=heads, head_dim=size, dtype=torch.bfloat16, device=module.device)
    place = torch.tensor([100])
    step = {"input_ids": torch.randint(0, 1000, (1, 1)), "position_ids": place.unsqueeze(0), "cache_position": place}
    return compile_stages(module, kwargs={**step, "past_key_values": cache})
