# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(arg0_1: f32[4096]):
    # f: y = x.sin()
    sin: f32[4096] = aten.sin.default(arg0_1)
    # f: shifted_kernel[(4,)](y, y.numel(), BLOCK=1024)
    as_strided_default: f32[4096] = aten.as_strided.default(sin, [4096], [1], 0)
    clone_default: f32[4096] = aten.clone.default(as_strided_default)
    as_strided_default_1: f32[4096] = aten.as_strided.default(clone_default, [4096], [1], 0)
    triton_kernel_wrapper_mutation = higher_order.triton_kernel_wrapper_mutation(kernel_idx=0, constant_args_idx=0, grid=[(4, 1, 1)], tma_descriptor_metadata={}, kwargs={'x': as_strided_default_1}, launch_kwargs=('BLOCK',))
    # f: return y, kept.cos()
    cos: f32[4096] = aten.cos.default(sin)
    return (as_strided_default_1, cos)
