# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[2, 8, 16, 16]):
    # <lambda>: captured = compile_stages(lambda x: F.avg_pool2d(x, 3, 1, 1), torch.randn(2, 8, 16, 16), train=True)
    avg_pool2d: f32[2, 8, 16, 16] = aten.avg_pool2d.default(primals_1, [3, 3], [1, 1], [1, 1])
    return (avg_pool2d, primals_1)


def graph_0_backward(primals_1: f32[2, 8, 16, 16], tangents_1: f32[2, 8, 16, 16]):
    # <lambda>: captured = compile_stages(lambda x: F.avg_pool2d(x, 3, 1, 1), torch.randn(2, 8, 16, 16), train=True)
    avg_pool2d_backward: f32[2, 8, 16, 16] = aten.avg_pool2d_backward.default(tangents_1, primals_1, [3, 3], [1, 1], [1, 1], False, True, None)
    return (avg_pool2d_backward,)
