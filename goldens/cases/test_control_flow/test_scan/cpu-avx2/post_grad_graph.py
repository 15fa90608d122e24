# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4], arg1_1: f32[6, 4]):
    # <lambda>: captured = compile_stages(lambda start, xs: scan(step, start, xs), *inputs, config=SCALARS)
    scan_combine_graph_0 = self.scan_combine_graph_0
    full_default: i64[()] = aten.full.default([], 0, dtype=torch.int64, layout=torch.strided, device=device('cpu'), pin_memory=False)
    empty_strided_default: f32[6, 4] = aten.empty_strided.default([6, 4], [4, 1], dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    while_loop_cond_graph_0_0 = self.while_loop_cond_graph_0_0
    while_loop_body_graph_0_0 = self.while_loop_body_graph_0_0
    while_loop = higher_order.while_loop(while_loop_cond_graph_0_0, while_loop_body_graph_0_0, (full_default, empty_strided_default, arg0_1, arg1_1), ())
    getitem_3: f32[6, 4] = while_loop[1]
    getitem_4: f32[4] = while_loop[2]
    return (getitem_4, getitem_3)


def graph_0__scan_combine_graph_0(arg0_1: f32[4], arg1_1: f32[4]):
    # step: carry = carry * 0.5 + x
    mul: f32[4] = aten.mul.Tensor(arg0_1, 0.5)
    add: f32[4] = aten.add.Tensor(mul, arg1_1)
    # step: return carry, carry.clone()
    clone: f32[4] = aten.clone.default(add)
    return [add, clone]


def graph_0__while_loop_cond_graph_0_0(arg0_1: i64[()], arg1_1: f32[6, 4], arg2_1: f32[4], arg3_1: f32[6, 4]):
    lt: b8[()] = aten.lt.Scalar(arg0_1, 6)
    return lt


def graph_0__while_loop_body_graph_0_0(arg0_1: i64[()], arg1_1: f32[6, 4], arg2_1: f32[4], arg3_1: f32[6, 4]):
    _local_scalar_dense: Sym(u0) = aten._local_scalar_dense.default(arg0_1)
    ge_1: Sym(u0 >= 0) = operator.ge(_local_scalar_dense, 0)
    _assert_scalar_default = aten._assert_scalar.default(ge_1, "Runtime assertion failed for expression u0 >= 0 on node 'ge_1'")
    le: Sym(u0 <= 5) = operator.le(_local_scalar_dense, 5)
    _assert_scalar_default_1 = aten._assert_scalar.default(le, "Runtime assertion failed for expression u0 <= 5 on node 'le'")
    lt_1: Sym(u0 < 6) = operator.lt(_local_scalar_dense, 6)
    _assert_scalar_default_2 = aten._assert_scalar.default(lt_1, "Runtime assertion failed for expression u0 < 6 on node 'lt_1'")
    select: f32[4] = aten.select.int(arg3_1, 0, _local_scalar_dense)
    mul: f32[4] = aten.mul.Tensor(arg2_1, 0.5)
    add: f32[4] = aten.add.Tensor(mul, select)
    clone: f32[4] = aten.clone.default(add)
    select_1: f32[4] = aten.select.int(arg1_1, 0, _local_scalar_dense)
    copy_: f32[4] = aten.copy_.default(select_1, clone)
    add_1: i64[()] = aten.add.Tensor(arg0_1, 1)
    return (add_1, arg1_1, add, arg3_1)
