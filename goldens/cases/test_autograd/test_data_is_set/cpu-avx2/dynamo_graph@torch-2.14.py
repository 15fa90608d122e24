# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(l_y_: f32[8], l_x_: f32[8]):
    # f: x.data = y.sin()
    sin: f32[8] = l_y_.sin()
    shallow_copy_data_: f32[8] = aten.shallow_copy_data_(l_x_, sin)
    # f: return x + 1
    add: f32[8] = operator.add(l_x_, 1)
    return (add,)
