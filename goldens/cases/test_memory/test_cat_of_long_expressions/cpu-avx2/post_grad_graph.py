# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 16], arg1_1: f32[64, 32], arg2_1: f32[64, 48]):
    # <listcomp>: return torch.cat([part.sin().exp().cos() for part in parts], 1) * 2
    sin: f32[64, 16] = aten.sin.default(arg0_1)
    exp: f32[64, 16] = aten.exp.default(sin)
    cos: f32[64, 16] = aten.cos.default(exp)
    sin_1: f32[64, 32] = aten.sin.default(arg1_1)
    exp_1: f32[64, 32] = aten.exp.default(sin_1)
    cos_1: f32[64, 32] = aten.cos.default(exp_1)
    sin_2: f32[64, 48] = aten.sin.default(arg2_1)
    exp_2: f32[64, 48] = aten.exp.default(sin_2)
    cos_2: f32[64, 48] = aten.cos.default(exp_2)
    # f: return torch.cat([part.sin().exp().cos() for part in parts], 1) * 2
    cat: f32[64, 96] = aten.cat.default([cos, cos_1, cos_2], 1)
    mul: f32[64, 96] = aten.mul.Tensor(cat, 2)
    return (mul,)
