# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: bf16[2, 8, 256, 64],
    primals_2: bf16[2, 8, 256, 64],
    primals_3: bf16[2, 8, 256, 64],
):
    _scaled_dot_product_flash_attention_for_cpu = aten._scaled_dot_product_flash_attention_for_cpu.default(primals_1, primals_2, primals_3, 0.0, True)
    getitem: bf16[2, 8, 256, 64] = _scaled_dot_product_flash_attention_for_cpu[0]
    getitem_1: f32[2, 8, 256][2048, 1, 8] = _scaled_dot_product_flash_attention_for_cpu[1]
    return (getitem, primals_1, primals_2, primals_3, getitem, getitem_1)


def graph_0_backward(
    primals_1: bf16[2, 8, 256, 64],
    primals_2: bf16[2, 8, 256, 64],
    primals_3: bf16[2, 8, 256, 64],
    getitem: bf16[2, 8, 256, 64],
    getitem_1: f32[2, 8, 256][2048, 1, 8],
    tangents_1: bf16[2, 8, 256, 64],
):
    _scaled_dot_product_flash_attention_for_cpu_backward = aten._scaled_dot_product_flash_attention_for_cpu_backward.default(tangents_1, primals_1, primals_2, primals_3, getitem, getitem_1, 0.0, True)
    getitem_2: bf16[2, 8, 256, 64][131072, 64, 512, 1] = _scaled_dot_product_flash_attention_for_cpu_backward[0]
    getitem_3: bf16[2, 8, 256, 64][131072, 64, 512, 1] = _scaled_dot_product_flash_attention_for_cpu_backward[1]
    getitem_4: bf16[2, 8, 256, 64][131072, 64, 512, 1] = _scaled_dot_product_flash_attention_for_cpu_backward[2]
    return (getitem_2, getitem_3, getitem_4)
