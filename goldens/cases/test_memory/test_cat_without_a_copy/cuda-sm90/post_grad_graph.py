# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128], arg1_1: f32[128, 96], arg2_1: f32[64, 32]):
    # f: return torch.cat([x @ weight, y.softmax(-1)], 1)
    mm: f32[64, 96] = aten.mm.default(arg0_1, arg1_1)
    prepare_softmax_online_default = prims.prepare_softmax_online.default(arg2_1, -1)
    getitem: f32[64, 1] = prepare_softmax_online_default[0]
    getitem_1: f32[64, 1] = prepare_softmax_online_default[1]
    sub_tensor: f32[64, 32] = aten.sub.Tensor(arg2_1, getitem)
    exp_default: f32[64, 32] = aten.exp.default(sub_tensor)
    div: f32[64, 32] = aten.div.Tensor(exp_default, getitem_1)
    cat: f32[64, 128] = aten.cat.default([mm, div], 1)
    return (cat,)
