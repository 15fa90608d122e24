"""Mutations of the functions that write the lines of kernels: a report must show them in the kernels."""

from __future__ import annotations

from benchmarks.sensitivity.mutation import Mutation
from benchmarks.sensitivity.rewrite import edit, prepend

_TRITON = "torch._inductor.codegen.triton:"
_CPP = "torch._inductor.codegen.cpp:"


def _emitter(
    module: str,
    stage: str,
    name: str,
    function: str,
    *changes: tuple[str, str],
    near: str,
) -> Mutation:
    # A case that has only machine code cannot say more.
    blame = rf"^{stage}\b|^kernel_resources\b"
    return Mutation(name, "emitter", edit(module + function, *changes), blame, near)


def _triton(name: str, function: str, *changes: tuple[str, str], near: str) -> Mutation:
    return _emitter(_TRITON, "triton_code", name, function, *changes, near=near)


def _cpp(name: str, function: str, *changes: tuple[str, str], near: str) -> Mutation:
    return _emitter(_CPP, "cpp_code", name, function, *changes, near=near)


_TRITON_OPERATORS = [
    _triton(
        "square root that is rounded otherwise",
        "TritonOverrides.sqrt",
        ("tl.sqrt_rn(", "tl.sqrt("),
        near="test_step|test_adam",
    ),
    _triton(
        "inverse square root, fast",
        "TritonOverrides.rsqrt",
        ("libdevice.rsqrt(", "tl.rsqrt("),
        near="test_rms_norm|test_layer_norm",
    ),
    _triton(
        "erf by its complement",
        "TritonOverrides.erf",
        ("libdevice.erf({x})", "1 - libdevice.erfc({x})"),
        near="gelu",
    ),
    _triton(
        "tanh of one more sum",
        "TritonOverrides.tanh",
        ("libdevice.tanh({x})", "libdevice.tanh({x} + 0)"),
        near="test_activations|test_odd_pointwise|test_mish",
    ),
    _triton(
        "cosine by the library",
        "TritonOverrides.cos",
        ("tl_math.cos(", "libdevice.cos("),
        near="test_cat_of",
    ),
    _triton(
        "absolute value by the library",
        "TritonOverrides.abs",
        ("tl_math.abs(", "tl.abs("),
        near="quantise|test_norm",
    ),
    _triton(
        "choice with its operands turned",
        "TritonOverrides.where",
        ("tl.where({a}, {b}, {c})", "tl.where(({a}) == 0, {c}, {b})"),
        near="test_where_mask|test_dropout",
    ),
    Mutation(
        "maximum with its operands turned",
        "emitter",
        prepend(_TRITON + "TritonOverrides.maximum", "a, b = b, a"),
        r"^triton_code\b",
        near="test_chain|relu|training",
    ),
    _triton(
        "logical and by a product",
        "TritonOverrides.logical_and",
        ("{a} & {b}", "({a}) * ({b})"),
        near="test_recompile_on_new_size",
    ),
    _triton(
        "random numbers from the next place",
        "TritonOverrides.rand",
        ('f"({offset}).to(tl.uint32)"', 'f"({offset} + 1).to(tl.uint32)"'),
        near="test_dropout",
    ),
    _triton(
        "division that is rounded to nearest",
        "TritonOverrides.truediv",
        ('out = f"({x} / {y})"', 'out = f"tl.div_rn({x}, {y})"'),
        near="test_softmax|test_layer_norm",
    ),
    _triton(
        "casts through float32",
        "TritonOverrides.to_dtype",
        (
            'return f"{x}.to({out_dtype})"',
            'return f"{x}.to(tl.float32).to({out_dtype})"',
        ),
        near="test_half_precision|test_casts|test_mixed_dtypes",
    ),
    _triton(
        "constants have one element",
        "TritonOverrides._shaped_constant",
        (
            'return f"tl.full({shape}, {triton_val}, {triton_type})"',
            'return f"tl.full([1], {triton_val}, {triton_type})"',
        ),
        near="test_chain|test_softmax|gelu",
    ),
    _triton(
        "what a mask leaves out is float32",
        "TritonKernelOverrides.masked",
        ("{result}.dtype)", "tl.float32)"),
        near="test_cat_in|test_pad",
    ),
]

_TRITON_LINES = [
    _triton(
        "loads of half precision are widened twice",
        "TritonKernel.load",
        ('line += ".to(tl.float32)"', 'line += ".to(tl.float32).to(tl.float32)"'),
        near="test_half_precision",
    ),
    _triton(
        "stores at offsets from zero",
        "TritonKernel.store",
        (
            'line = f"tl.store({var} + ({indexing_str})',
            'line = f"tl.store({var} + (0 + {indexing_str})',
        ),
        near="test_chain",
    ),
    _triton(
        "reductions stored without their mask",
        "TritonKernel.store_reduction",
        (
            'f"tl.store({var} + ({indexing_str}), {value}, {indexing.mask_str})"',
            'f"tl.store({var} + ({indexing_str}), {value}, None)"',
        ),
        near="test_odd_sizes|test_sum|test_variance",
    ),
    _triton(
        "what is reduced has zero added",
        "TritonKernel.reduction",
        (
            'f"tl.broadcast_to({v}, {dense_size_str})"',
            'f"tl.broadcast_to({v} + 0, {dense_size_str})"',
        ),
        near="test_sum|test_softmax",
    ),
    _triton(
        "online softmax that is fast",
        "TritonKernel.online_softmax_reduce_final_reduction",
        ("use_fast_math}", "use_fast_math or True}"),
        near="test_rows_of_2048|test_choices_of_reductions",
    ),
    _triton(
        "Welford along a dimension from zero",
        "TritonKernel._welford",
        (
            "triton_helpers.welford({mean}, {m2}, {weight}, {dim})",
            "triton_helpers.welford({mean}, {m2}, {weight}, {dim} + 0)",
        ),
        near="test_variance|test_layer_norm|test_batch_norm",
    ),
    _triton(
        "scans from the end",
        "TritonKernel.scan",
        ("{dim}, {combine_helper_fn})", "{dim}, {combine_helper_fn}, reverse=True)"),
        near="test_cumsum|scan",
    ),
    _triton(
        "sorts that are stable",
        "TritonKernel.sort",
        ("stable={stable}", "stable=True"),
        near="test_sort|test_topk|test_stable_sort",
    ),
    _triton(
        "numbers of programs from zero",
        "TritonKernel.iteration_ranges_get_pid",
        ("tl.program_id({entry.grid_dim})", "tl.program_id({entry.grid_dim} + 0)"),
        near="test_chain",
    ),
    _triton(
        "offsets first in ranges",
        "TritonKernel.iteration_ranges_codegen_header",
        (
            "{x}offset + {self.iteration_ranges_ranges_code(entry)}",
            "{self.iteration_ranges_ranges_code(entry)} + {x}offset",
        ),
        near="test_chain",
    ),
    _triton(
        "sizes are not constants",
        "TritonKernel.codegen_static_numels",
        (
            "numel = {int(simplified_tree_numel)}",
            "numel = {int(simplified_tree_numel)} + 0",
        ),
        near="test_chain",
    ),
    _triton(
        "another block of a persistent reduction",
        "TritonKernel.codegen_static_numels",
        ("BLOCK: tl.constexpr = {val}", "BLOCK: tl.constexpr = 2 * {val}"),
        near="test_softmax",
    ),
    _triton(
        "indices from zero",
        "TritonKernel.codegen_iteration_ranges_entry",
        (
            "{self.kexpr(self.rename_indexing(entry.expr))}",
            "0 + {self.kexpr(self.rename_indexing(entry.expr))}",
        ),
        near="test_transposed|test_permuted",
    ),
]

_CPP_LINES = [
    _cpp(
        "vector exponential, fast",
        "CppVecOverrides.exp",
        (".exp()", ".exp_u20()"),
        near="test_softmax",
    ),
    _cpp(
        "vector square root by a power",
        "CppVecOverrides.sqrt",
        (".sqrt()", ".pow(0.5)"),
        near="test_step|test_adam",
    ),
    _cpp(
        "vector inverse square root",
        "CppVecOverrides.rsqrt",
        (".rsqrt()", ".sqrt().reciprocal()"),
        near="_norm",
    ),
    _cpp(
        "vector erf by its complement",
        "CppVecOverrides.erf",
        ("{x}.erf()", "1 - {x}.erfc()"),
        near="gelu",
    ),
    _cpp(
        "vector sigmoid with another sign",
        "CppVecOverrides.sigmoid",
        ("{x}.neg().exp()", "(-{x}).exp()"),
        near="test_chain|silu|gated",
    ),
    _cpp(
        "vector relu as a maximum",
        "CppVecOverrides.relu",
        ("at::vec::clamp_min({x}, ", "at::vec::maximum({x}, "),
        near="test_chain|relu|training",
    ),
    _cpp(
        "vector choice with its operands turned",
        "CppVecOverrides.where",
        (
            'return f"decltype({b})::blendv({c}, {b}, ',
            'return f"decltype({c})::blendv({c}, {b}, ',
        ),
        near="test_where_mask|mask",
    ),
    _cpp(
        "scalar choice in brackets",
        "CppOverrides.where",
        ('f"{a} ?', 'f"({a} && true) ?'),
        near="test_pooling_with_indices|test_cache_update",
    ),
    _cpp(
        "loads of vectors, negated twice",
        "CppVecKernel.load",
        (
            "self.cse.generate(self.loads, line, dtype=dtype)",
            "self.cse.generate(self.loads, line + '.neg().neg()', dtype=dtype)",
        ),
        near="test_chain",
    ),
    _cpp(
        "loads through a pointer",
        "CppKernel.load",
        ('f"{var}[{cexpr_index(index)}]"', 'f"*({var} + {cexpr_index(index)})"'),
        near="test_pad|test_odd",
    ),
    _cpp(
        "stores through a pointer",
        "CppKernel.store",
        (
            'f"{var}[{cexpr_index(index)}] = {value};"',
            'f"*({var} + {cexpr_index(index)}) = {value};"',
        ),
        near="test_every_third|test_odd",
    ),
    _cpp(
        "tiles are stored whole",
        "CppTile2DKernel.store",
        (
            "{value}.store({storebuf}, {cexpr_index(self.num_elems)});",
            "{value}.store({storebuf});",
        ),
        near="test_transposed|test_odd",
    ),
]

EMITTER_MUTATIONS = [*_TRITON_OPERATORS, *_TRITON_LINES, *_CPP_LINES]
