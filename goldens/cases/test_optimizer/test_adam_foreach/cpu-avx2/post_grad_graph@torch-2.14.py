# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(
    arg0_1: f32[64, 64],
    arg1_1: f32[64, 64],
    arg2_1: f32[64, 64],
    arg3_1: f32[()],
    arg4_1: f32[64, 64],
    arg5_1: f32[64, 64],
    arg6_1: f32[64, 64],
    arg7_1: f32[64, 64],
    arg8_1: f32[()],
    arg9_1: f32[()],
    arg10_1: f32[64, 64],
    arg11_1: f32[64, 64],
    arg12_1: f32[64, 64],
    arg13_1: f32[64, 64],
    arg14_1: f32[64, 64],
):
    _foreach_add = aten._foreach_add_.Scalar([arg8_1, arg3_1, arg9_1], 1)
    getitem: f32[()] = _foreach_add[0]
    getitem_1: f32[()] = _foreach_add[1]
    getitem_2: f32[()] = _foreach_add[2]
    _foreach_sub = aten._foreach_sub.List([arg12_1, arg13_1, arg14_1], [arg6_1, arg4_1, arg10_1])
    getitem_3: f32[64, 64] = _foreach_sub[0]
    getitem_4: f32[64, 64] = _foreach_sub[1]
    getitem_5: f32[64, 64] = _foreach_sub[2]
    full_default: f32[()] = aten.full.default([], 0.10000000149011612, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    _foreach_addcmul = aten._foreach_addcmul_.Scalar([arg6_1, arg4_1, arg10_1], [full_default, full_default, full_default], [getitem_3, getitem_4, getitem_5])
    getitem_6: f32[64, 64] = _foreach_addcmul[0]
    getitem_7: f32[64, 64] = _foreach_addcmul[1]
    getitem_8: f32[64, 64] = _foreach_addcmul[2]
    _foreach_mul = aten._foreach_mul.Scalar([arg7_1, arg5_1, arg11_1], 0.999)
    getitem_9: f32[64, 64] = _foreach_mul[0]
    getitem_10: f32[64, 64] = _foreach_mul[1]
    getitem_11: f32[64, 64] = _foreach_mul[2]
    _foreach_addcmul_1 = aten._foreach_addcmul.Scalar([getitem_9, getitem_10, getitem_11], [arg12_1, arg13_1, arg14_1], [arg12_1, arg13_1, arg14_1], 0.0010000000000000009)
    getitem_12: f32[64, 64] = _foreach_addcmul_1[0]
    getitem_13: f32[64, 64] = _foreach_addcmul_1[1]
    getitem_14: f32[64, 64] = _foreach_addcmul_1[2]
    _foreach_pow = aten._foreach_pow.ScalarAndTensor(0.9, [getitem, getitem_1, getitem_2])
    getitem_15: f32[()] = _foreach_pow[0]
    getitem_16: f32[()] = _foreach_pow[1]
    getitem_17: f32[()] = _foreach_pow[2]
    _foreach_pow_1 = aten._foreach_pow.ScalarAndTensor(0.999, [getitem, getitem_1, getitem_2])
    getitem_18: f32[()] = _foreach_pow_1[0]
    getitem_19: f32[()] = _foreach_pow_1[1]
    getitem_20: f32[()] = _foreach_pow_1[2]
    _foreach_sub_1 = aten._foreach_sub.Scalar([getitem_15, getitem_16, getitem_17], 1)
    getitem_21: f32[()] = _foreach_sub_1[0]
    getitem_22: f32[()] = _foreach_sub_1[1]
    getitem_23: f32[()] = _foreach_sub_1[2]
    _foreach_sub_2 = aten._foreach_sub.Scalar([getitem_18, getitem_19, getitem_20], 1)
    getitem_24: f32[()] = _foreach_sub_2[0]
    getitem_25: f32[()] = _foreach_sub_2[1]
    getitem_26: f32[()] = _foreach_sub_2[2]
    _foreach_neg = aten._foreach_neg.default([getitem_24, getitem_25, getitem_26])
    getitem_27: f32[()] = _foreach_neg[0]
    getitem_28: f32[()] = _foreach_neg[1]
    getitem_29: f32[()] = _foreach_neg[2]
    _foreach_div = aten._foreach_div.Scalar([getitem_21, getitem_22, getitem_23], 0.001)
    getitem_30: f32[()] = _foreach_div[0]
    getitem_31: f32[()] = _foreach_div[1]
    getitem_32: f32[()] = _foreach_div[2]
    _foreach_reciprocal = aten._foreach_reciprocal.default([getitem_30, getitem_31, getitem_32])
    getitem_33: f32[()] = _foreach_reciprocal[0]
    getitem_34: f32[()] = _foreach_reciprocal[1]
    getitem_35: f32[()] = _foreach_reciprocal[2]
    _foreach_sqrt = aten._foreach_sqrt.default([getitem_27, getitem_28, getitem_29])
    getitem_36: f32[()] = _foreach_sqrt[0]
    getitem_37: f32[()] = _foreach_sqrt[1]
    getitem_38: f32[()] = _foreach_sqrt[2]
    _foreach_sqrt_1 = aten._foreach_sqrt.default([getitem_12, getitem_13, getitem_14])
    getitem_39: f32[64, 64] = _foreach_sqrt_1[0]
    getitem_40: f32[64, 64] = _foreach_sqrt_1[1]
    getitem_41: f32[64, 64] = _foreach_sqrt_1[2]
    _foreach_div_1 = aten._foreach_div.List([getitem_39, getitem_40, getitem_41], [getitem_36, getitem_37, getitem_38])
    getitem_42: f32[64, 64] = _foreach_div_1[0]
    getitem_43: f32[64, 64] = _foreach_div_1[1]
    getitem_44: f32[64, 64] = _foreach_div_1[2]
    _foreach_add_1 = aten._foreach_add.Scalar([getitem_42, getitem_43, getitem_44], 1e-08)
    getitem_45: f32[64, 64] = _foreach_add_1[0]
    getitem_46: f32[64, 64] = _foreach_add_1[1]
    getitem_47: f32[64, 64] = _foreach_add_1[2]
    _foreach_div_2 = aten._foreach_div.List([getitem_45, getitem_46, getitem_47], [getitem_33, getitem_34, getitem_35])
    getitem_48: f32[64, 64] = _foreach_div_2[0]
    getitem_49: f32[64, 64] = _foreach_div_2[1]
    getitem_50: f32[64, 64] = _foreach_div_2[2]
    _foreach_addcdiv = aten._foreach_addcdiv_.Scalar([arg0_1, arg1_1, arg2_1], [getitem_6, getitem_7, getitem_8], [getitem_48, getitem_49, getitem_50])
    getitem_51: f32[64, 64] = _foreach_addcdiv[0]
    getitem_52: f32[64, 64] = _foreach_addcdiv[1]
    getitem_53: f32[64, 64] = _foreach_addcdiv[2]
    copy__5: f32[64, 64] = aten.copy_.default(arg5_1, getitem_13)
    copy__7: f32[64, 64] = aten.copy_.default(arg7_1, getitem_12)
    copy__11: f32[64, 64] = aten.copy_.default(arg11_1, getitem_14)
    return ()
