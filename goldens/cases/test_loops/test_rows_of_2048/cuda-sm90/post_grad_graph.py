# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 2048]):
    prepare_softmax_online_default = prims.prepare_softmax_online.default(arg0_1, -1)
    # <lambda>: captured = compile_stages(lambda x: torch.softmax(x, -1), torch.randn(64, 2048))
    getitem: f32[64, 1] = prepare_softmax_online_default[0]
    getitem_1: f32[64, 1] = prepare_softmax_online_default[1]
    sub_tensor: f32[64, 2048] = aten.sub.Tensor(arg0_1, getitem)
    exp_default: f32[64, 2048] = aten.exp.default(sub_tensor)
    div: f32[64, 2048] = aten.div.Tensor(exp_default, getitem_1)
    return (div,)
