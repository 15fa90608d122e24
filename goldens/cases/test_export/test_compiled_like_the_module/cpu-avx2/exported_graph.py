# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: exported_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

inputs = [
    ("p_0_weight", "parameter 0.weight"),
    ("p_0_bias", "parameter 0.bias"),
    ("p_2_weight", "parameter 2.weight"),
    ("p_2_bias", "parameter 2.bias"),
    ("input", "user_input"),
]
outputs = [
    ("addmm_1", "user_output"),
]
ranges = []

def program(
    p_0_weight: f32[32, 16],
    p_0_bias: f32[32],
    p_2_weight: f32[16, 32],
    p_2_bias: f32[16],
    input: f32[8, 16],
):
    permute: f32[16, 32][1, 16] = aten.permute.default(p_0_weight, [1, 0])
    addmm: f32[8, 32] = aten.addmm.default(p_0_bias, input, permute)
    gelu: f32[8, 32] = aten.gelu.default(addmm)
    permute_1: f32[32, 16][1, 32] = aten.permute.default(p_2_weight, [1, 0])
    addmm_1: f32[8, 16] = aten.addmm.default(p_2_bias, gelu, permute_1)
    return (addmm_1,)
