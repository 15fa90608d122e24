# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(arg0_1: f16[1021, 1023], arg1_1: f16[1023, 1021]):
    constant_pad_nd_default: f16[1024, 1024] = aten.constant_pad_nd.default(arg0_1, [0, 1, 0, 3])
    constant_pad_nd_default_1: f16[1024, 1024] = aten.constant_pad_nd.default(arg1_1, [0, 3, 0, 1])
    mm_default: f16[1024, 1024] = aten.mm.default(constant_pad_nd_default, constant_pad_nd_default_1)
    slice_tensor: f16[1021, 1024] = aten.slice.Tensor(mm_default, 0, 0, -3)
    slice_tensor_1: f16[1021, 1021][1024, 1] = aten.slice.Tensor(slice_tensor, 1, 0, -3)
    return (slice_tensor_1,)
