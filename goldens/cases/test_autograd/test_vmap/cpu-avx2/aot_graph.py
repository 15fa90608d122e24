# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: aot_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4, 8], arg1_1: f32[16, 8]):
    # <lambda>: lambda weight, xs: torch.vmap(lambda x: weight @ x)(xs), torch.randn(4, 8), torch.randn(16, 8)
    permute: f32[8, 16][1, 8] = aten.permute.default(arg1_1, [1, 0])
    mm: f32[4, 16] = aten.mm.default(arg0_1, permute)
    permute_1: f32[16, 4][1, 16] = aten.permute.default(mm, [1, 0])
    return (permute_1,)
