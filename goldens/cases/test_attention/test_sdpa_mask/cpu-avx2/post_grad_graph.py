# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: bf16[2, 8, 256, 64],
    arg1_1: bf16[2, 8, 256, 64],
    arg2_1: bf16[2, 8, 256, 64],
    arg3_1: bf16[256, 256],
):
    _scaled_dot_product_flash_attention_for_cpu = aten._scaled_dot_product_flash_attention_for_cpu.default(arg0_1, arg1_1, arg2_1, attn_mask=arg3_1)
    getitem: bf16[2, 8, 256, 64] = _scaled_dot_product_flash_attention_for_cpu[0]
    return (getitem,)
