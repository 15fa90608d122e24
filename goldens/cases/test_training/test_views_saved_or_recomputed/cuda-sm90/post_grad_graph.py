# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[32, 512], primals_2: f32[8, 64, 64]):
    # f: split = x.view(32, 8, 64).transpose(0, 1)
    view: f32[32, 8, 64] = aten.reshape.default(primals_1, [32, 8, 64])
    permute: f32[8, 32, 64][64, 512, 1] = aten.permute.default(view, [1, 0, 2])
    # f: return torch.bmm(split.exp(), weight).transpose(0, 1).reshape(32, -1).cos()
    exp: f32[8, 32, 64][64, 512, 1] = aten.exp.default(permute)
    bmm: f32[8, 32, 64] = aten.bmm.default(exp, primals_2)
    permute_1: f32[32, 8, 64][64, 2048, 1] = aten.permute.default(bmm, [1, 0, 2])
    clone: f32[32, 8, 64] = aten.clone.default(permute_1, memory_format=torch.contiguous_format)
    view_1: f32[32, 512] = aten.reshape.default(clone, [32, 512])
    cos: f32[32, 512] = aten.cos.default(view_1)
    permute_4: f32[8, 64, 64][4096, 1, 64] = aten.permute.default(primals_2, [0, 2, 1])
    return (cos, exp, bmm, permute_4)


def graph_0_backward(
    exp: f32[8, 32, 64][64, 512, 1],
    bmm: f32[8, 32, 64],
    permute_4: f32[8, 64, 64][4096, 1, 64],
    tangents_1: f32[32, 512],
):
    # f: return torch.bmm(split.exp(), weight).transpose(0, 1).reshape(32, -1).cos()
    permute_1: f32[32, 8, 64][64, 2048, 1] = aten.permute.default(bmm, [1, 0, 2])
    clone: f32[32, 8, 64] = aten.clone.default(permute_1, memory_format=torch.contiguous_format)
    view_1: f32[32, 512] = aten.reshape.default(clone, [32, 512])
    sin: f32[32, 512] = aten.sin.default(view_1)
    neg: f32[32, 512] = aten.neg.default(sin)
    mul: f32[32, 512] = aten.mul.Tensor(tangents_1, neg)
    view_2: f32[32, 8, 64] = aten.reshape.default(mul, [32, 8, 64])
    permute_2: f32[8, 32, 64][64, 512, 1] = aten.permute.default(view_2, [1, 0, 2])
    permute_3: f32[8, 64, 32][64, 1, 512] = aten.permute.default(exp, [0, 2, 1])
    bmm_1: f32[8, 64, 64] = aten.bmm.default(permute_3, permute_2)
    bmm_2: f32[8, 32, 64] = aten.bmm.default(permute_2, permute_4)
    mul_1: f32[8, 32, 64] = aten.mul.Tensor(bmm_2, exp)
    # f: split = x.view(32, 8, 64).transpose(0, 1)
    permute_5: f32[32, 8, 64][64, 2048, 1] = aten.permute.default(mul_1, [1, 0, 2])
    clone_1: f32[32, 8, 64] = aten.clone.default(permute_5, memory_format=torch.contiguous_format)
    view_3: f32[32, 512] = aten.reshape.default(clone_1, [32, 512])
    return (view_3, bmm_1)
