# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1 = args
    args.clear()
    assert_size_stride(arg1_1, (4, 8, 64), (512, 64, 1), 'input')
    assert_size_stride(arg0_1, (4, 128, 64), (8192, 64, 1), 'input')
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        arg1_1 = copy_if_misaligned(arg1_1)
        # Topologically Sorted Source Nodes: [getitem, mul, copy_], Original ATen: [aten.slice, aten.mul, aten.copy]
        raw_stream0 = get_raw_stream(0)
        triton_poi_fused_copy_mul_slice_0.run(arg1_1, arg0_1, 2048, stream=raw_stream0)
        del arg1_1
        buf1 = empty_strided_cuda((), (), torch.float32)
        # Topologically Sorted Source Nodes: [sum_1], Original ATen: [aten.sum]
        raw_stream0 = get_raw_stream(0)
        triton_red_fused_sum_1.run(arg0_1, buf1, 1, 32768, stream=raw_stream0)
        del arg0_1
    return (buf1, )
