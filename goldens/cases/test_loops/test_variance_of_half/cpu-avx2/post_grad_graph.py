# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: bf16[128, 768]):
    # <lambda>: captured = compile_stages(lambda x: torch.var_mean(x, -1), torch.randn(128, 768, dtype=torch.bfloat16))
    var_mean = aten.var_mean.correction(arg0_1, [-1], correction=1)
    getitem: bf16[128] = var_mean[0]
    getitem_1: bf16[128] = var_mean[1]
    return (getitem, getitem_1)
