# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128], arg1_1: f32[128, 256], arg2_1: f32[256], arg3_1: f32[256, 64]):
    # f: return ((x @ weight + bias) @ other + 1).relu()
    addmm_default: f32[64, 256] = aten.addmm.default(arg2_1, arg0_1, arg1_1)
    mm_1: f32[64, 64] = aten.mm.default(addmm_default, arg3_1)
    add_1: f32[64, 64] = aten.add.Tensor(mm_1, 1)
    relu: f32[64, 64] = aten.relu.default(add_1)
    return (relu,)
