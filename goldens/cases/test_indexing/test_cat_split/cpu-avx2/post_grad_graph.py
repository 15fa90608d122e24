# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[128, 256], arg1_1: f32[128, 64]):
    # f: a, b = torch.split(x, [64, 192], dim=1)
    split_with_sizes = aten.split_with_sizes.default(arg0_1, [64, 192], 1)
    getitem: f32[128, 64][256, 1] = split_with_sizes[0]
    getitem_1: f32[128, 192][256, 1] = split_with_sizes[1]
    relu: f32[128, 192] = aten.relu.default(getitem_1)
    relu_1: f32[128, 64] = aten.relu.default(arg1_1)
    relu_2: f32[128, 64] = aten.relu.default(getitem)
    cat: f32[128, 320] = aten.cat.default([relu, relu_1, relu_2], 1)
    # f: return torch.cat([b, y, a], dim=1).relu() + 1
    add: f32[128, 320] = aten.add.Tensor(cat, 1)
    return (add,)
