# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[1000, 256], primals_2: i64[8, 64]):
    embedding: f32[8, 64, 256] = aten.embedding.default(primals_1, primals_2)
    return (embedding, primals_2)


def graph_0_backward(primals_2: i64[8, 64], tangents_1: f32[8, 64, 256]):
    eq: b8[8, 64] = aten.eq.Scalar(primals_2, -1)
    unsqueeze: b8[8, 64, 1] = aten.unsqueeze.default(eq, -1)
    full_default: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    where: f32[8, 64, 256] = aten.where.self(unsqueeze, full_default, tangents_1)
    full_default_1: f32[1000, 256] = aten.full.default([1000, 256], 0, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    index_put: f32[1000, 256] = aten.index_put_.default(full_default_1, [primals_2], where, True)
    return (index_put, None)
