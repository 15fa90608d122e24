# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: f16[2, 4, 8, 16],
    arg1_1: f16[2, 4, 8, 16],
    arg2_1: b8[1, 1, 8, 8],
    arg3_1: f32[2, 1, 1, 8],
    arg4_1: f16[2, 4, 8, 16],
):
    full_default_2: f16[()] = aten.full.default([], -inf, dtype=torch.float16, device=device('cpu'), pin_memory=False)
    where_self: f32[2, 1, 8, 8] = aten.where.self(arg2_1, arg3_1, full_default_2)
    _scaled_dot_product_flash_attention_for_cpu_default = aten._scaled_dot_product_flash_attention_for_cpu.default(arg1_1, arg0_1, arg4_1, attn_mask=where_self, scale=0.25)
    # chosen_masked: return (chosen(q, k, causal) + mask).softmax(-1).type(v.dtype) @ v
    getitem: f16[2, 4, 8, 16] = _scaled_dot_product_flash_attention_for_cpu_default[0]
    return (getitem,)
