# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: aot_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64]):
    # <lambda>: captured = compile_stages(lambda x: torch.nn.functional.silu(x), torch.randn(64))
    sigmoid: f32[64] = aten.sigmoid.default(arg0_1)
    mul: f32[64] = aten.mul.Tensor(sigmoid, arg0_1)
    return (mul,)
