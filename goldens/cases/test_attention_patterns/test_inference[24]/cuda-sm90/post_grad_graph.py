# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: f16[2, 4, 8, 16],
    arg1_1: f16[2, 4, 8, 16],
    arg2_1: f32[2, 1, 1, 8],
    arg3_1: f16[2, 4, 8, 16],
):
    convert_element_type_default: f16[2, 1, 1, 8] = prims.convert_element_type.default(arg2_1, torch.float16)
    _scaled_dot_product_cudnn_attention_default = aten._scaled_dot_product_cudnn_attention.default(arg0_1, arg1_1, arg3_1, convert_element_type_default, False, scale=1.0)
    # heads_in_the_batch: return torch.bmm(weights, v.reshape(8, -1, 16)).view(2, 4, 8, 16)
    getitem: f16[2, 4, 8, 16] = _scaled_dot_product_cudnn_attention_default[0]
    return (getitem,)
