# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[512, 256], arg1_1: f32[256, 512]):
    # <lambda>: captured = compile_stages(lambda x, y: x + y.t(), torch.randn(256, 512), torch.randn(512, 256))
    permute: f32[256, 512][1, 256] = aten.permute.default(arg0_1, [1, 0])
    add: f32[256, 512] = aten.add.Tensor(arg1_1, permute)
    return (add,)
