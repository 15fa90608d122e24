# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 32]):
    # f: functional.all_reduce(x, "sum", world) + 1,
    all_reduce: f32[64, 32] = _c10d_functional.all_reduce.default(arg0_1, 'sum', '0-3')
    # f: functional.all_gather_tensor(x, 0, world) + 1,
    all_gather_into_tensor: f32[256, 32] = _c10d_functional.all_gather_into_tensor.default(arg0_1, 4, '0-3')
    # f: functional.reduce_scatter_tensor(x, "avg", 0, world) + 1,
    reduce_scatter_tensor: f32[16, 32] = _c10d_functional.reduce_scatter_tensor.default(arg0_1, 'avg', 4, '0-3')
    # f: functional.all_to_all_single(x, None, None, world) + 1,
    all_to_all_single: f32[64, 32] = _c10d_functional.all_to_all_single.default(arg0_1, [16, 16, 16, 16], [16, 16, 16, 16], '0-3')
    # f: functional.all_reduce(x, "sum", world) + 1,
    wait_tensor: f32[64, 32] = _c10d_functional.wait_tensor.default(all_reduce)
    add: f32[64, 32] = aten.add.Tensor(wait_tensor, 1)
    # f: functional.all_gather_tensor(x, 0, world) + 1,
    wait_tensor_1: f32[256, 32] = _c10d_functional.wait_tensor.default(all_gather_into_tensor)
    add_1: f32[256, 32] = aten.add.Tensor(wait_tensor_1, 1)
    # f: functional.reduce_scatter_tensor(x, "avg", 0, world) + 1,
    wait_tensor_2: f32[16, 32] = _c10d_functional.wait_tensor.default(reduce_scatter_tensor)
    add_2: f32[16, 32] = aten.add.Tensor(wait_tensor_2, 1)
    # f: functional.all_to_all_single(x, None, None, world) + 1,
    wait_tensor_3: f32[64, 32] = _c10d_functional.wait_tensor.default(all_to_all_single)
    add_3: f32[64, 32] = aten.add.Tensor(wait_tensor_3, 1)
    return (add, add_1, add_2, add_3)
