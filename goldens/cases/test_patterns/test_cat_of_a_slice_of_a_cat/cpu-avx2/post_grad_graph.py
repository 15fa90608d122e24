# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 100], arg1_1: f32[64, 37]):
    # f: return torch.cat([joined, joined[:, :19]], 1)
    cat_slice_cat: f32[64, 156] = torch._inductor.fx_passes.post_grad.cat_slice_cat([arg0_1, arg1_1], size=19)
    return (cat_slice_cat,)
