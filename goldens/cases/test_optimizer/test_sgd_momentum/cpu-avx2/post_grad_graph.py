# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: f32[64, 64],
    arg1_1: f32[64, 64],
    arg2_1: f32[64, 64],
    arg3_1: f32[64, 64],
    arg4_1: f32[64, 64],
    arg5_1: f32[64, 64],
):
    clone: f32[64, 64] = aten.clone.default(arg3_1)
    clone_1: f32[64, 64] = aten.clone.default(arg4_1)
    clone_2: f32[64, 64] = aten.clone.default(arg5_1)
    _foreach_add = aten._foreach_add_.List([arg0_1, arg1_1, arg2_1], [clone, clone_1, clone_2], alpha=-0.1)
    getitem: f32[64, 64] = _foreach_add[0]
    getitem_1: f32[64, 64] = _foreach_add[1]
    getitem_2: f32[64, 64] = _foreach_add[2]
    return (clone_1, clone, clone_2)
