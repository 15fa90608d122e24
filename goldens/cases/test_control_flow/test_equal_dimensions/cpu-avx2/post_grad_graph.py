# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: Sym(s33), arg1_1: f32[s33], arg2_1: f32[s33]):
    add: f32[s33] = aten.add.Tensor(arg1_1, arg2_1)
    return (add,)
