# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64]):
    # <lambda>: captured = compile_stages(lambda x: x**3 + x**0.5 + x**-2, torch.rand(64, 64))
    pow_1: f32[64, 64] = aten.pow.Tensor_Scalar(arg0_1, 3)
    pow_2: f32[64, 64] = aten.pow.Tensor_Scalar(arg0_1, 0.5)
    add: f32[64, 64] = aten.add.Tensor(pow_1, pow_2)
    pow_3: f32[64, 64] = aten.pow.Tensor_Scalar(arg0_1, -2)
    add_1: f32[64, 64] = aten.add.Tensor(add, pow_3)
    return (add_1,)
