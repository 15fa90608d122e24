# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 32]):
    # f: y = x * 2
    mul: f32[64, 32] = aten.mul.Tensor(arg0_1, 2)
    # f: dist.all_reduce(y)
    all_reduce: f32[64, 32] = _c10d_functional.all_reduce_.default(mul, 'sum', '0-3')
    wait_tensor: f32[64, 32] = _c10d_functional.wait_tensor.default(all_reduce)
    # f: return y + 1
    add: f32[64, 32] = aten.add.Tensor(wait_tensor, 1)
    return (add,)
