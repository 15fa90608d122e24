# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[1, 64, 128], arg1_1: f32[1, 128, 32]):
    squeeze_dim: f32[64, 128] = aten.squeeze.dim(arg0_1, 0)
    squeeze_dim_1: f32[128, 32] = aten.squeeze.dim(arg1_1, 0)
    mm_default: f32[64, 32] = aten.mm.default(squeeze_dim, squeeze_dim_1)
    unsqueeze_default: f32[1, 64, 32] = aten.unsqueeze.default(mm_default, 0)
    return (unsqueeze_default,)
