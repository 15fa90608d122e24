# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0_forward(primals_1: f32[128, 1000], primals_2: i64[128]):
    prepare_softmax_online_default = prims.prepare_softmax_online.default(primals_1, 1)
    getitem: f32[128, 1] = prepare_softmax_online_default[0]
    getitem_1: f32[128, 1] = prepare_softmax_online_default[1]
    sub_tensor: f32[128, 1000] = aten.sub.Tensor(primals_1, getitem)
    log: f32[128, 1] = aten.log.default(getitem_1)
    sub_1: f32[128, 1000] = aten.sub.Tensor(sub_tensor, log)
    ne: b8[128] = aten.ne.Scalar(primals_2, -100)
    full_default: i64[()] = aten.full.default([], 0, dtype=torch.int64, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    where: i64[128] = aten.where.self(ne, primals_2, full_default)
    unsqueeze: i64[128, 1] = aten.unsqueeze.default(where, 1)
    gather: f32[128, 1] = aten.gather.default(sub_1, 1, unsqueeze)
    squeeze: f32[128] = aten.squeeze.dim(gather, 1)
    neg: f32[128] = aten.neg.default(squeeze)
    full_default_1: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    where_1: f32[128] = aten.where.self(ne, neg, full_default_1)
    ne_2: b8[128] = aten.ne.Scalar(primals_2, -100)
    sum_2: i64[()] = aten.sum.default(ne_2)
    convert_element_type: f32[()] = prims.convert_element_type.default(sum_2, torch.float32)
    sum_3: f32[()] = aten.sum.default(where_1)
    div: f32[()] = aten.div.Tensor(sum_3, convert_element_type)
    return (div, primals_1, primals_2, getitem, log, convert_element_type)


def graph_0_backward(
    primals_1: f32[128, 1000],
    primals_2: i64[128],
    amax: f32[128, 1],
    log: f32[128, 1],
    convert_element_type: f32[()],
    tangents_1: f32[()],
):
    div_1: f32[()] = aten.div.Tensor(tangents_1, convert_element_type)
    unsqueeze_1: i64[128, 1] = aten.unsqueeze.default(primals_2, 1)
    ne_3: b8[128, 1] = aten.ne.Scalar(unsqueeze_1, -100)
    full_default_2: i64[()] = aten.full.default([], 0, dtype=torch.int64, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    where_2: i64[128, 1] = aten.where.self(ne_3, unsqueeze_1, full_default_2)
    iota_default: i64[1000] = prims.iota.default(1000, start=0, step=1, dtype=torch.int64, device=device('cuda:0'), requires_grad=False)
    view_default: i64[1, 1000] = aten.reshape.default(iota_default, [1, 1000])
    expand_default: i64[128, 1000][1, 0] = aten.expand.default(where_2, [128, 1000])
    eq_tensor: b8[128, 1000] = aten.eq.Tensor(expand_default, view_default)
    scalar_tensor_default: f32[()] = aten.scalar_tensor.default(0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'))
    scalar_tensor_default_1: f32[()] = aten.scalar_tensor.default(-1.0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'))
    where_self: f32[128, 1000] = aten.where.self(eq_tensor, scalar_tensor_default_1, scalar_tensor_default)
    full_default_4: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    where_3: f32[128, 1] = aten.where.self(ne_3, div_1, full_default_4)
    mul: f32[128, 1000] = aten.mul.Tensor(where_self, where_3)
    sub: f32[128, 1000] = aten.sub.Tensor(primals_1, amax)
    sub_1: f32[128, 1000] = aten.sub.Tensor(sub, log)
    exp_1: f32[128, 1000] = aten.exp.default(sub_1)
    sum_4: f32[128, 1] = aten.sum.dim_IntList(mul, [1], True)
    mul_1: f32[128, 1000] = aten.mul.Tensor(exp_1, sum_4)
    sub_2: f32[128, 1000] = aten.sub.Tensor(mul, mul_1)
    return (sub_2, None)
