# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4, 128, 64], arg1_1: f32[4, 8, 64]):
    # f: cache[:, 8:16].copy_(value * 2)
    slice_1: f32[4, 8, 64][8192, 64, 1] = aten.slice.Tensor(arg0_1, 1, 8, 16)
    mul: f32[4, 8, 64] = aten.mul.Tensor(arg1_1, 2)
    copy: f32[4, 8, 64][8192, 64, 1] = aten.copy.default(slice_1, mul)
    slice_tensor: f32[4, 8, 64][8192, 64, 1] = aten.slice.Tensor(arg0_1, 1, 8, 16)
    copy__default: f32[4, 8, 64][8192, 64, 1] = aten.copy_.default(slice_tensor, copy)
    # f: return cache.sum()
    sum_1: f32[()] = aten.sum.default(arg0_1)
    return (sum_1,)
