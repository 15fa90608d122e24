# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: backward_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_backward(
    primals_1: f32[64, 64],
    primals_2: f32[64, 64],
    primals_3: f32[64, 64],
    primals_4: f32[64, 64],
    primals_5: f32[64, 64],
    tangents_1: f32[64, 64],
):
    # f: x = torch.relu(x @ weight)
    mm: f32[64, 64] = aten.mm.default(primals_1, primals_2)
    relu: f32[64, 64] = aten.relu.default(mm)
    mm_1: f32[64, 64] = aten.mm.default(relu, primals_3)
    relu_1: f32[64, 64] = aten.relu.default(mm_1)
    mm_2: f32[64, 64] = aten.mm.default(relu_1, primals_4)
    relu_2: f32[64, 64] = aten.relu.default(mm_2)
    mm_3: f32[64, 64] = aten.mm.default(relu_2, primals_5)
    relu_3: f32[64, 64] = aten.relu.default(mm_3)
    le: b8[64, 64] = aten.le.Scalar(relu_3, 0)
    full_default: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    where: f32[64, 64] = aten.where.self(le, full_default, tangents_1)
    permute: f32[64, 64][1, 64] = aten.permute.default(relu_2, [1, 0])
    mm_4: f32[64, 64] = aten.mm.default(permute, where)
    permute_1: f32[64, 64][1, 64] = aten.permute.default(primals_5, [1, 0])
    mm_5: f32[64, 64] = aten.mm.default(where, permute_1)
    le_1: b8[64, 64] = aten.le.Scalar(relu_2, 0)
    where_1: f32[64, 64] = aten.where.self(le_1, full_default, mm_5)
    permute_2: f32[64, 64][1, 64] = aten.permute.default(relu_1, [1, 0])
    mm_6: f32[64, 64] = aten.mm.default(permute_2, where_1)
    permute_3: f32[64, 64][1, 64] = aten.permute.default(primals_4, [1, 0])
    mm_7: f32[64, 64] = aten.mm.default(where_1, permute_3)
    le_2: b8[64, 64] = aten.le.Scalar(relu_1, 0)
    where_2: f32[64, 64] = aten.where.self(le_2, full_default, mm_7)
    permute_4: f32[64, 64][1, 64] = aten.permute.default(relu, [1, 0])
    mm_8: f32[64, 64] = aten.mm.default(permute_4, where_2)
    permute_5: f32[64, 64][1, 64] = aten.permute.default(primals_3, [1, 0])
    mm_9: f32[64, 64] = aten.mm.default(where_2, permute_5)
    le_3: b8[64, 64] = aten.le.Scalar(relu, 0)
    where_3: f32[64, 64] = aten.where.self(le_3, full_default, mm_9)
    permute_6: f32[64, 64][1, 64] = aten.permute.default(primals_1, [1, 0])
    mm_10: f32[64, 64] = aten.mm.default(permute_6, where_3)
    permute_7: f32[64, 64][1, 64] = aten.permute.default(primals_2, [1, 0])
    mm_11: f32[64, 64] = aten.mm.default(where_3, permute_7)
    return (mm_11, mm_10, mm_8, mm_6, mm_4)
