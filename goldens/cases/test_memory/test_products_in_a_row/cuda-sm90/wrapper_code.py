# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1, arg2_1, arg3_1, arg4_1 = args
    args.clear()
    assert_size_stride(arg0_1, (128, 256), (256, 1))
    assert_size_stride(arg1_1, (256, 256), (256, 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        arg0_1 = copy_misaligned(arg0_1)
        arg1_1 = copy_misaligned(arg1_1)
        buf0 = empty_strided_cuda((128, 256), (256, 1), torch.float32)
        # Topologically Sorted Source Nodes: [x], Original ATen: [aten.mm]
        extern_kernels.mm(arg0_1, arg1_1, out=buf0)
        del arg0_1
        del arg1_1
        assert_size_stride(arg2_1, (256, 256), (256, 1))
        arg2_1 = copy_misaligned(arg2_1)
        buf1 = empty_strided_cuda((128, 256), (256, 1), torch.float32)
        # Topologically Sorted Source Nodes: [x_1], Original ATen: [aten.mm]
        extern_kernels.mm(buf0, arg2_1, out=buf1)
        del arg2_1
        assert_size_stride(arg3_1, (256, 256), (256, 1))
        arg3_1 = copy_misaligned(arg3_1)
        buf2 = buf0; del buf0  # reuse
        # Topologically Sorted Source Nodes: [x_2], Original ATen: [aten.mm]
        extern_kernels.mm(buf1, arg3_1, out=buf2)
        del arg3_1
        assert_size_stride(arg4_1, (256, 256), (256, 1))
        arg4_1 = copy_misaligned(arg4_1)
        buf3 = buf1; del buf1  # reuse
        # Topologically Sorted Source Nodes: [x_3], Original ATen: [aten.mm]
        extern_kernels.mm(buf2, arg4_1, out=buf3)
        del arg4_1
        del buf2
    return (buf3, )
