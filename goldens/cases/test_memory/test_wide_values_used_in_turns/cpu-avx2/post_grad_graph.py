# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64], arg1_1: f32[64, 1024], arg2_1: f32[1024, 64]):
    # f: first, second = x @ up, x.relu() @ up
    mm: f32[64, 1024] = aten.mm.default(arg0_1, arg1_1)
    # f: return (first @ down) @ (second @ down) @ (first @ first.t()) @ (second @ second.t())
    mm_2: f32[64, 64] = aten.mm.default(mm, arg2_1)
    # f: first, second = x @ up, x.relu() @ up
    relu: f32[64, 64] = aten.relu.default(arg0_1)
    mm_1: f32[64, 1024] = aten.mm.default(relu, arg1_1)
    # f: return (first @ down) @ (second @ down) @ (first @ first.t()) @ (second @ second.t())
    mm_3: f32[64, 64] = aten.mm.default(mm_1, arg2_1)
    mm_4: f32[64, 64] = aten.mm.default(mm_2, mm_3)
    permute: f32[1024, 64][1, 1024] = aten.permute.default(mm, [1, 0])
    mm_5: f32[64, 64] = aten.mm.default(mm, permute)
    mm_6: f32[64, 64] = aten.mm.default(mm_4, mm_5)
    permute_1: f32[1024, 64][1, 1024] = aten.permute.default(mm_1, [1, 0])
    mm_7: f32[64, 64] = aten.mm.default(mm_1, permute_1)
    mm_8: f32[64, 64] = aten.mm.default(mm_6, mm_7)
    return (mm_8,)
