# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8]):
    # <lambda>: captured = compile_stages(lambda x: outer(x * 2), torch.ones(8))
    mul: f32[8] = operator.mul(l_x_, 2)
    return (mul,)


def graph_1(l_x_: f32[8]):
    # inner: return x.sin() + 1
    sin: f32[8] = l_x_.sin()
    add: f32[8] = operator.add(sin, 1)
    return (add,)
