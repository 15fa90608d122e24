# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: backward_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_backward(
    primals_1: bf16[1, 4, 256, 64],
    primals_2: bf16[1, 4, 256, 64],
    primals_3: bf16[1, 4, 256, 64],
    full: i32[1, 1, 1],
    full_default: i32[1, 1, 1, 1],
    convert_element_type: i32[1, 1, 1],
    convert_element_type_1: i32[1, 1, 1, 1],
    getitem_2: bf16[1, 4, 256, 64],
    getitem_3: f32[1, 4, 256],
    tangents_1: bf16[1, 4, 256, 64],
):
    # <lambda>: lambda q, k, v: flex_attention(q, k, v, score_mod=soft_cap), *qkv(requires_grad=True), train=True
    fw_graph0 = self.fw_graph0
    joint_graph0 = self.joint_graph0
    mask_graph0 = self.mask_graph0
    flex_attention_backward = higher_order.flex_attention_backward(primals_1, primals_2, primals_3, getitem_2, getitem_3, tangents_1, None, fw_graph0, joint_graph0, (1, 1, full, full_default, None, None, convert_element_type, convert_element_type_1, None, None, None, None, None, None, 1073741824, 1073741824, mask_graph0), 0.125, {'BACKEND': 'AUTO', 'PRESCALE_QK': False, 'ROWS_GUARANTEED_SAFE': False, 'BLOCKS_ARE_CONTIGUOUS': False, 'WRITE_DQ': True, 'OUTPUT_LOGSUMEXP': True, 'OUTPUT_MAX': False}, (), ())
    getitem_5: bf16[1, 4, 256, 64] = flex_attention_backward[0]
    getitem_6: bf16[1, 4, 256, 64] = flex_attention_backward[1]
    getitem_7: bf16[1, 4, 256, 64] = flex_attention_backward[2]
    return (getitem_5, getitem_6, getitem_7)


def graph_0_backward__fw_graph0(
    arg0_1: bf16[()],
    arg1_1: i32[()],
    arg2_1: i32[()],
    arg3_1: i32[()],
    arg4_1: i32[()],
):
    # <lambda>: lambda q, k, v: flex_attention(q, k, v, score_mod=soft_cap), *qkv(requires_grad=True), train=True
    div: bf16[()] = aten.div.Tensor(arg0_1, 20.0)
    tanh: bf16[()] = aten.tanh.default(div)
    mul: bf16[()] = aten.mul.Tensor(tanh, 20.0)
    return mul


def graph_0_backward__joint_graph0(
    arg0_1: bf16[()],
    arg1_1: i32[()],
    arg2_1: i32[()],
    arg3_1: i32[()],
    arg4_1: i32[()],
    arg5_1: bf16[()],
):
    # <lambda>: lambda q, k, v: flex_attention(q, k, v, score_mod=soft_cap), *qkv(requires_grad=True), train=True
    div: bf16[()] = aten.div.Tensor(arg0_1, 20.0)
    tanh: bf16[()] = aten.tanh.default(div)
    mul_1: bf16[()] = aten.mul.Tensor(arg5_1, 20.0)
    convert_element_type: f32[()] = prims.convert_element_type.default(mul_1, torch.float32)
    convert_element_type_1: f32[()] = prims.convert_element_type.default(tanh, torch.float32)
    mul_2: f32[()] = aten.mul.Tensor(convert_element_type_1, convert_element_type_1)
    sub: f32[()] = aten.sub.Tensor(1, mul_2)
    mul_3: f32[()] = aten.mul.Tensor(convert_element_type, sub)
    convert_element_type_2: bf16[()] = prims.convert_element_type.default(mul_3, torch.bfloat16)
    div_1: bf16[()] = aten.div.Tensor(convert_element_type_2, 20.0)
    return [div_1, None, None, None, None]


def graph_0_backward__mask_graph0(arg0_1: i32[()], arg1_1: i32[()], arg2_1: i32[()], arg3_1: i32[()]):
    # <lambda>: lambda q, k, v: flex_attention(q, k, v, score_mod=soft_cap), *qkv(requires_grad=True), train=True
    full_default: b8[()] = aten.full.default([], True, dtype=torch.bool, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    return full_default
