# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[128], arg1_1: f32[128], arg2_1: f32[128], arg3_1: f32[128]):
    # f: return torch._foreach_mul(torch._foreach_add(tensors, 1), 2)
    _foreach_add = aten._foreach_add.Scalar([arg0_1, arg1_1, arg2_1, arg3_1], 1)
    getitem: f32[128] = _foreach_add[0]
    getitem_1: f32[128] = _foreach_add[1]
    getitem_2: f32[128] = _foreach_add[2]
    getitem_3: f32[128] = _foreach_add[3]
    _foreach_mul = aten._foreach_mul.Scalar([getitem, getitem_1, getitem_2, getitem_3], 2)
    getitem_4: f32[128] = _foreach_mul[0]
    getitem_5: f32[128] = _foreach_mul[1]
    getitem_6: f32[128] = _foreach_mul[2]
    getitem_7: f32[128] = _foreach_mul[3]
    return (getitem_4, getitem_5, getitem_6, getitem_7)
