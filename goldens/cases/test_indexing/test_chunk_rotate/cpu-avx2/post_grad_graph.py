# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[2, 8, 128, 64], arg1_1: f32[128, 64], arg2_1: f32[128, 64]):
    # f: a, b = x.chunk(2, dim=-1)
    split = aten.split.Tensor(arg0_1, 32, -1)
    getitem: f32[2, 8, 128, 32][65536, 8192, 64, 1] = split[0]
    getitem_1: f32[2, 8, 128, 32][65536, 8192, 64, 1] = split[1]
    # f: return x * cos + torch.cat((-b, a), dim=-1) * sin
    mul: f32[2, 8, 128, 64] = aten.mul.Tensor(arg0_1, arg1_1)
    neg: f32[2, 8, 128, 32] = aten.neg.default(getitem_1)
    cat: f32[2, 8, 128, 64] = aten.cat.default([neg, getitem], -1)
    mul_1: f32[2, 8, 128, 64] = aten.mul.Tensor(cat, arg2_1)
    add: f32[2, 8, 128, 64] = aten.add.Tensor(mul, mul_1)
    return (add,)
