"""Dynamic shapes, graph breaks and recompilations."""

import torch


def scaled(x):
    return (x * 2).softmax(-1).sum(0) + x.shape[0]


def test_dynamic_batch(compile_stages, golden):
    captured = compile_stages(scaled, torch.randn(32, 64), dynamic=True)
    assert captured.metrics.recompiles == 0
    assert captured == golden


def test_recompile_on_new_size(compile_stages, golden):
    captured = compile_stages(scaled, calls=[(torch.randn(32, 64),), (torch.randn(48, 64),)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden
    assert captured == golden


def test_graph_break(compile_stages, golden):
    def f(x):
        y = x.sin() * 2
        torch._dynamo.graph_break()
        return y.cos() + 1

    captured = compile_stages(f, torch.randn(64, 64))
    assert captured.metrics.graph_breaks == 1
    assert captured["graph_breaks"] == golden
    assert captured == golden


def test_branch_on_python_value(compile_stages, golden):
    def f(x, scale):
        return x * scale if scale > 1 else x + scale

    captured = compile_stages(f, torch.randn(64, 64), 2.0)
    assert captured["guards"] == golden
    assert captured == golden
