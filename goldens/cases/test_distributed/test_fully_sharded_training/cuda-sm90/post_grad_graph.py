# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[128, 64], primals_2: f32[32, 64], primals_3: f32[64, 128]):
    # forward: return self.down(F.relu(self.up(x)))
    permute: f32[64, 128][1, 64] = aten.permute.default(primals_1, [1, 0])
    mm: f32[32, 128] = aten.mm.default(primals_2, permute)
    relu: f32[32, 128] = aten.relu.default(mm)
    permute_1: f32[128, 64][1, 128] = aten.permute.default(primals_3, [1, 0])
    mm_1: f32[32, 64] = aten.mm.default(relu, permute_1)
    return (mm_1, primals_2, primals_3, relu)


def graph_0_backward(
    primals_2: f32[32, 64],
    primals_3: f32[64, 128],
    relu: f32[32, 128],
    tangents_1: f32[32, 64],
):
    # forward: return self.down(F.relu(self.up(x)))
    permute_2: f32[64, 32][1, 64] = aten.permute.default(tangents_1, [1, 0])
    mm_2: f32[64, 128] = aten.mm.default(permute_2, relu)
    permute_1: f32[128, 64][1, 128] = aten.permute.default(primals_3, [1, 0])
    permute_4: f32[64, 128] = aten.permute.default(permute_1, [1, 0])
    mm_3: f32[32, 128] = aten.mm.default(tangents_1, permute_4)
    le: b8[32, 128] = aten.le.Scalar(relu, 0)
    full_default: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    where: f32[32, 128] = aten.where.self(le, full_default, mm_3)
    permute_6: f32[128, 32][1, 128] = aten.permute.default(where, [1, 0])
    mm_4: f32[128, 64] = aten.mm.default(permute_6, primals_2)
    return (mm_4, None, mm_2)
