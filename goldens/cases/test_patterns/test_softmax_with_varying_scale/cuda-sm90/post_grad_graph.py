# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 512], arg1_1: f32[512]):
    # <lambda>: captured = compile_stages(lambda x, scale: torch.softmax(x * scale, -1), torch.randn(64, 512), torch.ones(512))
    mul: f32[64, 512] = aten.mul.Tensor(arg0_1, arg1_1)
    prepare_softmax_online_default = prims.prepare_softmax_online.default(mul, -1)
    getitem: f32[64, 1] = prepare_softmax_online_default[0]
    getitem_1: f32[64, 1] = prepare_softmax_online_default[1]
    sub_tensor: f32[64, 512] = aten.sub.Tensor(mul, getitem)
    exp_default: f32[64, 512] = aten.exp.default(sub_tensor)
    div: f32[64, 512] = aten.div.Tensor(exp_default, getitem_1)
    return (div,)
