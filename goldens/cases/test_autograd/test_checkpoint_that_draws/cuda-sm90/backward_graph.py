# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: backward_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_backward(
    primals_1: f32[1, 2, 64, 64],
    primals_2: f32[64, 64],
    tangents_1: f32[1, 2, 64, 64][8192, 64, 128, 1],
    bwd_rng_state_0,
):
    # block: return F.scaled_dot_product_attention(x, x @ weight, x, dropout_p=0.1)
    view: f32[128, 64] = aten.view.default(primals_1, [128, 64])
    mm: f32[128, 64] = aten.mm.default(view, primals_2)
    view_1: f32[1, 2, 64, 64] = aten.view.default(mm, [1, 2, 64, 64])
    graphsafe_run_with_rng_state = higher_order.graphsafe_run_with_rng_state(aten._scaled_dot_product_efficient_attention.default, primals_1, view_1, primals_1, None, True, 0.1, rng_state=bwd_rng_state_0)
    getitem: f32[1, 2, 64, 64][8192, 64, 128, 1] = graphsafe_run_with_rng_state[0]
    getitem_1: f32[1, 2, 64] = graphsafe_run_with_rng_state[1]
    getitem_2: i64[()] = graphsafe_run_with_rng_state[2]
    getitem_3: i64[()] = graphsafe_run_with_rng_state[3]
    _scaled_dot_product_efficient_attention_backward = aten._scaled_dot_product_efficient_attention_backward.default(tangents_1, primals_1, view_1, primals_1, None, getitem, getitem_1, getitem_2, getitem_3, 0.1, [True, True, True, False])
    getitem_4: f32[1, 2, 64, 64][8192, 64, 128, 1] = _scaled_dot_product_efficient_attention_backward[0]
    getitem_5: f32[1, 2, 64, 64][8192, 64, 128, 1] = _scaled_dot_product_efficient_attention_backward[1]
    getitem_6: f32[1, 2, 64, 64][8192, 64, 128, 1] = _scaled_dot_product_efficient_attention_backward[2]
    add: f32[1, 2, 64, 64][8192, 64, 128, 1] = aten.add.Tensor(getitem_4, getitem_6)
    clone: f32[1, 2, 64, 64] = aten.clone.default(getitem_5, memory_format=torch.contiguous_format)
    view_2: f32[128, 64] = aten.view.default(clone, [128, 64])
    permute: f32[64, 128][1, 64] = aten.permute.default(view, [1, 0])
    mm_1: f32[64, 64] = aten.mm.default(permute, view_2)
    permute_1: f32[64, 64][1, 64] = aten.permute.default(primals_2, [1, 0])
    mm_2: f32[128, 64] = aten.mm.default(view_2, permute_1)
    view_3: f32[1, 2, 64, 64] = aten.view.default(mm_2, [1, 2, 64, 64])
    add_1: f32[1, 2, 64, 64][8192, 64, 128, 1] = aten.add.Tensor(add, view_3)
    return (add_1, mm_1)
