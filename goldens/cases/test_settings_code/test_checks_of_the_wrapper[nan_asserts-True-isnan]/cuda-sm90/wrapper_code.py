# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, = args
    args.clear()
    # make sure graph inputs are not nan/inf
    assert not arg0_1.isnan().any().item()
    assert not arg0_1.isinf().any().item()
    assert_size_stride(arg0_1, (64, ), (1, ))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        arg0_1 = copy_misaligned(arg0_1)
        buf0 = empty_strided_cuda((64, ), (1, ), torch.float32)
        # Topologically Sorted Source Nodes: [mul, add], Original ATen: [aten.mul, aten.add]
        raw_stream0 = get_raw_stream(0)
        triton_poi_fused_add_mul_0.run(arg0_1, buf0, 64, stream=raw_stream0)
        assert not arg0_1.isnan().any().item()
        assert not arg0_1.isinf().any().item()
        assert not buf0.isnan().any().item()
        assert not buf0.isinf().any().item()
        del arg0_1
    return_vars = (buf0, )
    for var in return_vars:
        if isinstance(var, torch.Tensor):
            assert not var.isnan().any().item()
            assert not var.isinf().any().item()
    return (buf0, )
