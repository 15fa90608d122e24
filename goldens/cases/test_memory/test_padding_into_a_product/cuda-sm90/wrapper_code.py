# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1 = args
    args.clear()
    assert_size_stride(arg0_1, (100, 64), (64, 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        arg0_1 = copy_misaligned(arg0_1)
        buf0 = empty_strided_cuda((100, 64), (64, 1), torch.float32)
        # Topologically Sorted Source Nodes: [mul], Original ATen: [aten.mul]
        raw_stream0 = get_raw_stream(0)
        triton_poi_fused_mul_0.run(arg0_1, buf0, 6400, stream=raw_stream0)
        del arg0_1
        buf1 = empty_strided_cuda((128, 64), (64, 1), torch.float32)
        # Topologically Sorted Source Nodes: [mul, pad], Original ATen: [aten.mul, aten.constant_pad_nd]
        raw_stream0 = get_raw_stream(0)
        triton_poi_fused_constant_pad_nd_mul_1.run(buf0, buf1, 8192, stream=raw_stream0)
        del buf0
        assert_size_stride(arg1_1, (64, 64), (64, 1))
        arg1_1 = copy_misaligned(arg1_1)
        buf2 = empty_strided_cuda((128, 64), (64, 1), torch.float32)
        # Topologically Sorted Source Nodes: [mul, pad, matmul], Original ATen: [aten.mul, aten.constant_pad_nd, aten.mm]
        extern_kernels.mm(buf1, arg1_1, out=buf2)
        del arg1_1
        del buf1
    return (buf2, )
