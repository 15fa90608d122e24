# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 512]):
    div_tensor: f32[64, 512] = aten.div.Tensor(arg0_1, 0.7)
    eq_tensor: b8[64, 512] = aten.eq.Tensor(div_tensor, div_tensor)
    abs_default: f32[64, 512] = aten.abs.default(div_tensor)
    ne_scalar: b8[64, 512] = aten.ne.Scalar(abs_default, inf)
    mul_tensor_1: b8[64, 512] = aten.mul.Tensor(eq_tensor, ne_scalar)
    logical_not_default: b8[64, 512] = aten.logical_not.default(mul_tensor_1)
    any_dims: b8[64, 1] = aten.any.dims(logical_not_default, [-1], True)
    logical_not_default_1: b8[64, 1] = aten.logical_not.default(any_dims)
    mul_tensor: f32[64, 512] = aten.mul.Tensor(arg0_1, 1)
    amax_default: f32[64, 1] = aten.amax.default(mul_tensor, [-1], True)
    sub_tensor: f32[64, 512] = aten.sub.Tensor(mul_tensor, amax_default)
    div_tensor_1: f32[64, 512] = aten.div.Tensor(sub_tensor, 0.7)
    amax_default_1: f32[64, 1] = aten.amax.default(div_tensor, [-1], True)
    sub_tensor_1: f32[64, 512] = aten.sub.Tensor(div_tensor, amax_default_1)
    # <lambda>: captured = compile_stages(lambda x: torch.softmax(x / 0.7, -1), torch.randn(64, 512))
    where_self: f32[64, 512] = aten.where.self(logical_not_default_1, div_tensor_1, sub_tensor_1)
    exp: f32[64, 512] = aten.exp.default(where_self)
    sum_1: f32[64, 1] = aten.sum.dim_IntList(exp, [-1], True)
    div_1: f32[64, 512] = aten.div.Tensor(exp, sum_1)
    return (div_1,)
