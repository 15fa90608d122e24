# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(arg0_1: f32[4096], arg1_1: f32[4096]):
    # <lambda>: captured = compile_stages(lambda a, b: triton_add(a.sin(), b).cos(), torch.randn(4096), torch.randn(4096))
    sin: f32[4096] = aten.sin.default(arg0_1)
    empty: f32[4096] = aten.empty.memory_format([4096], dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    triton_kernel_wrapper_mutation = higher_order.triton_kernel_wrapper_mutation(kernel_idx=0, constant_args_idx=2, grid=[(4, 1, 1)], tma_descriptor_metadata={}, kwargs={'a': sin, 'b': arg1_1, 'out': empty, 'count': 4096, 'BLOCK': 1024}, launch_kwargs=('BLOCK',))
    cos: f32[4096] = aten.cos.default(empty)
    return (cos,)
