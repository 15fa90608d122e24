# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: f32[64, 64],
    arg1_1: f32[64, 64],
    arg2_1: f32[64, 64],
    arg3_1: f32[64, 64],
    arg4_1: f32[64, 64],
    arg5_1: f32[64, 64],
):
    # f: total = a + b * c + d * e + g
    mul: f32[64, 64] = aten.mul.Tensor(arg0_1, arg1_1)
    add: f32[64, 64] = aten.add.Tensor(arg2_1, mul)
    mul_1: f32[64, 64] = aten.mul.Tensor(arg3_1, arg4_1)
    add_1: f32[64, 64] = aten.add.Tensor(add, mul_1)
    add_2: f32[64, 64] = aten.add.Tensor(add_1, arg5_1)
    # f: return total.sin(), total.flip(0), total.t() + 1, total.sum()
    sin: f32[64, 64] = aten.sin.default(add_2)
    rev: f32[64, 64] = prims.rev.default(add_2, [0])
    permute: f32[64, 64][1, 64] = aten.permute.default(add_2, [1, 0])
    add_3: f32[64, 64][1, 64] = aten.add.Tensor(permute, 1)
    sum_1: f32[()] = aten.sum.default(add_2)
    return (sin, rev, add_3, sum_1)
