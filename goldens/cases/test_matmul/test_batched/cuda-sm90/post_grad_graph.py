# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8, 128, 64], arg1_1: f32[8, 64, 128]):
    # <lambda>: captured = compile_stages(lambda x, y: (x @ y).relu(), torch.randn(8, 128, 64), torch.randn(8, 64, 128))
    expand: f32[8, 128, 64] = aten.expand.default(arg0_1, [8, 128, 64])
    expand_1: f32[8, 64, 128] = aten.expand.default(arg1_1, [8, 64, 128])
    bmm: f32[8, 128, 128] = aten.bmm.default(expand, expand_1)
    relu: f32[8, 128, 128] = aten.relu.default(bmm)
    return (relu,)
