# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, = args
    args.clear()
    assert_size_stride(arg0_1, (8, ), (1, ))
    # Topologically Sorted Source Nodes: [untrue_fake_default], Original ATen: [cases.untrue_fake]
    buf0 = torch.ops.cases.untrue_fake.default(arg0_1)
    del arg0_1
    buf1 = buf0
    assert_size_stride(buf1, (9, ), (1, ), 'torch.ops.cases.untrue_fake.default')
    # buffer buf1 (op: torch.ops.cases.untrue_fake.default) is assumed to be not aligned
    del buf0
    buf2 = buf1; del buf1  # reuse
    cpp_fused_add_0(buf2)
    return (buf2, )
