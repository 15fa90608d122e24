# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1 = args
    args.clear()
    assert_size_stride(arg0_1, (64, 64), (64, 1))
    assert_size_stride(arg1_1, (64, 64), (64, 1))
    buf0 = empty_strided_cpu((64, 64), (64, 1), torch.float32)
    # Topologically Sorted Source Nodes: [matmul], Original ATen: [aten.mm]
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    del arg0_1
    buf1 = empty_strided_cpu((64, 64), (64, 1), torch.float32)
    # Topologically Sorted Source Nodes: [matmul_1], Original ATen: [aten.mm]
    extern_kernels.mm(buf0, arg1_1, out=buf1)
    del buf0
    buf2 = empty_strided_cpu((64, 64), (64, 1), torch.float32)
    # Topologically Sorted Source Nodes: [matmul_2], Original ATen: [aten.mm]
    extern_kernels.mm(buf1, arg1_1, out=buf2)
    del buf1
    buf3 = empty_strided_cpu((64, 64), (64, 1), torch.float32)
    # Topologically Sorted Source Nodes: [matmul_3], Original ATen: [aten.mm]
    extern_kernels.mm(buf2, arg1_1, out=buf3)
    del arg1_1
    return (buf3, )
