# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: backward_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_backward(primals_1: f32[8, 4, 3, 3], primals_3: f32[2, 4, 8, 8], tangents_1: f32[2, 8, 6, 6]):
    convolution_backward = aten.convolution_backward.default(tangents_1, primals_3, primals_1, [8], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True])
    getitem: f32[2, 4, 8, 8] = convolution_backward[0]
    getitem_1: f32[8, 4, 3, 3] = convolution_backward[1]
    getitem_2: f32[8] = convolution_backward[2]
    return (getitem_1, getitem_2, getitem)
