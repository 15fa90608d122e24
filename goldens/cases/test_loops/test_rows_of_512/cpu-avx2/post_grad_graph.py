# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[300, 512]):
    # <lambda>: captured = compile_stages(lambda x: (x - x.mean(-1, keepdim=True)).relu(), torch.randn(300, 512))
    mean: f32[300, 1] = aten.mean.dim(arg0_1, [-1], True)
    sub: f32[300, 512] = aten.sub.Tensor(arg0_1, mean)
    relu: f32[300, 512] = aten.relu.default(sub)
    return (relu,)
