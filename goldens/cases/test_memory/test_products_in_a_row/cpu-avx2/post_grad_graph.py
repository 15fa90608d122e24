# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: f32[128, 256],
    arg1_1: f32[256, 256],
    arg2_1: f32[256, 256],
    arg3_1: f32[256, 256],
    arg4_1: f32[256, 256],
):
    # f: x = x @ weight
    mm: f32[128, 256] = aten.mm.default(arg0_1, arg1_1)
    mm_1: f32[128, 256] = aten.mm.default(mm, arg2_1)
    mm_2: f32[128, 256] = aten.mm.default(mm_1, arg3_1)
    mm_3: f32[128, 256] = aten.mm.default(mm_2, arg4_1)
    return (mm_3,)
