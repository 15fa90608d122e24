# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1 = args
    args.clear()
    assert_size_stride(arg0_1, (64, 64), (64, 1))
    assert_size_stride(arg1_1, (64, 64), (64, 1))
    pool0 = empty_strided_cpu((64, 64), (64, 1), torch.float32)
    buf0 = alloc_from_pool(pool0, 0, torch.float32, (64, 64), (64, 1))
    # Topologically Sorted Source Nodes: [matmul], Original ATen: [aten.mm]
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    del arg0_1
    buf1 = buf0;  # reuse
    cpp_fused_relu_0(buf1)
    pool1 = empty_strided_cpu((64, 64), (64, 1), torch.float32)
    buf2 = alloc_from_pool(pool1, 0, torch.float32, (64, 64), (64, 1))
    # Topologically Sorted Source Nodes: [relu, matmul_1], Original ATen: [aten.relu, aten.mm]
    extern_kernels.mm(buf1, arg1_1, out=buf2)
    buf3 = buf2;  # reuse
    cpp_fused_relu_0(buf3)
    buf4 = buf0  # alloc
    # Topologically Sorted Source Nodes: [relu_1, matmul_2], Original ATen: [aten.relu, aten.mm]
    extern_kernels.mm(buf3, arg1_1, out=buf4)
    del arg1_1
    del pool1, buf2, buf3
    return (buf4, )
