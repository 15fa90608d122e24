# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64], arg1_1: f32[64, 64], arg2_1: f32[64, 64]):
    # <listcomp>: return [functional.all_reduce(each, "sum", dist.group.WORLD) + 1 for each in tensors]
    view: f32[4096] = aten.view.default(arg0_1, [-1])
    view_1: f32[4096] = aten.view.default(arg1_1, [-1])
    view_2: f32[4096] = aten.view.default(arg2_1, [-1])
    cat: f32[12288] = aten.cat.default([view, view_1, view_2])
    all_reduce_3: f32[12288] = _c10d_functional.all_reduce_.default(cat, 'sum', '0-3')
    wait_tensor_3: f32[12288] = _c10d_functional.wait_tensor.default(all_reduce_3)
    split_with_sizes = aten.split_with_sizes.default(wait_tensor_3, [4096, 4096, 4096])
    getitem: f32[4096] = split_with_sizes[0]
    getitem_1: f32[4096] = split_with_sizes[1]
    getitem_2: f32[4096] = split_with_sizes[2]
    view_3: f32[64, 64] = aten.view.default(getitem, [64, 64])
    view_4: f32[64, 64] = aten.view.default(getitem_1, [64, 64])
    view_5: f32[64, 64] = aten.view.default(getitem_2, [64, 64])
    add: f32[64, 64] = aten.add.Tensor(view_3, 1)
    add_1: f32[64, 64] = aten.add.Tensor(view_4, 1)
    add_2: f32[64, 64] = aten.add.Tensor(view_5, 1)
    return (add, add_1, add_2)
