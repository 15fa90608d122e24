# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: f32[32, 64],
    primals_2: f32[32, 128],
    primals_3: f32[384, 64],
    primals_4: f32[384, 128],
    primals_5: f32[384],
    primals_6: f32[384],
):
    permute: f32[64, 384][1, 64] = aten.permute.default(primals_3, [1, 0])
    mm: f32[32, 384] = aten.mm.default(primals_1, permute)
    permute_1: f32[128, 384][1, 128] = aten.permute.default(primals_4, [1, 0])
    mm_1: f32[32, 384] = aten.mm.default(primals_2, permute_1)
    _thnn_fused_gru_cell = aten._thnn_fused_gru_cell.default(mm, mm_1, primals_2, primals_5, primals_6)
    getitem: f32[32, 128] = _thnn_fused_gru_cell[0]
    getitem_1: f32[32, 640] = _thnn_fused_gru_cell[1]
    return (getitem, primals_1, primals_2, getitem_1)


def graph_0_backward(
    primals_1: f32[32, 64],
    primals_2: f32[32, 128],
    getitem_1: f32[32, 640],
    tangents_1: f32[32, 128],
):
    _thnn_fused_gru_cell_backward = aten._thnn_fused_gru_cell_backward.default(tangents_1, getitem_1, True)
    getitem_2: f32[32, 384] = _thnn_fused_gru_cell_backward[0]
    getitem_3: f32[32, 384] = _thnn_fused_gru_cell_backward[1]
    getitem_5: f32[384] = _thnn_fused_gru_cell_backward[3]
    getitem_6: f32[384] = _thnn_fused_gru_cell_backward[4]
    permute_2: f32[384, 32][1, 384] = aten.permute.default(getitem_3, [1, 0])
    mm_2: f32[384, 128] = aten.mm.default(permute_2, primals_2)
    permute_5: f32[384, 32][1, 384] = aten.permute.default(getitem_2, [1, 0])
    mm_3: f32[384, 64] = aten.mm.default(permute_5, primals_1)
    return (None, None, mm_3, mm_2, getitem_5, getitem_6)
