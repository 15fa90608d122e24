# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64]):
    # f: add_one_(x[:32])
    slice_tensor_1: f32[32, 64] = aten.slice.Tensor(arg0_1, 0, 0, 32)
    add_one__default_1 = cases.add_one_.default(slice_tensor_1)
    # f: add_one_(x[16:])
    slice_tensor: f32[48, 64] = aten.slice.Tensor(arg0_1, 0, 16, 64)
    add_one__default = cases.add_one_.default(slice_tensor)
    # f: return x * 2
    mul: f32[64, 64] = aten.mul.Tensor(arg0_1, 2)
    # f: add_one_(x[16:])
    copy_: f32[64, 64] = aten.copy_.default(arg0_1, arg0_1)
    return (mul,)
