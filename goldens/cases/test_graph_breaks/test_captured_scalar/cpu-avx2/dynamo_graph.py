# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8]):
    # value_of_a_tensor: return x * x.sum().item()
    sum_1: f32[()] = l_x_.sum()
    item: Sym(zuf0) = sum_1.item()
    mul: f32[8] = operator.mul(l_x_, item)
    return (mul,)
