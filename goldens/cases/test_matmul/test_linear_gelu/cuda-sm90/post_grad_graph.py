# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[256, 512], arg1_1: f32[2048, 512], arg2_1: f32[2048]):
    # f: return F.gelu(F.linear(x, weight, bias))
    permute: f32[512, 2048][1, 512] = aten.permute.default(arg1_1, [1, 0])
    mm_default: f32[256, 2048] = aten.mm.default(arg0_1, permute)
    add_tensor: f32[256, 2048] = aten.add.Tensor(arg2_1, mm_default)
    mul: f32[256, 2048] = aten.mul.Tensor(add_tensor, 0.5)
    mul_1: f32[256, 2048] = aten.mul.Tensor(add_tensor, 0.7071067811865476)
    erf: f32[256, 2048] = aten.erf.default(mul_1)
    add: f32[256, 2048] = aten.add.Tensor(erf, 1)
    mul_2: f32[256, 2048] = aten.mul.Tensor(mul, add)
    return (mul_2,)
