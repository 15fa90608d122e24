# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64]):
    # <lambda>: captured = compile_stages(lambda x: x + torch.rand_like(x), torch.randn(64), config={"fallback_random": True})
    rand_like: f32[64] = aten.rand_like.default(arg0_1, pin_memory=False)
    add: f32[64] = aten.add.Tensor(arg0_1, rand_like)
    return (add,)
