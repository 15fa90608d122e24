# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.15.0, triton: 3.9.0, normaliser: 1

# graph_0: triton_poi_fused_add_permute_0
@triton_heuristics.pointwise(
    size_hints={'y': 256, 'x': 256}, tile_hint=TileHint.DEFAULT,
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'ynumel': 'i32', 'xnumel': 'i32', 'YBLOCK': 'constexpr', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid2D',
        'kernel_name': 'triton_poi_fused_add_permute_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 2,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': (),
        'tiling_scores': {'y': 262144, 'x': 786432},
        'tma_min_block_sizes': {'XBLOCK': 4, 'YBLOCK': 4},
        'uses_tma': True,
        'host_tma_descriptor_args': {'in_ptr0': {'block_shape': ['YBLOCK', 'XBLOCK'], 'shape': [256, 256], 'strides': [256, 1]}, 'in_ptr1': {'block_shape': ['XBLOCK', 'YBLOCK'], 'shape': [256, 256], 'strides': [256, 1]}, 'out_ptr0': {'block_shape': ['YBLOCK', 'XBLOCK'], 'shape': [256, 256], 'strides': [256, 1]}},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_permute_0(in_ptr0, in_ptr1, out_ptr0, ynumel, xnumel, YBLOCK : tl.constexpr, XBLOCK : tl.constexpr):
    ynumel = 256
    xnumel = 256
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    x1 = xindex
    y0 = yindex
    tmp0 = in_ptr0.load([yoffset, xoffset])
    tmp1 = tl.trans(in_ptr1.load([xoffset, yoffset]), [1, 0])
    tmp2 = tmp0 + tmp1
    out_ptr0.store([yoffset, xoffset], tl.broadcast_to(tmp2, [YBLOCK, XBLOCK]).to(tl.float32))
