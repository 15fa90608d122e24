# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8], random_value_0: f32[()]):
    # python_random_number: return x.sin() * random.Random(0).random()
    sin: f32[8] = l_x_.sin()
    mul: f32[8] = operator.mul(sin, random_value_0)
    return (mul,)
