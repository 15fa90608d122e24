# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[2, 4, 8, 8]):
    # <lambda>: captured = compile_stages(lambda x: getattr(F, name)(x, *arguments), torch.randn(2, 4, 8, 8))
    pow_1: f32[2, 4, 8, 8] = aten.pow.Tensor_Scalar(arg0_1, 2.0)
    avg_pool2d: f32[2, 4, 4, 4] = aten.avg_pool2d.default(pow_1, [2, 2])
    sign: f32[2, 4, 4, 4] = aten.sign.default(avg_pool2d)
    abs_1: f32[2, 4, 4, 4] = aten.abs.default(avg_pool2d)
    relu: f32[2, 4, 4, 4] = aten.relu.default(abs_1)
    mul: f32[2, 4, 4, 4] = aten.mul.Tensor(sign, relu)
    mul_1: f32[2, 4, 4, 4] = aten.mul.Tensor(mul, 4)
    pow_2: f32[2, 4, 4, 4] = aten.pow.Tensor_Scalar(mul_1, 0.5)
    return (pow_2,)
