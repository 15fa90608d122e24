# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: f32[32, 64],
    primals_2,
    primals_3: f32[32, 64],
    primals_4,
    primals_5: f32[64, 32],
    primals_6,
):
    # forward: return self.down(F.relu(self.up(x)))
    permute: f32[64, 32][1, 64] = aten.permute.default(primals_3, [1, 0])
    mm: f32[32, 32] = aten.mm.default(primals_1, permute)
    relu: f32[32, 32] = aten.relu.default(mm)
    permute_1: f32[32, 64][1, 32] = aten.permute.default(primals_5, [1, 0])
    mm_1: f32[32, 64] = aten.mm.default(relu, permute_1)
    all_reduce: f32[32, 64] = _c10d_functional.all_reduce_.default(mm_1, 'sum', '0-3')
    wait_tensor: f32[32, 64] = _c10d_functional.wait_tensor.default(all_reduce)
    permute_6: f32[64, 32] = aten.permute.default(permute_1, [1, 0])
    return (wait_tensor, primals_1, relu, permute_6, primals_2)


def graph_0_backward(
    primals_1: f32[32, 64],
    relu: f32[32, 32],
    permute_6: f32[64, 32],
    primals_2,
    tangents_1: f32[32, 64],
):
    # forward: return self.down(F.relu(self.up(x)))
    permute_3: f32[64, 32][1, 64] = aten.permute.default(tangents_1, [1, 0])
    mm_3: f32[64, 32] = aten.mm.default(permute_3, relu)
    mm_5: f32[32, 32] = aten.mm.default(tangents_1, permute_6)
    le: b8[32, 32] = aten.le.Scalar(relu, 0)
    full_default: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    where: f32[32, 32] = aten.where.self(le, full_default, mm_5)
    permute_9: f32[32, 32][1, 32] = aten.permute.default(where, [1, 0])
    mm_7: f32[32, 64] = aten.mm.default(permute_9, primals_1)
    return (None, None, mm_7, primals_2, mm_3, primals_2)
