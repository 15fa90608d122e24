# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1, arg2_1 = args
    args.clear()
    assert_size_stride(arg0_1, (64, 128), (128, 1), 'input')
    assert_size_stride(arg1_1, (128, 96), (96, 1), 'input')
    buf5 = empty_strided_cpu((64, 128), (128, 1), torch.float32)
    buf0 = reinterpret_tensor(buf5, (64, 96), (128, 1), 0)  # alias
    # Topologically Sorted Source Nodes: [matmul], Original ATen: [aten.mm]
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    del arg0_1
    del arg1_1
    assert_size_stride(arg2_1, (64, 32), (32, 1), 'input')
    buf1 = empty_strided_cpu((64, 1), (1, 64), torch.float32)
    buf3 = empty_strided_cpu((64, 1), (1, 64), torch.float32)
    buf4 = reinterpret_tensor(buf5, (64, 32), (128, 1), 96)  # alias
    cpp_fused__softmax_0(arg2_1, buf1, buf3, buf4)
    del arg2_1
    return (buf5, )
