# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64], arg1_1: f32[64, 64], arg2_1: f32[64, 64]):
    # <listcomp>: return [functional.all_gather_tensor(each, 0, dist.group.WORLD) + 1 for each in tensors]
    empty: f32[49152] = aten.empty.memory_format([49152], dtype=torch.float32, device=device('cuda:0'), pin_memory=False)
    slice_1: f32[12288] = aten.slice.Tensor(empty, 0, 12288, 24576)
    view: f32[4096] = aten.view.default(arg0_1, [-1])
    view_1: f32[4096] = aten.view.default(arg1_1, [-1])
    view_2: f32[4096] = aten.view.default(arg2_1, [-1])
    cat: f32[12288] = aten.cat.default([view, view_1, view_2])
    copy_: f32[12288] = aten.copy_.default(slice_1, cat)
    all_gather_into_tensor_out: f32[49152] = _c10d_functional.all_gather_into_tensor_out.default(copy_, 4, '0-3', out=empty)
    wait_tensor_3: f32[49152] = _c10d_functional.wait_tensor.default(all_gather_into_tensor_out)
    view_3: f32[4, 12288] = aten.view.default(wait_tensor_3, [4, -1])
    split_with_sizes = aten.split_with_sizes.default(view_3, [4096, 4096, 4096], 1)
    getitem: f32[4, 4096][12288, 1] = split_with_sizes[0]
    getitem_1: f32[4, 4096][12288, 1] = split_with_sizes[1]
    getitem_2: f32[4, 4096][12288, 1] = split_with_sizes[2]
    clone: f32[4, 4096] = aten.clone.default(getitem, memory_format=torch.contiguous_format)
    _unsafe_view: f32[256, 64] = aten._unsafe_view.default(clone, [256, 64])
    clone_1: f32[4, 4096] = aten.clone.default(getitem_1, memory_format=torch.contiguous_format)
    _unsafe_view_1: f32[256, 64] = aten._unsafe_view.default(clone_1, [256, 64])
    clone_2: f32[4, 4096] = aten.clone.default(getitem_2, memory_format=torch.contiguous_format)
    _unsafe_view_2: f32[256, 64] = aten._unsafe_view.default(clone_2, [256, 64])
    add: f32[256, 64] = aten.add.Tensor(_unsafe_view, 1)
    add_1: f32[256, 64] = aten.add.Tensor(_unsafe_view_1, 1)
    add_2: f32[256, 64] = aten.add.Tensor(_unsafe_view_2, 1)
    return (add, add_1, add_2)
