# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1 = args
    args.clear()
    assert_size_stride(arg0_1, (100, 64), (64, 1), 'input')
    buf0 = empty_strided_cpu((100, 64), (64, 1), torch.float32)
    buf1 = empty_strided_cpu((128, 64), (64, 1), torch.float32)
    assert_size_stride(arg1_1, (64, 64), (64, 1), 'input')
    cpp_fused_constant_pad_nd_mul_0(arg0_1, buf0, buf1)
    del arg0_1
    del buf0
    buf2 = empty_strided_cpu((128, 64), (64, 1), torch.float32)
    # Topologically Sorted Source Nodes: [mul, pad, matmul], Original ATen: [aten.mul, aten.constant_pad_nd, aten.mm]
    extern_kernels.mm(buf1, arg1_1, out=buf2)
    del arg1_1
    return (buf2, )
