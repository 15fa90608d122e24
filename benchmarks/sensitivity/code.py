"""Mutations of code generation: Triton kernels, C++ kernels and the wrapper that calls them."""

from __future__ import annotations

from benchmarks.sensitivity.mutation import Mutation
from benchmarks.sensitivity.rewrite import edit, setting, skip

_TRITON = "torch._inductor.codegen.triton:TritonKernel."
_SIMD_KERNEL = "torch._inductor.codegen.simd:SIMDKernel."
_SIMD = "torch._inductor.codegen.simd:SIMDScheduling."
_CHOICES = "torch._inductor.choices:InductorChoices."
_CPP = "torch._inductor.codegen.cpp:"
_WRAPPER = "torch._inductor.codegen.wrapper:"

TRITON = r"^triton_code\b"
CPP = r"^cpp_code\b"
WRAPPER = r"^(wrapper_code|aot_wrapper)\b"
LAUNCH = r"^(launch|triton_code)\b"

_TRITON_KERNELS = [
    Mutation(
        "nothing is evicted last",
        "eviction policy",
        edit(_TRITON + "load", (", eviction_policy='evict_last'", "")),
        TRITON,
        near="test_broadcast",
    ),
    Mutation(
        "reductions keep what they read",
        "eviction policy",
        edit(_TRITON + "load", ('return "evict_first"', 'return "evict_last"')),
        TRITON,
        near="test_long_rows",
    ),
    Mutation(
        "the mask of a load is dropped",
        "mask dropped",
        edit(_TRITON + "load", ("{indexing.mask_str}{ep}", "None{ep}")),
        TRITON,
        near="test_odd_sizes",
    ),
    Mutation(
        "the mask of a store is dropped",
        "mask dropped",
        edit(_TRITON + "store", ("{value}, {indexing.mask_str})", "{value}, None)")),
        TRITON,
        near="test_odd_pointwise",
    ),
    Mutation(
        "masks are never constant",
        "mask added",
        skip(_TRITON + "_has_constant_mask", "False"),
        TRITON,
        near="test_chain",
    ),
    Mutation(
        "no other value for what a mask leaves out",
        "mask changed",
        edit(_TRITON + "load", ('other = ", other=0.0"', 'other = ""')),
        TRITON,
        near="test_softmax",
    ),
    Mutation(
        "atomic additions are ordered",
        "constant",
        edit(_TRITON + "store", ("sem='relaxed'", "sem='acq_rel'")),
        TRITON,
        near="test_scatter_add|index_put",
    ),
    Mutation(
        "no persistent reductions",
        "heuristic",
        setting("inductor.triton.persistent_reductions", False),
        TRITON,
        near="test_softmax",
    ),
    Mutation(
        "larger persistent reductions",
        "constant",
        edit(
            _CHOICES + "should_use_persistent_reduction",
            ("ReductionHint.INNER: 1024", "ReductionHint.INNER: 4096"),
        ),
        TRITON,
        near="test_rows_of_2048",
    ),
    Mutation(
        "smaller persistent reductions",
        "constant",
        edit(
            _CHOICES + "should_use_persistent_reduction",
            ("ReductionHint.INNER: 1024", "ReductionHint.INNER: 256"),
        ),
        TRITON,
        near="test_rows_of_512|test_softmax",
    ),
    Mutation(
        "one tile",
        "tile sizes",
        setting("inductor.triton.max_tiles", 1),
        TRITON,
        near="test_transposed_sum",
    ),
    Mutation(
        "tiles without a look at what is coalesced",
        "tile sizes",
        setting("inductor.triton.coalesce_tiling_analysis", False),
        TRITON + r"|^cache_key: .*\bcoalesce_tiling_analysis\b",
        near="test_transposed|test_permuted",
    ),
    Mutation(
        "half precision is computed in half",
        "heuristic",
        setting("inductor.triton.codegen_upcast_to_fp32", False),
        TRITON,
        near="test_half_precision",
    ),
    Mutation(
        "64-bit indices",
        "heuristic",
        skip(
            "torch._inductor.codegen.simd:SIMDScheduling.can_use_32bit_indexing",
            "False",
        ),
        TRITON,
        near="test_huge|test_chain",
    ),
    Mutation(
        "equal expressions are computed twice",
        "optimisation removed",
        edit(
            "torch._inductor.codegen.common:CSE.generate",
            ("var = self.try_get(cache_key)", "var = None"),
        ),
        TRITON + "|" + CPP,
        near="test_chain|test_activations",
    ),
    Mutation(
        "alignment is not told",
        "heuristic",
        edit(
            "torch._inductor.codegen.triton_utils:config_of",
            ("alignment=16", "alignment=32"),
        ),
        TRITON,
        near="test_sixteens",
    ),
    Mutation(
        "blocks of a pointwise kernel",
        "tile sizes",
        edit(
            "torch._inductor.runtime.triton_heuristics:triton_config",
            ("// num_elements_per_warp", "// (num_elements_per_warp // 4)"),
        ),
        LAUNCH,
        near="test_transposed_copy",
    ),
    Mutation(
        "warps of a reduction",
        "tile sizes",
        skip("torch._inductor.runtime.triton_heuristics:_num_warps", "4"),
        LAUNCH,
        near="test_long_rows",
    ),
    Mutation(
        "sigmoid by the library",
        "lowering changed",
        edit(
            "torch._inductor.codegen.triton:TritonOverrides.sigmoid",
            ("tl.sigmoid", "libdevice.sigmoid"),
        ),
        TRITON,
        near="test_chain",
    ),
    Mutation(
        "exponential by base two",
        "optimisation removed",
        edit(
            "torch._inductor.codegen.triton:TritonOverrides.exp",
            ("libdevice.exp(", "tl_math.exp("),
        ),
        TRITON,
        near="test_where_mask",
    ),
]

_CPP_KERNELS = [
    Mutation(
        "nothing is vectorised",
        "optimisation removed",
        skip(_CPP + "TilingSelect.select_tiling", "[], [], KernelOpStats()"),
        CPP,
        near="test_chain",
    ),
    Mutation(
        "vectors of half the width",
        "tile sizes",
        edit(
            _CPP + "TilingSelect.select_tiling",
            (
                "return [tiling_factor], tiling_indices",
                "return [tiling_factor // 2], tiling_indices",
            ),
        ),
        CPP,
        near="test_chain",
    ),
    Mutation(
        "loops on one thread",
        "heuristic",
        edit(
            _CPP + "CppKernel.decide_parallel_depth",
            ("seq = self.size_hint()", "threads = 1\n        seq = self.size_hint()"),
        ),
        CPP,
        near="test_chain",
    ),
    Mutation(
        "more work until threads are worth it",
        "constant",
        setting("inductor.cpp.min_chunk_size", 1 << 24),
        CPP,
        near="test_chain",
    ),
    Mutation(
        "the rest of a loop is scalar",
        "optimisation removed",
        setting("inductor.cpp.enable_loop_tail_vec", False),
        CPP,
        near="test_odd",
    ),
    Mutation(
        "small loops are vectorised",
        "heuristic",
        setting("inductor.cpp.enable_tiling_heuristics", False),
        CPP,
        near="test_every_third",
    ),
    Mutation(
        "tanh by the standard library",
        "lowering changed",
        edit(
            "torch._inductor.codegen.cpp:CppVecOverrides.tanh", (".tanh()", ".sinh()")
        ),
        CPP,
        near="test_odd_pointwise",
    ),
    Mutation(
        "the tail is stored whole",
        "mask dropped",
        edit(
            _CPP + "CppVecKernel._get_store_line",
            (
                "{value}.store({var_expr}, {cexpr_index(self.num_elems)});",
                "{value}.store({var_expr});",
            ),
        ),
        CPP,
        near="test_odd",
    ),
]

_WRAPPERS = [
    Mutation(
        "buffers are not reused",
        "buffer reuse",
        setting("inductor.allow_buffer_reuse", False),
        WRAPPER,
        near="test_products_in_a_row",
    ),
    Mutation(
        "nothing is computed in place",
        "buffer reuse",
        setting("inductor.inplace_buffers", False),
        WRAPPER + "|" + TRITON + "|" + CPP,
        near="test_buffers_reused|test_linear_gelu",
    ),
    Mutation(
        "buffers come from pools",
        "memory planning",
        setting("inductor.memory_planning", True),
        WRAPPER,
        near="test_buffers_reused",
    ),
    Mutation(
        "sizes are not asserted",
        "codegen",
        setting("inductor.size_asserts", False),
        WRAPPER,
        near="test_softmax",
    ),
    Mutation(
        "reuse for neighbours only",
        "buffer reuse",
        edit(
            _WRAPPER + "AllocateLine.should_reuse_buffer",
            ("return new_peak_memory <= overall_peak_memory", "return False"),
        ),
        WRAPPER,
        near="test_memory",
    ),
    Mutation(
        "buffers are freed at the end",
        "buffer reuse",
        skip(_WRAPPER + "PythonWrapperCodegen.codegen_free"),
        WRAPPER,
        near="test_buffers_reused",
    ),
    Mutation(
        "allocations of one element more",
        "memory planning",
        edit(
            _WRAPPER + "PythonWrapperCodegen.make_allocation",
            (
                'f"{codegen_allocation_shape_tuple}, "',
                'f"{codegen_allocation_shape_tuple} + (1,), "',
            ),
        ),
        WRAPPER,
        near="test_softmax",
    ),
]

CODE_MUTATIONS = [*_TRITON_KERNELS, *_CPP_KERNELS, *_WRAPPERS]
