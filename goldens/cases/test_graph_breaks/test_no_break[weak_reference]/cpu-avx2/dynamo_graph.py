# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8]):
    # weak_reference: y = x.sin()
    y: f32[8] = l_x_.sin()
    # weak_reference: return weakref.ref(y)() + 1
    add: f32[8] = operator.add(y, 1)
    return (add,)
