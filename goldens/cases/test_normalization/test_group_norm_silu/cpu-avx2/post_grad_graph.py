# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64], arg1_1: f32[64], arg2_1: f32[2, 64, 32, 32]):
    # <lambda>: captured = compile_stages(lambda x: F.silu(norm(x)), torch.randn(2, 64, 32, 32))
    view: f32[2, 8, 8, 1024] = aten.reshape.default(arg2_1, [2, 8, 8, 1024])
    var_mean = aten.var_mean.correction(view, [2, 3], correction=0, keepdim=True)
    getitem: f32[2, 8, 1, 1] = var_mean[0]
    getitem_1: f32[2, 8, 1, 1] = var_mean[1]
    add: f32[2, 8, 1, 1] = aten.add.Tensor(getitem, 1e-05)
    rsqrt: f32[2, 8, 1, 1] = aten.rsqrt.default(add)
    view_1: f32[1, 8, 8, 1] = aten.reshape.default(arg0_1, [1, 8, 8, 1])
    mul: f32[2, 8, 8, 1] = aten.mul.Tensor(rsqrt, view_1)
    as_strided: f32[2, 64] = aten.as_strided.default(mul, [2, 64], [64, 1])
    unsqueeze: f32[2, 64, 1] = aten.unsqueeze.default(as_strided, 2)
    unsqueeze_1: f32[2, 64, 1, 1] = aten.unsqueeze.default(unsqueeze, 3)
    mul_2: f32[2, 64, 32, 32] = aten.mul.Tensor(arg2_1, unsqueeze_1)
    neg: f32[2, 8, 1, 1] = aten.neg.default(getitem_1)
    mul_1: f32[2, 8, 8, 1] = aten.mul.Tensor(neg, mul)
    view_2: f32[1, 8, 8, 1] = aten.reshape.default(arg1_1, [1, 8, 8, 1])
    add_1: f32[2, 8, 8, 1] = aten.add.Tensor(mul_1, view_2)
    as_strided_1: f32[2, 64] = aten.as_strided.default(add_1, [2, 64], [64, 1])
    unsqueeze_2: f32[2, 64, 1] = aten.unsqueeze.default(as_strided_1, 2)
    unsqueeze_3: f32[2, 64, 1, 1] = aten.unsqueeze.default(unsqueeze_2, 3)
    add_2: f32[2, 64, 32, 32] = aten.add.Tensor(mul_2, unsqueeze_3)
    neg_1: f32[2, 64, 32, 32] = aten.neg.default(add_2)
    exp: f32[2, 64, 32, 32] = aten.exp.default(neg_1)
    add_3: f32[2, 64, 32, 32] = aten.add.Tensor(exp, 1)
    div: f32[2, 64, 32, 32] = aten.div.Tensor(add_2, add_3)
    return (div,)
