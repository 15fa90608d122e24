# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 256]):
    split_with_sizes = aten.split_with_sizes.default(arg0_1, [128, 64, 64], 1)
    getitem: f32[64, 128][256, 1] = split_with_sizes[0]
    getitem_1: f32[64, 64][256, 1] = split_with_sizes[1]
    getitem_2: f32[64, 64][256, 1] = split_with_sizes[2]
    # f: return torch.cat([a, b, c.relu(), d], dim=1).sum(1)
    relu: f32[64, 64] = aten.relu.default(getitem_1)
    cat: f32[64, 256] = aten.cat.default([getitem, relu, getitem_2], 1)
    sum_1: f32[64] = aten.sum.dim_IntList(cat, [1])
    return (sum_1,)
