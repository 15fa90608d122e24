# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: f32[2, 128, 256],
    primals_2: f32[256],
    primals_3: f32[256],
    primals_4: f32[768, 256],
    primals_5: f32[768],
    primals_6: f32[256, 256],
    primals_7: f32[256],
    primals_8: f32[256],
    primals_9: f32[256],
    primals_10: f32[1024, 256],
    primals_11: f32[1024],
    primals_12: f32[256, 1024],
    primals_13: f32[256],
):
    # forward: split = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
    var_mean = aten.var_mean.correction(primals_1, [2], correction=0, keepdim=True)
    getitem: f32[2, 128, 1] = var_mean[0]
    getitem_1: f32[2, 128, 1] = var_mean[1]
    add: f32[2, 128, 1] = aten.add.Tensor(getitem, 1e-05)
    rsqrt: f32[2, 128, 1] = aten.rsqrt.default(add)
    sub: f32[2, 128, 256] = aten.sub.Tensor(primals_1, getitem_1)
    mul: f32[2, 128, 256] = aten.mul.Tensor(sub, rsqrt)
    mul_1: f32[2, 128, 256] = aten.mul.Tensor(mul, primals_2)
    add_1: f32[2, 128, 256] = aten.add.Tensor(mul_1, primals_3)
    view: f32[256, 256] = aten.reshape.default(add_1, [256, 256])
    permute: f32[256, 768][1, 256] = aten.permute.default(primals_4, [1, 0])
    addmm: f32[256, 768] = aten.addmm.default(primals_5, view, permute)
    view_1: f32[2, 128, 768] = aten.reshape.default(addmm, [2, 128, 768])
    view_2: f32[2, 128, 3, 4, 64] = aten.reshape.default(view_1, [2, 128, 3, 4, 64])
    # forward: query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
    permute_1: f32[3, 2, 4, 128, 64][256, 98304, 64, 768, 1] = aten.permute.default(view_2, [2, 0, 3, 1, 4])
    unbind = aten.unbind.int(permute_1)
    getitem_2: f32[2, 4, 128, 64][98304, 64, 768, 1] = unbind[0]
    getitem_3: f32[2, 4, 128, 64][98304, 64, 768, 1] = unbind[1]
    getitem_4: f32[2, 4, 128, 64][98304, 64, 768, 1] = unbind[2]
    # forward: attended = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    _scaled_dot_product_efficient_attention = aten._scaled_dot_product_efficient_attention.default(getitem_2, getitem_3, getitem_4, None, True, 0.0, True)
    getitem_5: f32[2, 4, 128, 64][32768, 64, 256, 1] = _scaled_dot_product_efficient_attention[0]
    getitem_6: f32[2, 4, 128] = _scaled_dot_product_efficient_attention[1]
    getitem_7: i64[()] = _scaled_dot_product_efficient_attention[2]
    getitem_8: i64[()] = _scaled_dot_product_efficient_attention[3]
    # forward: x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
    permute_2: f32[2, 128, 4, 64] = aten.permute.default(getitem_5, [0, 2, 1, 3])
    view_3: f32[2, 128, 256] = aten.reshape.default(permute_2, [2, 128, 256])
    view_4: f32[256, 256] = aten.reshape.default(view_3, [256, 256])
    permute_3: f32[256, 256][1, 256] = aten.permute.default(primals_6, [1, 0])
    addmm_1: f32[256, 256] = aten.addmm.default(primals_7, view_4, permute_3)
    view_5: f32[2, 128, 256] = aten.reshape.default(addmm_1, [2, 128, 256])
    add_2: f32[2, 128, 256] = aten.add.Tensor(primals_1, view_5)
    # forward: return x + self.down(F.gelu(self.up(self.norm2(x))))
    var_mean_1 = aten.var_mean.correction(add_2, [2], correction=0, keepdim=True)
    getitem_9: f32[2, 128, 1] = var_mean_1[0]
    getitem_10: f32[2, 128, 1] = var_mean_1[1]
    add_3: f32[2, 128, 1] = aten.add.Tensor(getitem_9, 1e-05)
    rsqrt_1: f32[2, 128, 1] = aten.rsqrt.default(add_3)
    sub_1: f32[2, 128, 256] = aten.sub.Tensor(add_2, getitem_10)
    mul_2: f32[2, 128, 256] = aten.mul.Tensor(sub_1, rsqrt_1)
    mul_3: f32[2, 128, 256] = aten.mul.Tensor(mul_2, primals_8)
    add_4: f32[2, 128, 256] = aten.add.Tensor(mul_3, primals_9)
    view_6: f32[256, 256] = aten.reshape.default(add_4, [256, 256])
    permute_4: f32[256, 1024][1, 256] = aten.permute.default(primals_10, [1, 0])
    addmm_2: f32[256, 1024] = aten.addmm.default(primals_11, view_6, permute_4)
    view_7: f32[2, 128, 1024] = aten.reshape.default(addmm_2, [2, 128, 1024])
    mul_4: f32[2, 128, 1024] = aten.mul.Tensor(view_7, 0.5)
    mul_5: f32[2, 128, 1024] = aten.mul.Tensor(view_7, 0.7071067811865476)
    erf: f32[2, 128, 1024] = aten.erf.default(mul_5)
    add_5: f32[2, 128, 1024] = aten.add.Tensor(erf, 1)
    mul_6: f32[2, 128, 1024] = aten.mul.Tensor(mul_4, add_5)
    view_8: f32[256, 1024] = aten.reshape.default(mul_6, [256, 1024])
    permute_5: f32[1024, 256][1, 1024] = aten.permute.default(primals_12, [1, 0])
    mm_default: f32[256, 256] = aten.mm.default(view_8, permute_5)
    add_tensor: f32[256, 256] = aten.add.Tensor(primals_13, mm_default)
    view_9: f32[2, 128, 256] = aten.reshape.default(add_tensor, [2, 128, 256])
    add_6: f32[2, 128, 256] = aten.add.Tensor(add_2, view_9)
    return (add_6, primals_1, primals_4, primals_6, primals_8, primals_10, primals_12, getitem_1, rsqrt, view, getitem_2, getitem_3, getitem_4, getitem_5, getitem_6, getitem_7, getitem_8, addmm_1, getitem_10, rsqrt_1, view_6, addmm_2, view_8)


def graph_0_backward(
    primals_1: f32[2, 128, 256],
    primals_4: f32[768, 256],
    primals_6: f32[256, 256],
    primals_8: f32[256],
    primals_10: f32[1024, 256],
    primals_12: f32[256, 1024],
    getitem_1: f32[2, 128, 1],
    rsqrt: f32[2, 128, 1],
    view: f32[256, 256],
    getitem_2: f32[2, 4, 128, 64][98304, 64, 768, 1],
    getitem_3: f32[2, 4, 128, 64][98304, 64, 768, 1],
    getitem_4: f32[2, 4, 128, 64][98304, 64, 768, 1],
    getitem_5: f32[2, 4, 128, 64][32768, 64, 256, 1],
    getitem_6: f32[2, 4, 128],
    getitem_7: i64[()],
    getitem_8: i64[()],
    addmm_1: f32[256, 256],
    getitem_10: f32[2, 128, 1],
    rsqrt_1: f32[2, 128, 1],
    view_6: f32[256, 256],
    addmm_2: f32[256, 1024],
    view_8: f32[256, 1024],
    tangents_1: f32[2, 128, 256],
):
    # forward: return x + self.down(F.gelu(self.up(self.norm2(x))))
    view_10: f32[256, 256] = aten.reshape.default(tangents_1, [256, 256])
    permute_5: f32[1024, 256][1, 1024] = aten.permute.default(primals_12, [1, 0])
    permute_6: f32[256, 1024] = aten.permute.default(permute_5, [1, 0])
    mm: f32[256, 1024] = aten.mm.default(view_10, permute_6)
    permute_7: f32[256, 256][1, 256] = aten.permute.default(view_10, [1, 0])
    mm_1: f32[256, 1024] = aten.mm.default(permute_7, view_8)
    sum_1: f32[1, 256] = aten.sum.dim_IntList(view_10, [0], True)
    view_11: f32[256] = aten.reshape.default(sum_1, [256])
    view_12: f32[2, 128, 1024] = aten.reshape.default(mm, [2, 128, 1024])
    view_7: f32[2, 128, 1024] = aten.reshape.default(addmm_2, [2, 128, 1024])
    mul_5: f32[2, 128, 1024] = aten.mul.Tensor(view_7, 0.7071067811865476)
    erf: f32[2, 128, 1024] = aten.erf.default(mul_5)
    add_5: f32[2, 128, 1024] = aten.add.Tensor(erf, 1)
    mul_8: f32[2, 128, 1024] = aten.mul.Tensor(add_5, 0.5)
    mul_9: f32[2, 128, 1024] = aten.mul.Tensor(view_7, view_7)
    mul_10: f32[2, 128, 1024] = aten.mul.Tensor(mul_9, -0.5)
    exp: f32[2, 128, 1024] = aten.exp.default(mul_10)
    mul_11: f32[2, 128, 1024] = aten.mul.Tensor(exp, 0.3989422804014327)
    mul_12: f32[2, 128, 1024] = aten.mul.Tensor(view_7, mul_11)
    add_8: f32[2, 128, 1024] = aten.add.Tensor(mul_8, mul_12)
    mul_13: f32[2, 128, 1024] = aten.mul.Tensor(view_12, add_8)
    view_13: f32[256, 1024] = aten.reshape.default(mul_13, [256, 1024])
    permute_4: f32[256, 1024][1, 256] = aten.permute.default(primals_10, [1, 0])
    permute_10: f32[1024, 256] = aten.permute.default(permute_4, [1, 0])
    mm_2: f32[256, 256] = aten.mm.default(view_13, permute_10)
    permute_11: f32[1024, 256][1, 1024] = aten.permute.default(view_13, [1, 0])
    mm_3: f32[1024, 256] = aten.mm.default(permute_11, view_6)
    sum_2: f32[1, 1024] = aten.sum.dim_IntList(view_13, [0], True)
    view_14: f32[1024] = aten.reshape.default(sum_2, [1024])
    view_15: f32[2, 128, 256] = aten.reshape.default(mm_2, [2, 128, 256])
    mul_15: f32[2, 128, 256] = aten.mul.Tensor(view_15, primals_8)
    mul_16: f32[2, 128, 256] = aten.mul.Tensor(mul_15, 256)
    sum_3: f32[2, 128, 1] = aten.sum.dim_IntList(mul_15, [2], True)
    # forward: x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
    view_5: f32[2, 128, 256] = aten.reshape.default(addmm_1, [2, 128, 256])
    add_2: f32[2, 128, 256] = aten.add.Tensor(primals_1, view_5)
    # forward: return x + self.down(F.gelu(self.up(self.norm2(x))))
    sub_1: f32[2, 128, 256] = aten.sub.Tensor(add_2, getitem_10)
    mul_2: f32[2, 128, 256] = aten.mul.Tensor(sub_1, rsqrt_1)
    mul_17: f32[2, 128, 256] = aten.mul.Tensor(mul_15, mul_2)
    sum_4: f32[2, 128, 1] = aten.sum.dim_IntList(mul_17, [2], True)
    mul_18: f32[2, 128, 256] = aten.mul.Tensor(mul_2, sum_4)
    sub_3: f32[2, 128, 256] = aten.sub.Tensor(mul_16, sum_3)
    sub_4: f32[2, 128, 256] = aten.sub.Tensor(sub_3, mul_18)
    div: f32[2, 128, 1] = aten.div.Tensor(rsqrt_1, 256)
    mul_19: f32[2, 128, 256] = aten.mul.Tensor(div, sub_4)
    mul_20: f32[2, 128, 256] = aten.mul.Tensor(view_15, mul_2)
    sum_5: f32[256] = aten.sum.dim_IntList(mul_20, [0, 1])
    sum_6: f32[256] = aten.sum.dim_IntList(view_15, [0, 1])
    add_9: f32[2, 128, 256] = aten.add.Tensor(tangents_1, mul_19)
    # forward: x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
    view_16: f32[256, 256] = aten.reshape.default(add_9, [256, 256])
    permute_3: f32[256, 256][1, 256] = aten.permute.default(primals_6, [1, 0])
    permute_14: f32[256, 256] = aten.permute.default(permute_3, [1, 0])
    mm_4: f32[256, 256] = aten.mm.default(view_16, permute_14)
    permute_15: f32[256, 256][1, 256] = aten.permute.default(view_16, [1, 0])
    permute_2: f32[2, 128, 4, 64] = aten.permute.default(getitem_5, [0, 2, 1, 3])
    view_3: f32[2, 128, 256] = aten.reshape.default(permute_2, [2, 128, 256])
    view_4: f32[256, 256] = aten.reshape.default(view_3, [256, 256])
    mm_5: f32[256, 256] = aten.mm.default(permute_15, view_4)
    sum_7: f32[1, 256] = aten.sum.dim_IntList(view_16, [0], True)
    view_17: f32[256] = aten.reshape.default(sum_7, [256])
    view_18: f32[2, 128, 256] = aten.reshape.default(mm_4, [2, 128, 256])
    view_19: f32[2, 128, 4, 64] = aten.reshape.default(view_18, [2, 128, 4, 64])
    permute_18: f32[2, 4, 128, 64][32768, 64, 256, 1] = aten.permute.default(view_19, [0, 2, 1, 3])
    # forward: attended = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    _scaled_dot_product_efficient_attention_backward = aten._scaled_dot_product_efficient_attention_backward.default(permute_18, getitem_2, getitem_3, getitem_4, None, getitem_5, getitem_6, getitem_7, getitem_8, 0.0, [True, True, True, False], True)
    getitem_11: f32[2, 4, 128, 64][32768, 64, 256, 1] = _scaled_dot_product_efficient_attention_backward[0]
    getitem_12: f32[2, 4, 128, 64][32768, 64, 256, 1] = _scaled_dot_product_efficient_attention_backward[1]
    getitem_13: f32[2, 4, 128, 64][32768, 64, 256, 1] = _scaled_dot_product_efficient_attention_backward[2]
    # forward: query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
    cat: f32[6, 4, 128, 64] = aten.cat.default([getitem_11, getitem_12, getitem_13])
    view_20: f32[3, 2, 4, 128, 64] = aten.reshape.default(cat, [3, 2, 4, 128, 64])
    permute_19: f32[2, 128, 3, 4, 64][32768, 64, 65536, 8192, 1] = aten.permute.default(view_20, [1, 3, 0, 2, 4])
    # forward: split = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
    clone: f32[2, 128, 3, 4, 64] = aten.clone.default(permute_19, memory_format=torch.contiguous_format)
    view_21: f32[2, 128, 768] = aten.reshape.default(clone, [2, 128, 768])
    view_22: f32[256, 768] = aten.reshape.default(view_21, [256, 768])
    permute: f32[256, 768][1, 256] = aten.permute.default(primals_4, [1, 0])
    permute_20: f32[768, 256] = aten.permute.default(permute, [1, 0])
    mm_6: f32[256, 256] = aten.mm.default(view_22, permute_20)
    permute_21: f32[768, 256][1, 768] = aten.permute.default(view_22, [1, 0])
    mm_7: f32[768, 256] = aten.mm.default(permute_21, view)
    sum_8: f32[1, 768] = aten.sum.dim_IntList(view_22, [0], True)
    view_23: f32[768] = aten.reshape.default(sum_8, [768])
    view_24: f32[2, 128, 256] = aten.reshape.default(mm_6, [2, 128, 256])
    sub: f32[2, 128, 256] = aten.sub.Tensor(primals_1, getitem_1)
    mul: f32[2, 128, 256] = aten.mul.Tensor(sub, rsqrt)
    mul_26: f32[2, 128, 256] = aten.mul.Tensor(view_24, mul)
    sum_11: f32[256] = aten.sum.dim_IntList(mul_26, [0, 1])
    sum_12: f32[256] = aten.sum.dim_IntList(view_24, [0, 1])
    return (None, sum_11, sum_12, mm_7, view_23, mm_5, view_17, sum_5, sum_6, mm_3, view_14, mm_1, view_11)
