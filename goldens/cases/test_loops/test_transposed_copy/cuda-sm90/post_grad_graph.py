# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[2048, 2048]):
    # <lambda>: captured = compile_stages(lambda x: x.t().contiguous(), torch.randn(2048, 2048))
    permute: f32[2048, 2048][1, 2048] = aten.permute.default(arg0_1, [1, 0])
    clone: f32[2048, 2048] = aten.clone.default(permute, memory_format=torch.contiguous_format)
    return (clone,)
