# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 16], arg1_1: f32[64, 32], arg2_1: f32[64, 48]):
    # <listcomp>: lambda *parts: torch.cat([part.sin() for part in parts], 1) * 2, *(torch.randn(64, 16 * n) for n in (1, 2, 3))
    sin: f32[64, 16] = aten.sin.default(arg0_1)
    sin_1: f32[64, 32] = aten.sin.default(arg1_1)
    sin_2: f32[64, 48] = aten.sin.default(arg2_1)
    # <lambda>: lambda *parts: torch.cat([part.sin() for part in parts], 1) * 2, *(torch.randn(64, 16 * n) for n in (1, 2, 3))
    cat: f32[64, 96] = aten.cat.default([sin, sin_1, sin_2], 1)
    mul: f32[64, 96] = aten.mul.Tensor(cat, 2)
    return (mul,)
