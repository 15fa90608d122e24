# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: template_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0: triton_unk_fused_add_relu_scale_by_0
@triton.jit
def _triton_unk_fused_add_relu_scale_by_0(x, out_ptr0, count, BLOCK: tl.constexpr):
    x_epilogue0_0 = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    _tile_mask_0 = x_epilogue0_0 < count
    _kernel_val_0 = tl.load(x + x_epilogue0_0, _tile_mask_0) * 2.0
    x_epilogue0_index = x_epilogue0_0
    tmp0 = tl.full([1], 0, tl.int32)
    tmp1 = triton_helpers.maximum(tmp0, _kernel_val_0)
    tmp2 = tl.full([1], 1.0, tl.float32)
    tmp3 = tmp1 + tmp2
    tl.store(out_ptr0 + tl.broadcast_to(x_epilogue0_index, _kernel_val_0.shape), tmp3, _tile_mask_0)

def triton_unk_fused_add_relu_scale_by_0(x, out_ptr0):
    _triton_unk_fused_add_relu_scale_by_0[triton.cdiv(x.numel(), 1024),](x, out_ptr0, x.numel(), BLOCK=1024)
    return out_ptr0
