# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: pre_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[4, 8, 16], l_y_: f32[4, 8, 16]):
    transpose_matmul = torch._inductor.fx_passes.pre_grad.transpose_matmul(l_x_, l_y_, True, False)
    return (transpose_matmul,)
