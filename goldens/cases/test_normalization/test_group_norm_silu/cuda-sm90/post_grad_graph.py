# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64], arg1_1: f32[64], arg2_1: f32[2, 64, 32, 32]):
    # <lambda>: captured = compile_stages(lambda x: F.silu(norm(x)), torch.randn(2, 64, 32, 32))
    view: f32[2, 8, 8, 1024] = aten.reshape.default(arg2_1, [2, 8, 8, 1024])
    var_mean = aten.var_mean.correction(view, [2, 3], correction=0, keepdim=True)
    getitem: f32[2, 8, 1, 1] = var_mean[0]
    getitem_1: f32[2, 8, 1, 1] = var_mean[1]
    sub: f32[2, 8, 8, 1024] = aten.sub.Tensor(view, getitem_1)
    add: f32[2, 8, 1, 1] = aten.add.Tensor(getitem, 1e-05)
    rsqrt: f32[2, 8, 1, 1] = aten.rsqrt.default(add)
    mul: f32[2, 8, 8, 1024] = aten.mul.Tensor(sub, rsqrt)
    view_1: f32[2, 64, 32, 32] = aten.reshape.default(mul, [2, 64, 32, 32])
    unsqueeze: f32[1, 64] = aten.unsqueeze.default(arg0_1, 0)
    unsqueeze_1: f32[1, 64, 1] = aten.unsqueeze.default(unsqueeze, 2)
    unsqueeze_2: f32[1, 64, 1, 1] = aten.unsqueeze.default(unsqueeze_1, 3)
    mul_1: f32[2, 64, 32, 32] = aten.mul.Tensor(view_1, unsqueeze_2)
    unsqueeze_3: f32[1, 64] = aten.unsqueeze.default(arg1_1, 0)
    unsqueeze_4: f32[1, 64, 1] = aten.unsqueeze.default(unsqueeze_3, 2)
    unsqueeze_5: f32[1, 64, 1, 1] = aten.unsqueeze.default(unsqueeze_4, 3)
    add_1: f32[2, 64, 32, 32] = aten.add.Tensor(mul_1, unsqueeze_5)
    neg: f32[2, 64, 32, 32] = aten.neg.default(add_1)
    exp: f32[2, 64, 32, 32] = aten.exp.default(neg)
    add_2: f32[2, 64, 32, 32] = aten.add.Tensor(exp, 1)
    div: f32[2, 64, 32, 32] = aten.div.Tensor(add_1, add_2)
    return (div,)
