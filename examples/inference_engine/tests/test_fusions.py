"""Each fusion happens wherever it can: the counts are functions of the number of layers, on each GPU.

They are checked at two depths, so that what holds for one and for two layers is known to hold for eighty.
"""

import pytest
import torch
from engine import passes
from engine.model import Config, Decoder
from engine.passes import PassManager

DEPTHS = (1, 2)


@pytest.fixture
def decoder(compile_stages):
    """Compiles a decoder of `layers` layers, with the engine's passes or with the given manager."""

    def compiled(layers, manager=None):
        config = Config(layers)
        tokens = torch.zeros(32, dtype=torch.int64)
        manager = manager or PassManager.of(config)
        options = {"post_grad_custom_post_pass": manager}
        return compile_stages(Decoder(config), tokens, tokens, config=options)

    return compiled


def test_fusions(decoder):
    for layers in DEPTHS:
        captured = decoder(layers)
        matches = captured["passes"].matches
        # Matches by part of the name: the first norm has nothing to add, and after the last one nothing reads the sum.
        assert matches("norm_quantize") == 2 * layers + 1
        assert matches("activation_quantize") == layers
        assert matches("norm_rotate") == layers
        assert matches("all_reduce_norm") == 2 * layers
        # Only Blackwell has an attention kernel that quantizes its output.
        attention = layers if captured.target == "cuda-sm100" else 0
        assert matches("attention_quantize") == attention
        graph = captured["post_grad_graph"]
        assert graph.count("engine.quantize") == layers - attention
        for alone in ("rms_norm", "add_rms_norm", "silu_and_mul", "quantize_rows", "rotate", "all_reduce"):
            assert not graph.has(f"engine.{alone}.default")


@pytest.mark.compile_golden(stages="+cache_key")
def test_one_graph_that_is_cached(decoder):
    """torch's caches identify the passes by their sources."""
    captured = decoder(2)
    assert captured.metrics.graphs == 1
    assert captured.metrics.graph_breaks == 0
    assert captured["cache_key"].cacheable


def test_a_pattern_of_splits_needs_splits(decoder, monkeypatch):
    """Scaling the query in place makes torch take all parts again: with splits until 2.14, with slices from 2.15 on.

    A manager that handles only splits silently loses this fusion on the newer version, and the model is slower. This
    test is how that shows.
    """
    monkeypatch.setattr(passes, "one_split_of_slices", lambda graph: None)
    slices = torch.__version__ >= "2.15"
    for layers in DEPTHS:
        assert decoder(layers)["passes"].matches("norm_rotate") == (0 if slices else layers)
