"""Inductor's x86 int8 patterns: quantised weights and activations become oneDNN's int8 products."""

import pytest
import torch
from int8 import Mlp, quantised

pytestmark = pytest.mark.compile_golden(config={"freezing": True})


@pytest.fixture
def captured(compile_stages):
    return compile_stages(quantised(Mlp(64, 128)), torch.randn(32, 64))


def test_products_are_int8(captured):
    """Two layers, two products in int8, and the activation of the first is done there too."""
    assert str(captured["wrapper_code"]).count("torch.ops.onednn.qlinear_pointwise") == 2
    graph = captured["post_grad_graph"]
    assert not graph.has("aten.mm") and not graph.has("aten.addmm")


def test_nothing_is_left_in_float(captured):
    """No weight is converted back to float, as it is when a pattern does not match."""
    assert captured["passes"].matches("qlinear") >= 2
    assert captured.metrics.extern_kernels == 2
