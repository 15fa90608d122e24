# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: f32[32, 8],
    arg1_1: f32[32, 8],
    arg2_1: f32[32, 8],
    arg3_1: f32[32, 8],
    arg4_1: f32[32, 8],
    arg5_1: f32[32, 8],
    arg6_1: f32[32, 8],
    arg7_1: f32[32, 8],
    arg8_1: f32[32, 8],
    arg9_1: f32[32, 8],
    arg10_1: f32[32, 8],
    arg11_1: f32[32, 8],
):
    # <listcomp>: return torch.cat([part.sin().exp() for part in parts], 1).cos()
    sin: f32[32, 8] = aten.sin.default(arg0_1)
    exp: f32[32, 8] = aten.exp.default(sin)
    sin_1: f32[32, 8] = aten.sin.default(arg1_1)
    exp_1: f32[32, 8] = aten.exp.default(sin_1)
    sin_2: f32[32, 8] = aten.sin.default(arg2_1)
    exp_2: f32[32, 8] = aten.exp.default(sin_2)
    sin_3: f32[32, 8] = aten.sin.default(arg3_1)
    exp_3: f32[32, 8] = aten.exp.default(sin_3)
    sin_4: f32[32, 8] = aten.sin.default(arg4_1)
    exp_4: f32[32, 8] = aten.exp.default(sin_4)
    sin_5: f32[32, 8] = aten.sin.default(arg5_1)
    exp_5: f32[32, 8] = aten.exp.default(sin_5)
    sin_6: f32[32, 8] = aten.sin.default(arg6_1)
    exp_6: f32[32, 8] = aten.exp.default(sin_6)
    sin_7: f32[32, 8] = aten.sin.default(arg7_1)
    exp_7: f32[32, 8] = aten.exp.default(sin_7)
    sin_8: f32[32, 8] = aten.sin.default(arg8_1)
    exp_8: f32[32, 8] = aten.exp.default(sin_8)
    sin_9: f32[32, 8] = aten.sin.default(arg9_1)
    exp_9: f32[32, 8] = aten.exp.default(sin_9)
    sin_10: f32[32, 8] = aten.sin.default(arg10_1)
    exp_10: f32[32, 8] = aten.exp.default(sin_10)
    sin_11: f32[32, 8] = aten.sin.default(arg11_1)
    exp_11: f32[32, 8] = aten.exp.default(sin_11)
    # f: return torch.cat([part.sin().exp() for part in parts], 1).cos()
    cat: f32[32, 96] = aten.cat.default([exp, exp_1, exp_2, exp_3, exp_4, exp_5, exp_6, exp_7, exp_8, exp_9, exp_10, exp_11], 1)
    cos: f32[32, 96] = aten.cos.default(cat)
    return (cos,)
