# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: bf16[1, 16, 256],
    arg1_1,
    arg2_1: bf16[256],
    arg3_1,
    arg4_1: bf16[64, 256],
    arg5_1,
    arg6_1: bf16[64, 256],
    arg7_1,
    arg8_1: bf16[64, 256],
    arg9_1,
    arg10_1: bf16[256, 64],
    arg11_1,
    arg12_1: bf16[256],
    arg13_1,
    arg14_1: bf16[128, 256],
    arg15_1,
    arg16_1: bf16[128, 256],
    arg17_1,
    arg18_1: bf16[256, 128],
    arg19_1,
):
    # forward: return F.rms_norm(x, (x.shape[-1],), self.weight)
    convert_element_type: f32[1, 16, 256] = prims.convert_element_type.default(arg0_1, torch.float32)
    pow_1: f32[1, 16, 256] = aten.pow.Tensor_Scalar(convert_element_type, 2)
    mean: f32[1, 16, 1] = aten.mean.dim(pow_1, [2], True)
    add: f32[1, 16, 1] = aten.add.Scalar(mean, 1.1920928955078125e-07)
    rsqrt: f32[1, 16, 1] = aten.rsqrt.default(add)
    mul: f32[1, 16, 256] = aten.mul.Tensor(convert_element_type, rsqrt)
    mul_1: f32[1, 16, 256] = aten.mul.Tensor(mul, arg2_1)
    convert_element_type_1: bf16[1, 16, 256] = prims.convert_element_type.default(mul_1, torch.bfloat16)
    # forward: x = x + self.attention(self.norm_1(x))
    all_gather_into_tensor: bf16[4, 16, 256] = _c10d_functional.all_gather_into_tensor.default(convert_element_type_1, 4, '0-3')
    wait_tensor: bf16[4, 16, 256] = _c10d_functional.wait_tensor.default(all_gather_into_tensor)
    view_1: bf16[1, 64, 256] = aten.reshape.default(wait_tensor, [1, 64, 256])
    # <genexpr>: q, k, v = (each(x).view(batch, length, -1, self.head).transpose(1, 2) for each in (self.q, self.k, self.v))
    view_2: bf16[64, 256] = aten.reshape.default(view_1, [64, 256])
    permute: bf16[256, 64][1, 256] = aten.permute.default(arg4_1, [1, 0])
    mm: bf16[64, 64] = aten.mm.default(view_2, permute)
    view_3: bf16[1, 64, 64] = aten.reshape.default(mm, [1, 64, 64])
    view_4: bf16[1, 64, 2, 32] = aten.reshape.default(view_3, [1, 64, -1, 32])
    permute_1: bf16[1, 2, 64, 32][4096, 32, 64, 1] = aten.permute.default(view_4, [0, 2, 1, 3])
    view_5: bf16[64, 256] = aten.reshape.default(view_1, [64, 256])
    permute_2: bf16[256, 64][1, 256] = aten.permute.default(arg6_1, [1, 0])
    mm_1: bf16[64, 64] = aten.mm.default(view_5, permute_2)
    view_6: bf16[1, 64, 64] = aten.reshape.default(mm_1, [1, 64, 64])
    view_7: bf16[1, 64, 2, 32] = aten.reshape.default(view_6, [1, 64, -1, 32])
    permute_3: bf16[1, 2, 64, 32][4096, 32, 64, 1] = aten.permute.default(view_7, [0, 2, 1, 3])
    view_8: bf16[64, 256] = aten.reshape.default(view_1, [64, 256])
    permute_4: bf16[256, 64][1, 256] = aten.permute.default(arg8_1, [1, 0])
    mm_2: bf16[64, 64] = aten.mm.default(view_8, permute_4)
    view_9: bf16[1, 64, 64] = aten.reshape.default(mm_2, [1, 64, 64])
    view_10: bf16[1, 64, 2, 32] = aten.reshape.default(view_9, [1, 64, -1, 32])
    permute_5: bf16[1, 2, 64, 32][4096, 32, 64, 1] = aten.permute.default(view_10, [0, 2, 1, 3])
    # forward: y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    _scaled_dot_product_cudnn_attention = aten._scaled_dot_product_cudnn_attention.default(permute_1, permute_3, permute_5, None, False, 0.0, True)
    getitem: bf16[1, 2, 64, 32][4096, 32, 64, 1] = _scaled_dot_product_cudnn_attention[0]
    # forward: return self.o(y.transpose(1, 2).reshape(batch, length, -1))
    permute_6: bf16[1, 64, 2, 32] = aten.permute.default(getitem, [0, 2, 1, 3])
    view_11: bf16[1, 64, 64] = aten.reshape.default(permute_6, [1, 64, -1])
    view_13: bf16[64, 64] = aten.reshape.default(view_11, [64, 64])
    permute_7: bf16[64, 256][1, 64] = aten.permute.default(arg10_1, [1, 0])
    mm_3: bf16[64, 256] = aten.mm.default(view_13, permute_7)
    view_14: bf16[1, 64, 256] = aten.reshape.default(mm_3, [1, 64, 256])
    split = aten.split.Tensor(view_14, 16, 1)
    getitem_9: bf16[1, 16, 256] = split[0]
    getitem_10: bf16[1, 16, 256] = split[1]
    getitem_11: bf16[1, 16, 256] = split[2]
    getitem_12: bf16[1, 16, 256] = split[3]
    cat: bf16[4, 16, 256] = aten.cat.default([getitem_9, getitem_10, getitem_11, getitem_12])
    reduce_scatter_tensor: bf16[1, 16, 256] = _c10d_functional.reduce_scatter_tensor.default(cat, 'sum', 4, '0-3')
    wait_tensor_1: bf16[1, 16, 256] = _c10d_functional.wait_tensor.default(reduce_scatter_tensor)
    # forward: x = x + self.attention(self.norm_1(x))
    add_1: bf16[1, 16, 256] = aten.add.Tensor(arg0_1, wait_tensor_1)
    # forward: return F.rms_norm(x, (x.shape[-1],), self.weight)
    convert_element_type_10: f32[1, 16, 256] = prims.convert_element_type.default(add_1, torch.float32)
    pow_2: f32[1, 16, 256] = aten.pow.Tensor_Scalar(convert_element_type_10, 2)
    mean_1: f32[1, 16, 1] = aten.mean.dim(pow_2, [2], True)
    add_2: f32[1, 16, 1] = aten.add.Scalar(mean_1, 1.1920928955078125e-07)
    rsqrt_1: f32[1, 16, 1] = aten.rsqrt.default(add_2)
    mul_2: f32[1, 16, 256] = aten.mul.Tensor(convert_element_type_10, rsqrt_1)
    mul_3: f32[1, 16, 256] = aten.mul.Tensor(mul_2, arg12_1)
    convert_element_type_11: bf16[1, 16, 256] = prims.convert_element_type.default(mul_3, torch.bfloat16)
    # forward: return x + self.mlp(self.norm_2(x))
    all_gather_into_tensor_1: bf16[4, 16, 256] = _c10d_functional.all_gather_into_tensor.default(convert_element_type_11, 4, '0-3')
    wait_tensor_2: bf16[4, 16, 256] = _c10d_functional.wait_tensor.default(all_gather_into_tensor_1)
    view_16: bf16[1, 64, 256] = aten.reshape.default(wait_tensor_2, [1, 64, 256])
    # forward: return self.down(F.silu(self.gate(x)) * self.up(x))
    view_17: bf16[64, 256] = aten.reshape.default(view_16, [64, 256])
    permute_8: bf16[256, 128][1, 256] = aten.permute.default(arg14_1, [1, 0])
    mm_4: bf16[64, 128] = aten.mm.default(view_17, permute_8)
    view_18: bf16[1, 64, 128] = aten.reshape.default(mm_4, [1, 64, 128])
    convert_element_type_14: f32[1, 64, 128] = prims.convert_element_type.default(view_18, torch.float32)
    neg: f32[1, 64, 128] = aten.neg.default(convert_element_type_14)
    exp: f32[1, 64, 128] = aten.exp.default(neg)
    add_3: f32[1, 64, 128] = aten.add.Tensor(exp, 1)
    div: f32[1, 64, 128] = aten.div.Tensor(convert_element_type_14, add_3)
    convert_element_type_15: bf16[1, 64, 128] = prims.convert_element_type.default(div, torch.bfloat16)
    view_19: bf16[64, 256] = aten.reshape.default(view_16, [64, 256])
    permute_9: bf16[256, 128][1, 256] = aten.permute.default(arg16_1, [1, 0])
    mm_5: bf16[64, 128] = aten.mm.default(view_19, permute_9)
    view_20: bf16[1, 64, 128] = aten.reshape.default(mm_5, [1, 64, 128])
    mul_4: bf16[1, 64, 128] = aten.mul.Tensor(convert_element_type_15, view_20)
    view_22: bf16[64, 128] = aten.reshape.default(mul_4, [64, 128])
    permute_10: bf16[128, 256][1, 128] = aten.permute.default(arg18_1, [1, 0])
    mm_6: bf16[64, 256] = aten.mm.default(view_22, permute_10)
    view_23: bf16[1, 64, 256] = aten.reshape.default(mm_6, [1, 64, 256])
    split_1 = aten.split.Tensor(view_23, 16, 1)
    getitem_13: bf16[1, 16, 256] = split_1[0]
    getitem_14: bf16[1, 16, 256] = split_1[1]
    getitem_15: bf16[1, 16, 256] = split_1[2]
    getitem_16: bf16[1, 16, 256] = split_1[3]
    cat_1: bf16[4, 16, 256] = aten.cat.default([getitem_13, getitem_14, getitem_15, getitem_16])
    reduce_scatter_tensor_1: bf16[1, 16, 256] = _c10d_functional.reduce_scatter_tensor.default(cat_1, 'sum', 4, '0-3')
    wait_tensor_3: bf16[1, 16, 256] = _c10d_functional.wait_tensor.default(reduce_scatter_tensor_1)
    # forward: return x + self.mlp(self.norm_2(x))
    add_4: bf16[1, 16, 256] = aten.add.Tensor(add_1, wait_tensor_3)
    return (add_4,)
