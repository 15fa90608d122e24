# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: f32[8, 64],
    primals_2,
    primals_3: f32[32, 64],
    primals_4,
    primals_5: f32[64, 32],
    primals_6,
):
    # forward: return self.down(F.relu(self.up(x)))
    all_gather_into_tensor: f32[32, 64] = _c10d_functional.all_gather_into_tensor.default(primals_1, 4, '0-3')
    wait_tensor: f32[32, 64] = _c10d_functional.wait_tensor.default(all_gather_into_tensor)
    permute: f32[64, 32][1, 64] = aten.permute.default(primals_3, [1, 0])
    mm: f32[32, 32] = aten.mm.default(wait_tensor, permute)
    relu: f32[32, 32] = aten.relu.default(mm)
    permute_1: f32[32, 64][1, 32] = aten.permute.default(primals_5, [1, 0])
    mm_1: f32[32, 64] = aten.mm.default(relu, permute_1)
    reduce_scatter_tensor: f32[8, 64] = _c10d_functional.reduce_scatter_tensor.default(mm_1, 'sum', 4, '0-3')
    wait_tensor_1: f32[8, 64] = _c10d_functional.wait_tensor.default(reduce_scatter_tensor)
    permute_6: f32[64, 32] = aten.permute.default(permute_1, [1, 0])
    return (wait_tensor_1, wait_tensor, relu, permute_6, primals_2)


def graph_0_backward(
    wait_tensor: f32[32, 64],
    relu: f32[32, 32],
    permute_6: f32[64, 32],
    primals_2,
    tangents_1: f32[8, 64],
):
    # forward: return self.down(F.relu(self.up(x)))
    all_gather_into_tensor_1: f32[32, 64] = _c10d_functional.all_gather_into_tensor.default(tangents_1, 4, '0-3')
    wait_tensor_2: f32[32, 64] = _c10d_functional.wait_tensor.default(all_gather_into_tensor_1)
    permute_3: f32[64, 32][1, 64] = aten.permute.default(wait_tensor_2, [1, 0])
    mm_3: f32[64, 32] = aten.mm.default(permute_3, relu)
    mm_5: f32[32, 32] = aten.mm.default(wait_tensor_2, permute_6)
    le: b8[32, 32] = aten.le.Scalar(relu, 0)
    full_default: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    where: f32[32, 32] = aten.where.self(le, full_default, mm_5)
    permute_9: f32[32, 32][1, 32] = aten.permute.default(where, [1, 0])
    mm_7: f32[32, 64] = aten.mm.default(permute_9, wait_tensor)
    return (None, None, mm_7, primals_2, mm_3, primals_2)
