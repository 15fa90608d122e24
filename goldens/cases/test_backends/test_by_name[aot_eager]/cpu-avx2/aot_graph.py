# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: aot_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(primals_1: f32[16], primals_2: f32[16], primals_3: f32[8, 16], tangents_1: f32[8, 16]):
    native_layer_norm = aten.native_layer_norm.default(primals_3, [16], primals_1, primals_2, 1e-05)
    getitem: f32[8, 16] = native_layer_norm[0]
    getitem_1: f32[8, 1] = native_layer_norm[1]
    getitem_2: f32[8, 1] = native_layer_norm[2]
    native_layer_norm_backward = aten.native_layer_norm_backward.default(tangents_1, primals_3, [16], getitem_1, getitem_2, primals_1, primals_2, [False, True, True])
    getitem_4: f32[16] = native_layer_norm_backward[1]
    getitem_5: f32[16] = native_layer_norm_backward[2]
    return [getitem, getitem_4, getitem_5, None]
