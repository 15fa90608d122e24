# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128], arg1_1: f32[64, 128]):
    # <lambda>: captured = compile_stages(lambda x, y: ((x > 0) & (y < 1)).any(-1), torch.randn(64, 128), torch.randn(64, 128))
    gt: b8[64, 128] = aten.gt.Scalar(arg0_1, 0)
    lt: b8[64, 128] = aten.lt.Scalar(arg1_1, 1)
    bitwise_and: b8[64, 128] = aten.bitwise_and.Tensor(gt, lt)
    any_1: b8[64] = aten.any.dim(bitwise_and, -1)
    return (any_1,)
