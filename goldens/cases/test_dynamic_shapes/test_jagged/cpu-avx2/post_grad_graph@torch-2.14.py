# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(
    arg0_1: Sym(s47),
    arg1_1: f32[s67, 64],
    arg2_1: Sym(s67),
    arg3_1: i64[3],
    arg4_1: f32[s18, 0],
    arg5_1: Sym(s18),
    arg6_1: f32[s41, 0],
    arg7_1: Sym(s41),
    arg8_1: f32[64, 64],
):
    # <lambda>: captured = compile_stages(lambda nested, weight: torch.relu(nested @ weight), nested, torch.randn(64, 64))
    mm: f32[s67, 64] = aten.mm.default(arg1_1, arg8_1)
    relu: f32[s67, 64] = aten.relu.default(mm)
    return (relu, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1)
