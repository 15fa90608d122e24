# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4, 128, 64]):
    # <lambda>: captured = compile_stages(lambda x: x.transpose(1, 2).contiguous() * 2, torch.randn(4, 128, 64))
    permute: f32[4, 64, 128][8192, 1, 64] = aten.permute.default(arg0_1, [0, 2, 1])
    clone: f32[4, 64, 128] = aten.clone.default(permute, memory_format=torch.contiguous_format)
    mul: f32[4, 64, 128] = aten.mul.Tensor(clone, 2)
    return (mul,)
