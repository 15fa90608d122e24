# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 512], arg1_1: f32[()]):
    ge_scalar: b8[()] = aten.ge.Scalar(arg1_1, 0)
    scalar_tensor_default: f32[()] = aten.scalar_tensor.default(1, dtype=torch.float32, device=device('cpu'), pin_memory=False)
    neg_default: f32[()] = aten.neg.default(scalar_tensor_default)
    where_self: f32[()] = aten.where.self(ge_scalar, scalar_tensor_default, neg_default)
    mul_tensor: f32[64, 512] = aten.mul.Tensor(arg0_1, where_self)
    amax_default: f32[64, 1] = aten.amax.default(mul_tensor, [-1], True)
    sub_tensor: f32[64, 512] = aten.sub.Tensor(mul_tensor, amax_default)
    mul_tensor_1: f32[()] = aten.mul.Tensor(where_self, arg1_1)
    # <lambda>: captured = compile_stages(lambda x, scale: torch.softmax(x * scale, -1), torch.randn(64, 512), torch.ones(()))
    mul_tensor_2: f32[64, 512] = aten.mul.Tensor(sub_tensor, mul_tensor_1)
    exp: f32[64, 512] = aten.exp.default(mul_tensor_2)
    sum_1: f32[64, 1] = aten.sum.dim_IntList(exp, [-1], True)
    div: f32[64, 512] = aten.div.Tensor(exp, sum_1)
    return (div,)
