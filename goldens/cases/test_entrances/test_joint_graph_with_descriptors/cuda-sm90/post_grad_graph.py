# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[128, 32], primals_2: f32[64, 128]):
    mm: f32[64, 32] = aten.mm.default(primals_2, primals_1)
    relu: f32[64, 32] = aten.relu.default(mm)
    sum_1: f32[64] = aten.sum.dim_IntList(relu, [-1])
    return (sum_1, primals_2, relu)


def graph_0_backward(primals_2: f32[64, 128], alias: f32[64, 32], tangents_1: f32[64]):
    unsqueeze: f32[64, 1] = aten.unsqueeze.default(tangents_1, -1)
    expand: f32[64, 32][1, 0] = aten.expand.default(unsqueeze, [64, 32])
    le: b8[64, 32] = aten.le.Scalar(alias, 0)
    scalar_tensor: f32[()] = aten.scalar_tensor.default(0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'))
    where: f32[64, 32] = aten.where.self(le, scalar_tensor, expand)
    permute: f32[128, 64][1, 128] = aten.permute.default(primals_2, [1, 0])
    mm_1: f32[128, 32] = aten.mm.default(permute, where)
    return (mm_1, None)
