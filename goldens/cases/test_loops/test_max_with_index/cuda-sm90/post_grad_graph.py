# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 512]):
    # <lambda>: captured = compile_stages(lambda x: torch.max(x, -1), torch.randn(64, 512))
    max_1 = aten.max.dim(arg0_1, -1)
    getitem: f32[64] = max_1[0]
    getitem_1: i64[64] = max_1[1]
    return (getitem, getitem_1)
