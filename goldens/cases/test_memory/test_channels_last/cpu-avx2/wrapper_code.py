# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1, arg2_1, arg3_1, arg4_1 = args
    args.clear()
    assert_size_stride(arg2_1, (4, 32, 28, 28), (25088, 784, 28, 1), 'input')
    buf0 = empty_strided_cpu((4, 32, 28, 28), (25088, 1, 896, 32), torch.float32)
    assert_size_stride(arg0_1, (64, 32, 3, 3), (288, 9, 3, 1), 'input')
    buf1 = empty_strided_cpu((64, 32, 3, 3), (288, 1, 96, 32), torch.float32)
    assert_size_stride(arg1_1, (64, ), (1, ), 'input')
    cpp_fused_convolution_0(arg2_1, arg0_1, buf0, buf1)
    del arg0_1
    del arg2_1
    # Topologically Sorted Source Nodes: [input_1], Original ATen: [aten.convolution]
    buf2 = extern_kernels.convolution(buf0, buf1, arg1_1, stride=(1, 1), padding=(1, 1), dilation=(1, 1), transposed=False, output_padding=(0, 0), groups=1)
    assert_size_stride(buf2, (4, 64, 28, 28), (50176, 1, 1792, 64), 'torch.ops.aten.convolution.default')
    del arg1_1
    del buf0
    del buf1
    buf3 = buf2; del buf2  # reuse
    assert_size_stride(arg3_1, (64, 64, 1, 1), (64, 1, 1, 1), 'input')
    assert_size_stride(arg4_1, (64, ), (1, ), 'input')
    cpp_fused_relu_1(buf3)
    # Topologically Sorted Source Nodes: [input_2, input_3], Original ATen: [aten.relu, aten.convolution]
    buf4 = extern_kernels.convolution(buf3, arg3_1, arg4_1, stride=(1, 1), padding=(0, 0), dilation=(1, 1), transposed=False, output_padding=(0, 0), groups=1)
    assert_size_stride(buf4, (4, 64, 28, 28), (50176, 1, 1792, 64), 'torch.ops.aten.convolution.default')
    del arg3_1
    del arg4_1
    buf5 = reinterpret_tensor(buf3, (4, 64, 28, 28), (50176, 784, 28, 1), 0); del buf3  # reuse
    cpp_fused_convolution_relu_2(buf4, buf5)
    return (buf5, )
