# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1, arg2_1, arg3_1 = args
    args.clear()
    assert_size_stride(arg1_1, (64, 64), (64, 1))
    assert_size_stride(arg0_1, (64, 64), (64, 1))
    assert_size_stride(arg2_1, (64, 1), (1, 1))
    assert_size_stride(arg3_1, (1, 64), (64, 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        arg1_1 = copy_misaligned(arg1_1)
        arg0_1 = copy_misaligned(arg0_1)
        arg2_1 = copy_misaligned(arg2_1)
        arg3_1 = copy_misaligned(arg3_1)
        buf0 = empty_strided_cuda((64, 64), (64, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [t, _scaled_mm], Original ATen: [aten.t, aten._scaled_mm]
        extern_kernels._scaled_mm(arg1_1, reinterpret_tensor(arg0_1, (64, 64), (1, 64), 0), arg2_1, arg3_1, out_dtype=torch.bfloat16, use_fast_accum=False, out=buf0)
        del arg0_1
        del arg1_1
        del arg2_1
        del arg3_1
    return (buf0, )
