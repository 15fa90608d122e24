# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: Sym(s47),
    arg1_1: f32[s67, 64],
    arg2_1: i64[3],
    arg3_1: f32[s18, 0],
    arg4_1: f32[s41, 0],
    arg5_1: f32[64, 64],
):
    # <lambda>: captured = compile_stages(lambda nested, weight: torch.relu(nested @ weight), nested, torch.randn(64, 64))
    mm: f32[s67, 64] = aten.mm.default(arg1_1, arg5_1)
    relu: f32[s67, 64] = aten.relu.default(mm)
    return (relu, arg2_1, arg3_1, arg4_1)
