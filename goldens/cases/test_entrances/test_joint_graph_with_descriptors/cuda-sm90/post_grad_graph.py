# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[128, 32], primals_2: f32[64, 128]):
    mm: f32[64, 32] = aten.mm.default(primals_2, primals_1)
    sin: f32[64, 32] = aten.sin.default(mm)
    sum_1: f32[64] = aten.sum.dim_IntList(sin, [-1])
    return (sum_1, primals_2, mm)


def graph_0_backward(primals_2: f32[64, 128], mm: f32[64, 32], tangents_1: f32[64]):
    unsqueeze: f32[64, 1] = aten.unsqueeze.default(tangents_1, -1)
    expand: f32[64, 32][1, 0] = aten.expand.default(unsqueeze, [64, 32])
    cos: f32[64, 32] = aten.cos.default(mm)
    mul: f32[64, 32] = aten.mul.Tensor(expand, cos)
    permute: f32[128, 64][1, 128] = aten.permute.default(primals_2, [1, 0])
    mm_1: f32[128, 32] = aten.mm.default(permute, mul)
    return (mm_1, None)
