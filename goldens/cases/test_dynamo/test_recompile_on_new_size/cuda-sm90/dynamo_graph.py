# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[32, 64]):
    # scaled: return (x * 2).softmax(-1).sum(0) + x.shape[0]
    mul: f32[32, 64] = operator.mul(l_x_, 2)
    softmax: f32[32, 64] = mul.softmax(-1)
    sum_1: f32[64] = softmax.sum(0)
    add: f32[64] = operator.add(sum_1, 32)
    return (add,)


def graph_1(s77: Sym(s77), l_x_: f32[s77, 64]):
    # scaled: return (x * 2).softmax(-1).sum(0) + x.shape[0]
    mul: f32[s77, 64] = operator.mul(l_x_, 2)
    softmax: f32[s77, 64] = mul.softmax(-1)
    sum_1: f32[64] = softmax.sum(0)
    add: f32[64] = operator.add(sum_1, s77)
    return (add,)
