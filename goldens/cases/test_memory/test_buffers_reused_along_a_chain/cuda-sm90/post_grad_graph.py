# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: f32[128, 256],
    arg1_1: f32[256, 256],
    arg2_1: f32[256, 256],
    arg3_1: f32[256, 256],
    arg4_1: f32[256, 256],
):
    # f: x = torch.relu(x @ weight)
    mm: f32[128, 256] = aten.mm.default(arg0_1, arg1_1)
    relu: f32[128, 256] = aten.relu.default(mm)
    mm_1: f32[128, 256] = aten.mm.default(relu, arg2_1)
    relu_1: f32[128, 256] = aten.relu.default(mm_1)
    mm_2: f32[128, 256] = aten.mm.default(relu_1, arg3_1)
    relu_2: f32[128, 256] = aten.relu.default(mm_2)
    mm_3: f32[128, 256] = aten.mm.default(relu_2, arg4_1)
    relu_3: f32[128, 256] = aten.relu.default(mm_3)
    return (relu_3,)
