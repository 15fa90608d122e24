# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4, 8], arg1_1: f32[8, 8], arg2_1: f32[8]):
    # <lambda>: model.register_forward_pre_hook(lambda module, args: (args[0].sin(),))
    sin: f32[4, 8] = aten.sin.default(arg0_1)
    permute: f32[8, 8][1, 8] = aten.permute.default(arg1_1, [1, 0])
    addmm: f32[4, 8] = aten.addmm.default(arg2_1, sin, permute)
    # <lambda>: model.register_forward_hook(lambda module, args, out: out.cos())
    cos: f32[4, 8] = aten.cos.default(addmm)
    return (cos,)
