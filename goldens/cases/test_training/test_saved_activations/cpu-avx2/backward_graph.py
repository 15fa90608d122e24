# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: backward_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_backward(
    mm: f32[128, 256],
    sum_1: f32[128, 1],
    permute: f32[256, 128][1, 256],
    permute_1: f32[256, 256][1, 256],
    tangents_1: f32[128, 256],
):
    # f: hidden = torch.tanh(x @ weight).cos()
    tanh: f32[128, 256] = aten.tanh.default(mm)
    cos: f32[128, 256] = aten.cos.default(tanh)
    # f: return (hidden * hidden.sum(-1, keepdim=True)).sin()
    mul: f32[128, 256] = aten.mul.Tensor(cos, sum_1)
    cos_1: f32[128, 256] = aten.cos.default(mul)
    mul_1: f32[128, 256] = aten.mul.Tensor(tangents_1, cos_1)
    mul_2: f32[128, 256] = aten.mul.Tensor(mul_1, cos)
    mul_3: f32[128, 256] = aten.mul.Tensor(mul_1, sum_1)
    sum_2: f32[128, 1] = aten.sum.dim_IntList(mul_2, [1], True)
    expand: f32[128, 256][1, 0] = aten.expand.default(sum_2, [128, 256])
    add: f32[128, 256] = aten.add.Tensor(mul_3, expand)
    # f: hidden = torch.tanh(x @ weight).cos()
    sin_1: f32[128, 256] = aten.sin.default(tanh)
    neg: f32[128, 256] = aten.neg.default(sin_1)
    mul_4: f32[128, 256] = aten.mul.Tensor(add, neg)
    mul_5: f32[128, 256] = aten.mul.Tensor(tanh, tanh)
    sub: f32[128, 256] = aten.sub.Tensor(1, mul_5)
    mul_6: f32[128, 256] = aten.mul.Tensor(mul_4, sub)
    mm_1: f32[256, 256] = aten.mm.default(permute, mul_6)
    mm_2: f32[128, 256] = aten.mm.default(mul_6, permute_1)
    return (mm_2, mm_1)
