# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(arg0_1: f32[256, 640]):
    # <lambda>: captured = compile_stages(lambda x: x / x.norm(dim=-1, keepdim=True), torch.randn(256, 640))
    pow_1: f32[256, 640] = aten.pow.Tensor_Scalar(arg0_1, 2)
    sum_1: f32[256, 1] = aten.sum.dim_IntList(pow_1, [1], True)
    pow_2: f32[256, 1] = aten.pow.Tensor_Scalar(sum_1, 0.5)
    div: f32[256, 640] = aten.div.Tensor(arg0_1, pow_2)
    return (div,)
