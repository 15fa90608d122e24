# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1, arg2_1 = args
    args.clear()
    assert_size_stride(arg0_1, (128, 64), (64, 1))
    assert_size_stride(arg1_1, (4, 64, 64), (4096, 64, 1))
    assert_size_stride(arg2_1, (4, ), (1, ))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        arg0_1 = copy_misaligned(arg0_1)
        arg1_1 = copy_misaligned(arg1_1)
        arg2_1 = copy_misaligned(arg2_1)
        # Topologically Sorted Source Nodes: [_grouped_mm], Original ATen: [aten._grouped_mm]
        buf0 = extern_kernels._grouped_mm(arg0_1, arg1_1, arg2_1, out_dtype=None)
        assert_size_stride(buf0, (128, 64), (64, 1), 'torch.ops.aten._grouped_mm.default')
        del arg0_1
        del arg1_1
        del arg2_1
    return (buf0, )
