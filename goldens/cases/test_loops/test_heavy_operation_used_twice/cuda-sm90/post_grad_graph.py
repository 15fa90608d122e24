# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64]):
    # <lambda>: captured = compile_stages(lambda x: (x.exp().flip(0), x.exp() + 1, x.exp().t() * 2), torch.randn(64, 64))
    exp: f32[64, 64] = aten.exp.default(arg0_1)
    rev: f32[64, 64] = prims.rev.default(exp, [0])
    exp_1: f32[64, 64] = aten.exp.default(arg0_1)
    add: f32[64, 64] = aten.add.Tensor(exp_1, 1)
    exp_2: f32[64, 64] = aten.exp.default(arg0_1)
    permute: f32[64, 64][1, 64] = aten.permute.default(exp_2, [1, 0])
    mul: f32[64, 64][1, 64] = aten.mul.Tensor(permute, 2)
    return (rev, add, mul)
