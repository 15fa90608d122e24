# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8]):
    # f: y = x + 1
    add: f32[8] = aten.add.Tensor(arg0_1, 1)
    # f: return y[:4], y[4:]
    slice_1: f32[4] = aten.slice.Tensor(add, 0, 0, 4)
    slice_2: f32[4] = aten.slice.Tensor(add, 0, 4, 9223372036854775807)
    return (slice_1, slice_2)
