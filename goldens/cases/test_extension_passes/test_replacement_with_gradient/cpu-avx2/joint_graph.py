# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: joint_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_joint(primals_1: f32[8, 8], tangents_1: f32[8, 8]):
    neg_default: f32[8, 8] = aten.neg.default(primals_1)
    exp_default: f32[8, 8] = aten.exp.default(neg_default)
    add_tensor: f32[8, 8] = aten.add.Tensor(exp_default, 1)
    # gelu_by_hand: return x * 0.5 * (1.0 + torch.erf(x * 0.7071067811865476))
    div_tensor: f32[8, 8] = aten.div.Tensor(primals_1, add_tensor)
    neg_default_1: f32[8, 8] = aten.neg.default(primals_1)
    exp_default_1: f32[8, 8] = aten.exp.default(neg_default_1)
    add_tensor_1: f32[8, 8] = aten.add.Tensor(exp_default_1, 1)
    reciprocal_default: f32[8, 8] = aten.reciprocal.default(add_tensor_1)
    mul_tensor: f32[8, 8] = aten.mul.Tensor(reciprocal_default, 1)
    mul_tensor_1: f32[8, 8] = aten.mul.Tensor(tangents_1, mul_tensor)
    sub_tensor: f32[8, 8] = aten.sub.Tensor(1, mul_tensor)
    mul_tensor_2: f32[8, 8] = aten.mul.Tensor(primals_1, sub_tensor)
    add_tensor_2: f32[8, 8] = aten.add.Tensor(mul_tensor_2, 1)
    mul_tensor_3: f32[8, 8] = aten.mul.Tensor(mul_tensor_1, add_tensor_2)
    return [div_tensor, mul_tensor_3]
