# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[128, 128], arg1_1: f32[128, 128]):
    # f: x.add_(y)
    add: f32[128, 128] = aten.add.Tensor(arg0_1, arg1_1)
    # f: return x * 2
    mul: f32[128, 128] = aten.mul.Tensor(add, 2)
    # f: x.add_(y)
    copy_: f32[128, 128] = aten.copy_.default(arg0_1, add)
    return (mul,)
