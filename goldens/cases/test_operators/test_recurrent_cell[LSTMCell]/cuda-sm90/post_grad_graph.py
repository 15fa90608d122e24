# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: f32[32, 64],
    primals_2: f32[32, 128],
    primals_3: f32[32, 128],
    primals_4: f32[512, 64],
    primals_5: f32[512, 128],
    primals_6: f32[512],
    primals_7: f32[512],
):
    permute: f32[64, 512][1, 64] = aten.permute.default(primals_4, [1, 0])
    mm: f32[32, 512] = aten.mm.default(primals_1, permute)
    permute_1: f32[128, 512][1, 128] = aten.permute.default(primals_5, [1, 0])
    mm_1: f32[32, 512] = aten.mm.default(primals_2, permute_1)
    _thnn_fused_lstm_cell = aten._thnn_fused_lstm_cell.default(mm, mm_1, primals_3, primals_6, primals_7)
    getitem: f32[32, 128] = _thnn_fused_lstm_cell[0]
    getitem_1: f32[32, 128] = _thnn_fused_lstm_cell[1]
    getitem_2: f32[32, 512] = _thnn_fused_lstm_cell[2]
    return (getitem, getitem_1, primals_1, primals_2, primals_3, getitem_1, getitem_2)


def graph_0_backward(
    primals_1: f32[32, 64],
    primals_2: f32[32, 128],
    primals_3: f32[32, 128],
    getitem_1: f32[32, 128],
    getitem_2: f32[32, 512],
    tangents_1: f32[32, 128],
    tangents_2: f32[32, 128],
):
    _thnn_fused_lstm_cell_backward_impl = aten._thnn_fused_lstm_cell_backward_impl.default(tangents_1, tangents_2, primals_3, getitem_1, getitem_2, True)
    getitem_3: f32[32, 512] = _thnn_fused_lstm_cell_backward_impl[0]
    getitem_5: f32[512] = _thnn_fused_lstm_cell_backward_impl[2]
    permute_2: f32[512, 32][1, 512] = aten.permute.default(getitem_3, [1, 0])
    mm_2: f32[512, 128] = aten.mm.default(permute_2, primals_2)
    mm_3: f32[512, 64] = aten.mm.default(permute_2, primals_1)
    return (None, None, None, mm_3, mm_2, getitem_5, getitem_5)
