# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f16[512, 512], arg1_1: f16[512, 512], arg2_1: f16[512, 512], arg3_1: f16[512, 512]):
    # <lambda>: captured = compile_stages(lambda a, b, c, d: a @ b + c @ d, *pairs)
    mm_plus_mm: f16[512, 512] = torch._inductor.fx_passes.post_grad.mm_plus_mm(mat1=arg0_1, mat2=arg1_1, mat3=arg2_1, mat4=arg3_1)
    return (mm_plus_mm,)
