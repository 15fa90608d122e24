# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8, 16, 32]):
    # <lambda>: captured = compile_stages(lambda x: x.permute(2, 0, 1) * 2, torch.randn(8, 16, 32))
    permute: f32[32, 8, 16][1, 512, 32] = aten.permute.default(arg0_1, [2, 0, 1])
    mul: f32[32, 8, 16][1, 512, 32] = aten.mul.Tensor(permute, 2)
    return (mul,)
