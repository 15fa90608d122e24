# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[64, 64], primals_2: f32[64, 64]):
    # <lambda>: lambda x, y: (torch.mm(x, y) + 1) * (torch.mm(x, y) - 1), torch.randn(64, 64), torch.randn(64, 64), train=True
    mm: f32[64, 64] = aten.mm.default(primals_1, primals_2)
    add: f32[64, 64] = aten.add.Tensor(mm, 1)
    sub: f32[64, 64] = aten.sub.Tensor(mm, 1)
    mul: f32[64, 64] = aten.mul.Tensor(add, sub)
    permute: f32[64, 64][1, 64] = aten.permute.default(primals_1, [1, 0])
    permute_1: f32[64, 64][1, 64] = aten.permute.default(primals_2, [1, 0])
    return (mul, mm, permute, permute_1)


def graph_0_backward(
    mm: f32[64, 64],
    permute: f32[64, 64][1, 64],
    permute_1: f32[64, 64][1, 64],
    tangents_1: f32[64, 64],
):
    # <lambda>: lambda x, y: (torch.mm(x, y) + 1) * (torch.mm(x, y) - 1), torch.randn(64, 64), torch.randn(64, 64), train=True
    add: f32[64, 64] = aten.add.Tensor(mm, 1)
    mul_1: f32[64, 64] = aten.mul.Tensor(tangents_1, add)
    sub: f32[64, 64] = aten.sub.Tensor(mm, 1)
    mul_2: f32[64, 64] = aten.mul.Tensor(tangents_1, sub)
    mm_2: f32[64, 64] = aten.mm.default(permute, mul_1)
    mm_3: f32[64, 64] = aten.mm.default(mul_1, permute_1)
    addmm_default_1: f32[64, 64] = aten.addmm.default(mm_3, mul_2, permute_1)
    addmm_default: f32[64, 64] = aten.addmm.default(mm_2, permute, mul_2)
    return (addmm_default_1, addmm_default)
