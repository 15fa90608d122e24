# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[1000, 256], primals_2: i64[8, 64]):
    embedding: f32[8, 64, 256] = aten.embedding.default(primals_1, primals_2)
    return (embedding, primals_2)


def graph_0_backward(primals_2: i64[8, 64], tangents_1: f32[8, 64, 256]):
    ge: b8[8, 64] = aten.ge.Scalar(primals_2, 0)
    lt: b8[8, 64] = aten.lt.Scalar(primals_2, 1000)
    bitwise_and: b8[8, 64] = aten.bitwise_and.Tensor(ge, lt)
    ne: b8[8, 64] = aten.ne.Scalar(primals_2, -1)
    bitwise_and_1: b8[8, 64] = aten.bitwise_and.Tensor(bitwise_and, ne)
    unsqueeze: b8[8, 64, 1] = aten.unsqueeze.default(bitwise_and_1, -1)
    full_default: f32[1000, 256] = aten.full.default([1000, 256], 0, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    _unsafe_masked_index_put_accumulate: f32[1000, 256] = aten._unsafe_masked_index_put_accumulate.default(full_default, unsqueeze, [primals_2], tangents_1)
    return (_unsafe_masked_index_put_accumulate, None)
