# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4, 32, 16, 16], arg1_1: f32[4, 16, 16, 32]):
    # <lambda>: lambda x, y: (x.permute(0, 2, 3, 1) * y).contiguous(), torch.randn(4, 32, 16, 16), torch.randn(4, 16, 16, 32)
    permute: f32[4, 16, 16, 32][8192, 16, 1, 256] = aten.permute.default(arg0_1, [0, 2, 3, 1])
    mul: f32[4, 16, 16, 32][8192, 16, 1, 256] = aten.mul.Tensor(permute, arg1_1)
    clone: f32[4, 16, 16, 32] = aten.clone.default(mul, memory_format=torch.contiguous_format)
    return (clone,)
