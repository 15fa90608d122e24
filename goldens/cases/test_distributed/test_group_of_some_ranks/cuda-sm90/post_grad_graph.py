# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 32]):
    # <lambda>: captured = compile_stages(lambda x: functional.all_reduce(x, "sum", odd) + 1, torch.randn(64, 32))
    all_reduce: f32[64, 32] = _c10d_functional.all_reduce.default(arg0_1, 'sum', '1,3')
    wait_tensor: f32[64, 32] = _c10d_functional.wait_tensor.default(all_reduce)
    add: f32[64, 32] = aten.add.Tensor(wait_tensor, 1)
    return (add,)
