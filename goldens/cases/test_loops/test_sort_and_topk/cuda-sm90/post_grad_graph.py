# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[32, 128]):
    # <lambda>: captured = compile_stages(lambda x: (x.sort(-1), x.topk(4)), torch.randn(32, 128))
    sort = aten.sort.default(arg0_1)
    getitem: f32[32, 128] = sort[0]
    getitem_1: i64[32, 128] = sort[1]
    topk = aten.topk.default(arg0_1, 4)
    getitem_2: f32[32, 4] = topk[0]
    getitem_3: i64[32, 4] = topk[1]
    return (getitem, getitem_1, getitem_2, getitem_3)
