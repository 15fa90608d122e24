# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.14.1, triton: 3.8.0, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1 = args
    args.clear()
    assert_size_stride_grouped((arg0_1, arg1_1), ((32, 8192), (8192, 32)), ((8192, 1), (32, 1)), 'input')
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        arg0_1 = copy_if_misaligned(arg0_1)
        arg1_1 = copy_if_misaligned(arg1_1)

        # subgraph: decompose_k_mm_2_split_0
        decompose_k_mm_2_split_0_args = [arg0_1, arg1_1]
        (buf0,) = decompose_k_mm_2_split_0(decompose_k_mm_2_split_0_args)
        del arg0_1
        del arg1_1
    return (buf0, )
