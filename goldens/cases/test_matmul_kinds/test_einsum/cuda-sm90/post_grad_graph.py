# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[2, 4, 8, 16], arg1_1: f32[2, 4, 8, 16]):
    # <lambda>: lambda x, y: torch.einsum("bhid,bhjd->bhij", x, y), torch.randn(2, 4, 8, 16), torch.randn(2, 4, 8, 16)
    unsqueeze: f32[2, 4, 8, 16, 1] = aten.unsqueeze.default(arg0_1, 4)
    view: f32[8, 8, 16] = aten.reshape.default(unsqueeze, [8, 8, 16])
    unsqueeze_1: f32[2, 4, 8, 16, 1] = aten.unsqueeze.default(arg1_1, 4)
    permute_1: f32[2, 4, 1, 8, 16] = aten.permute.default(unsqueeze_1, [0, 1, 4, 2, 3])
    permute_3: f32[2, 4, 16, 8, 1][512, 128, 1, 16, 1] = aten.permute.default(permute_1, [0, 1, 4, 3, 2])
    view_1: f32[8, 16, 8][128, 1, 16] = aten.reshape.default(permute_3, [8, 16, 8])
    bmm: f32[8, 8, 8] = aten.bmm.default(view, view_1)
    view_2: f32[2, 4, 8, 1, 8] = aten.reshape.default(bmm, [2, 4, 8, 1, 8])
    permute_4: f32[2, 4, 8, 8, 1] = aten.permute.default(view_2, [0, 1, 2, 4, 3])
    view_3: f32[2, 4, 8, 8] = aten.reshape.default(permute_4, [2, 4, 8, 8])
    return (view_3,)
