# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: wrapper_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0
def call(self, args):
    arg0_1, arg1_1, arg2_1 = args
    args.clear()
    assert_size_stride(arg0_1, (64, 16), (16, 1))
    buf3 = empty_strided_cpu((64, 96), (96, 1), torch.float32)
    buf0 = reinterpret_tensor(buf3, (64, 16), (96, 1), 0)  # alias
    assert_size_stride(arg1_1, (64, 32), (32, 1))
    buf1 = reinterpret_tensor(buf3, (64, 32), (96, 1), 16)  # alias
    assert_size_stride(arg2_1, (64, 48), (48, 1))
    buf2 = reinterpret_tensor(buf3, (64, 48), (96, 1), 48)  # alias
    buf4 = empty_strided_cpu((64, 96), (96, 1), torch.float32)
    cpp_fused_cos_exp_mul_sin_0(arg0_1, arg1_1, arg2_1, buf3, buf0, buf1, buf2, buf4)
    del arg0_1
    del arg1_1
    del arg2_1
    return (buf4, )
