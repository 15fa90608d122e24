# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: exported_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

inputs = [
    ("p_linear_weight", "parameter linear.weight"),
    ("p_linear_bias", "parameter linear.bias"),
    ("b_calls", "buffer calls"),
    ("b_scale", "temporary_buffer scale"),
    ("x", "user_input"),
]
outputs = [
    ("add", "buffer_mutation calls"),
    ("mul_2", "user_input_mutation x"),
    ("_softmax", "user_output"),
]
ranges = [
    ("s6", "[2, 64]"),
]

def program(
    p_linear_weight: f32[16, 16],
    p_linear_bias: f32[16],
    b_calls: f32[()],
    b_scale: f32[16],
    x: f32[s6, 16],
):
    # forward: self.calls += 1
    add: f32[()] = aten.add.Tensor(b_calls, 1)
    # forward: x.mul_(self.scale)
    mul_2: f32[s6, 16] = aten.mul.Tensor(x, b_scale)
    # forward: return F.softmax(self.linear(x), -1)
    permute: f32[16, 16][1, 16] = aten.permute.default(p_linear_weight, [1, 0])
    addmm: f32[s6, 16] = aten.addmm.default(p_linear_bias, mul_2, permute)
    _softmax: f32[s6, 16] = aten._softmax.default(addmm, -1, False)
    return (add, mul_2, _softmax)
