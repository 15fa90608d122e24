# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[50, 300]):
    # f: return torch.cat([part.relu() for part in torch.split(x, 50, dim=1)], 0).tanh()
    split = aten.split.Tensor(arg0_1, 50, 1)
    getitem: f32[50, 50][300, 1] = split[0]
    getitem_1: f32[50, 50][300, 1] = split[1]
    getitem_2: f32[50, 50][300, 1] = split[2]
    getitem_3: f32[50, 50][300, 1] = split[3]
    getitem_4: f32[50, 50][300, 1] = split[4]
    getitem_5: f32[50, 50][300, 1] = split[5]
    unsqueeze: f32[1, 50, 50][15000, 300, 1] = aten.unsqueeze(getitem, dim=0)
    unsqueeze_1: f32[1, 50, 50][15000, 300, 1] = aten.unsqueeze(getitem_1, dim=0)
    unsqueeze_2: f32[1, 50, 50][15000, 300, 1] = aten.unsqueeze(getitem_2, dim=0)
    unsqueeze_3: f32[1, 50, 50][15000, 300, 1] = aten.unsqueeze(getitem_3, dim=0)
    unsqueeze_4: f32[1, 50, 50][15000, 300, 1] = aten.unsqueeze(getitem_4, dim=0)
    unsqueeze_5: f32[1, 50, 50][15000, 300, 1] = aten.unsqueeze(getitem_5, dim=0)
    cat_1: f32[6, 50, 50] = aten.cat([unsqueeze, unsqueeze_1, unsqueeze_2, unsqueeze_3, unsqueeze_4, unsqueeze_5], dim=0)
    relu_default: f32[6, 50, 50] = aten.relu.default(cat_1)
    # <listcomp>: return torch.cat([part.relu() for part in torch.split(x, 50, dim=1)], 0).tanh()
    select_5: f32[50, 50] = aten.select(relu_default, 0, 5)
    select_4: f32[50, 50] = aten.select(relu_default, 0, 4)
    select_3: f32[50, 50] = aten.select(relu_default, 0, 3)
    select_2: f32[50, 50] = aten.select(relu_default, 0, 2)
    select_1: f32[50, 50] = aten.select(relu_default, 0, 1)
    select: f32[50, 50] = aten.select(relu_default, 0, 0)
    tanh: f32[50, 50] = aten.tanh.default(select)
    tanh_1: f32[50, 50] = aten.tanh.default(select_1)
    tanh_2: f32[50, 50] = aten.tanh.default(select_2)
    tanh_3: f32[50, 50] = aten.tanh.default(select_3)
    tanh_4: f32[50, 50] = aten.tanh.default(select_4)
    tanh_5: f32[50, 50] = aten.tanh.default(select_5)
    cat: f32[300, 50] = aten.cat.default([tanh, tanh_1, tanh_2, tanh_3, tanh_4, tanh_5])
    return (cat,)
