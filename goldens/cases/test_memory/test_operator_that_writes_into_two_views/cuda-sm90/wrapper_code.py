# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, = args
    args.clear()
    assert_size_stride(arg0_1, (64, 64), (64, 1), 'input')
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        # Topologically Sorted Source Nodes: [add_one__default], Original ATen: [aten.slice, cases.add_one_]
        torch.ops.cases.add_one_.default(reinterpret_tensor(arg0_1, (32, 64), (64, 1), 0))
        # Topologically Sorted Source Nodes: [add_one__default_1], Original ATen: [aten.slice, cases.add_one_]
        torch.ops.cases.add_one_.default(reinterpret_tensor(arg0_1, (48, 64), (64, 1), 1024))
        buf4 = empty_strided_cuda((64, 64), (64, 1), torch.float32)
        # Topologically Sorted Source Nodes: [mul], Original ATen: [aten.mul]
        raw_stream0 = get_raw_stream(0)
        triton_poi_fused_mul_0.run(arg0_1, buf4, 4096, stream=raw_stream0)
        del arg0_1
    return (buf4, )
