# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, = args
    args.clear()
    assert_size_stride(arg0_1, (64, 64), (64, 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        arg0_1 = copy_misaligned(arg0_1)
        buf3 = empty_strided_cuda((64, 64), (64, 1), torch.float32)
        # Topologically Sorted Source Nodes: [layer_norm], Original ATen: [aten.native_layer_norm]
        raw_stream0 = get_raw_stream(0)
        triton_per_fused_layer_norm_0.run(arg0_1, buf3, 64, 64, stream=raw_stream0)
        del arg0_1
    return (buf3, )
