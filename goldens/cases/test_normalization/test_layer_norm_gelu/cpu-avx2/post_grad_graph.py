# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[512, 1024], arg1_1: f32[1024], arg2_1: f32[1024]):
    # f: return F.gelu(F.layer_norm(x, (1024,), weight, bias))
    var_mean = aten.var_mean.correction(arg0_1, [1], correction=0, keepdim=True)
    getitem: f32[512, 1] = var_mean[0]
    getitem_1: f32[512, 1] = var_mean[1]
    sub: f32[512, 1024] = aten.sub.Tensor(arg0_1, getitem_1)
    add: f32[512, 1] = aten.add.Tensor(getitem, 1e-05)
    rsqrt: f32[512, 1] = aten.rsqrt.default(add)
    mul: f32[512, 1024] = aten.mul.Tensor(sub, rsqrt)
    mul_1: f32[512, 1024] = aten.mul.Tensor(mul, arg1_1)
    add_1: f32[512, 1024] = aten.add.Tensor(mul_1, arg2_1)
    mul_2: f32[512, 1024] = aten.mul.Tensor(add_1, 0.5)
    mul_3: f32[512, 1024] = aten.mul.Tensor(add_1, 0.7071067811865476)
    erf: f32[512, 1024] = aten.erf.default(mul_3)
    add_2: f32[512, 1024] = aten.add.Tensor(erf, 1)
    mul_4: f32[512, 1024] = aten.mul.Tensor(mul_2, add_2)
    return (mul_4,)
