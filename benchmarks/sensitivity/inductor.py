"""Mutations of Inductor's lowering and its scheduler."""

from __future__ import annotations

from benchmarks.sensitivity.mutation import Mutation
from benchmarks.sensitivity.rewrite import Change, edit, prepend, setting, skip

_LOWERING = "torch._inductor.lowering:"
_IR = "torch._inductor.ir:"
_GRAPH = "torch._inductor.graph:GraphLowering."
_CHOICES = "torch._inductor.choices:InductorChoices."
_SCHEDULER = "torch._inductor.scheduler:Scheduler."
_SIMD = "torch._inductor.codegen.simd:SIMDScheduling."
_CPP = "torch._inductor.codegen.cpp:CppScheduling."

LOWERED = r"^(lowering\b|lowered_ir\b|loop bodies\b|Inductor's IR\b)"
SCHEDULED = r"^(scheduler /|scheduler_nodes\b)"
# In C++, operations that are one kernel may still have loops of their own.
_LOOPS = rf"{SCHEDULED}|^cpp_code\b"


def _library_call(operator: str) -> Change:
    """Lower an aten overload to a library call."""

    def apply() -> None:
        import torch
        from torch._inductor.lowering import fallback_handler, lowerings

        name, _, overload = operator.partition(".")
        target = getattr(getattr(torch.ops.aten, name), overload)
        lowerings[target] = fallback_handler(target)

    return Change(apply)


_LOWERINGS = [
    *(
        Mutation(
            f"{operator} is a library call",
            "lowering to fallback",
            _library_call(operator),
            # On targets where it is a library call already, its arguments change.
            rf"^lowering / aten\.{operator}|^wrapper_code: .* at torch\.ops\.aten\.{operator.partition('.')[0]}$",
            near,
        )
        for operator, near in {
            "exp.default": "test_where_mask|test_softmax",
            "sum.dim_IntList": "test_sum_of_product",
            "embedding.default": "test_embedding",
            "index.Tensor": "test_positions",
            "cat.default": "test_cat_in",
            "constant_pad_nd.default": "test_pad",
            "gather.default": "test_gather",
            "cumsum.default": "test_cumsum",
            "where.self": "test_where_mask",
        }.items()
    ),
    Mutation(
        "a square is not unrolled",
        "constant",
        edit(_LOWERING + "pow", ("-32 < b < 32", "-2 < b < 2")),
        LOWERED,
        near="test_powers",
    ),
    Mutation(
        "variance in two steps never",
        "heuristic",
        skip(_LOWERING + "use_two_step_variance", "False"),
        LOWERED,
        near="test_variance|layer_norm",
    ),
    Mutation(
        "online softmax from nowhere on",
        "constant",
        edit(
            _LOWERING + "prepare_softmax_online",
            (
                "V.graph.sizevars.statically_known_geq(",
                "not V.graph.sizevars.statically_known_geq(",
            ),
        ),
        LOWERED,
        near="test_softmax",
    ),
    Mutation(
        "cat is never pointwise",
        "cat handling",
        setting("inductor.max_complex_pointwise_cat_inputs", 0),
        LOWERED,
        near="test_cat_of_long",
    ),
    Mutation(
        "cat is always pointwise",
        "cat handling",
        setting("inductor.force_pointwise_cat", True),
        LOWERED,
        near="test_cat_without",
    ),
    Mutation(
        "padding is never a cat",
        "pad handling",
        skip(_LOWERING + "_pad_as_cat"),
        LOWERED,
        near="test_pad",
    ),
    Mutation(
        "reads until realised",
        "constant",
        setting("inductor.realize_reads_threshold", 1),
        LOWERED,
        near="test_reused_many",
    ),
    Mutation(
        "operations until realised",
        "constant",
        setting("inductor._realize_opcount_threshold_default", 4),
        LOWERED,
        near="test_deep",
    ),
    Mutation(
        "heavy operations are recomputed",
        "heuristic",
        edit(
            _IR + "StorageBox.should_realize_on_reuse",
            ('"exp",', '"expm1",'),
            ('"sigmoid",', ""),
            ('"tanh",', ""),
        ),
        LOWERED,
        near="test_heavy_operation_in",
    ),
    Mutation(
        "small reductions are not unrolled",
        "constant",
        setting("inductor.unroll_reductions_threshold", 1),
        LOWERED,
        near="test_short_sum",
    ),
    Mutation(
        "no split reductions",
        "split reduction",
        setting("inductor.split_reductions", False),
        LOWERED,
        near="test_split_reduction",
    ),
    Mutation(
        "splits for more outputs",
        "split reduction",
        edit(
            _CHOICES + "reduction_split_factor",
            ("numel_hint >= 2 * num_sm", "numel_hint >= 1"),
        ),
        LOWERED,
        near="test_few_long",
    ),
    Mutation(
        "outer splits by other blocks",
        "split reduction",
        edit(
            _CHOICES + "reduction_split_factor",
            ("xvals_per_block = 128", "xvals_per_block = 16"),
        ),
        LOWERED,
        near="test_two_reductions_of_many",
    ),
    Mutation(
        "elements per thread of a split",
        "split reduction",
        edit(
            _CHOICES + "reduction_split_factor",
            ("max_elements_per_thread = 512", "max_elements_per_thread = 64"),
            ("min_elements_per_thread = warp_size", "min_elements_per_thread = 8"),
        ),
        LOWERED,
        near="test_split_reduction|test_sum_over",
    ),
    Mutation(
        "strides are not padded",
        "layout",
        setting("inductor.comprehensive_padding", False),
        LOWERED,
        near="test_rows_of_odd",
    ),
    Mutation(
        "convolutions stay in the layout of the input",
        "layout",
        skip(_GRAPH + "decide_layout_opt", "not is_inference"),
        LOWERED,
        near="test_channels_last|batch_norm_eval",
    ),
    Mutation(
        "the first loop order",
        "loop ordering",
        setting("inductor.pick_loop_orders", False),
        LOWERED,
        near="test_permuted_copy",
    ),
    Mutation(
        "loops in reverse order",
        "loop ordering",
        edit(
            "torch._inductor.scheduler:pick_loop_order",
            ("order.sort(key=index_cmp)", "order.sort(key=index_cmp, reverse=True)"),
        ),
        LOWERED,
        near="test_permuted|test_transposed",
    ),
    Mutation(
        "arguments of attention are copied",
        "extra copy",
        prepend(
            _LOWERING + "sdpa_constraint",
            "args = [clone(a) if isinstance(a, TensorBox) else a for a in args]",
        ),
        LOWERED,
        near="test_sdpa",
    ),
    Mutation(
        "library calls take contiguous inputs only",
        "extra copy",
        prepend(_IR + "ExternKernel.require_stride1", "return cls.copy_input(x)"),
        LOWERED,
        near="test_mlp_training",
    ),
    Mutation(
        "index_put through the library",
        "lowering to fallback",
        skip(
            _LOWERING + "index_put_impl_",
            "index_put_fallback(self, indices, values, accumulate)",
        ),
        LOWERED,
        near="test_index_put",
    ),
    Mutation(
        "scatter through the library",
        "lowering to fallback",
        skip(
            "torch._inductor.utils:needs_fallback_due_to_atomic_add_limitations", "True"
        ),
        LOWERED,
        near="test_scatter",
    ),
    Mutation(
        "max and its index apart",
        "lowering changed",
        skip(_LOWERING + "_current_node_uses_all_tuple_outputs", "False"),
        LOWERED,
        near="test_max_with_index",
    ),
]

_SCHEDULES = [
    Mutation(
        "nothing fuses",
        "fusion rule refused",
        skip(_CHOICES + "can_fuse", "False"),
        SCHEDULED,
        near="test_layer_norm_gelu",
    ),
    Mutation(
        "no producer fuses",
        "fusion rule refused",
        skip(_CHOICES + "can_fuse_vertical", "False"),
        SCHEDULED,
        near="test_layer_norm_gelu",
    ),
    Mutation(
        "no neighbour fuses",
        "fusion rule refused",
        skip(_CHOICES + "can_fuse_horizontal", "False"),
        _LOOPS,
        near="test_sum_and_max",
    ),
    Mutation(
        "groups of two",
        "constant",
        setting("inductor.max_fusion_size", 2),
        SCHEDULED,
        near="test_layer_norm_gelu|many_readers",
    ),
    Mutation(
        "worst score first",
        "fusion score",
        edit(_SCHEDULER + "get_possible_fusions", ("reverse=True", "reverse=False")),
        SCHEDULED,
        near="gpt_block_training|test_models",
    ),
    Mutation(
        "far is better than near",
        "fusion score",
        edit(
            _CHOICES + "score_fusion",
            ("proximity_score = -max(", "proximity_score = max("),
        ),
        SCHEDULED,
        near="gpt_block|test_models|training",
    ),
    Mutation(
        "memory does not count",
        "fusion score",
        skip(_SCHEDULER + "dep_size_hint", "1"),
        SCHEDULED,
        near="test_models|training",
    ),
    Mutation(
        "everything is far apart",
        "constant",
        edit(_SCHEDULER + "are_long_distant_nodes", ("> 64", "> 1")),
        SCHEDULED,
        near="test_sum_and_max|many_readers|training",
    ),
    Mutation(
        "peak memory forbids",
        "fusion rule refused",
        skip(_SCHEDULER + "can_fusion_increase_peak_memory", "True"),
        SCHEDULED,
        near="test_layer_norm_gelu",
    ),
    Mutation(
        "reductions take no producer on the GPU",
        "fusion rule refused",
        prepend(
            _SIMD + "can_fuse",
            "if node2.is_reduction() and not node1.is_reduction(): return False",
        ),
        SCHEDULED,
        near="test_sum_of_product|layer_norm",
    ),
    Mutation(
        "reductions take no consumer on the GPU",
        "fusion rule refused",
        prepend(
            _SIMD + "can_fuse",
            "if node1.is_reduction() and not node2.is_reduction(): return False",
        ),
        SCHEDULED,
        near="test_sum_then_scale",
    ),
    Mutation(
        "no outer loop is shared on the CPU",
        "fusion rule refused",
        skip(_CPP + "can_fuse_vertical_outer_loop", "False"),
        _LOOPS,
        near="test_softmax",
    ),
    Mutation(
        "ranges have to be equal on the CPU",
        "fusion rule refused",
        skip(_CPP + "_can_fuse_nodes_with_compatible_ranges", "False"),
        _LOOPS,
        near="cpu",
    ),
    Mutation(
        "no epilogue for templates",
        "fusion rule refused",
        setting("inductor.epilogue_fusion", False),
        SCHEDULED,
        near="test_max_autotune",
    ),
    Mutation(
        "no prologue for templates",
        "fusion rule refused",
        setting("inductor.prologue_fusion", False),
        SCHEDULED,
        near="test_template_with_prologue",
    ),
    Mutation(
        "dead operations stay",
        "pass skipped",
        skip(_SCHEDULER + "dead_node_elimination"),
        SCHEDULED,
        near="test_variance|test_sort",
    ),
    Mutation(
        "foreach is one by one",
        "pass skipped",
        skip(_SCHEDULER + "create_foreach_nodes"),
        SCHEDULED,
        near="test_foreach_scale",
    ),
    Mutation(
        "the order of peak memory is not sought",
        "scheduler order",
        skip("torch._inductor.memory:reorder_for_peak_memory", "nodes"),
        SCHEDULED,
        near="test_wide_values",
    ),
    Mutation(
        "the highest peak memory",
        "scheduler order",
        edit(
            "torch._inductor.memory:reorder_for_peak_memory",
            ("best_result = min(", "best_result = max("),
        ),
        SCHEDULED,
        near="test_wide_values",
    ),
    Mutation(
        "operations as late as they can be",
        "scheduler order",
        edit(
            _SCHEDULER + "topological_sort_schedule",
            (
                "        for node in nodes:\n            visit(node)",
                "        for node in reversed(nodes):\n            visit(node)",
            ),
        ),
        SCHEDULED + "|" + LOWERED,
        near="test_models|test_memory",
    ),
    Mutation(
        "loops are not reordered to fuse",
        "loop ordering",
        skip(_SCHEDULER + "shared_data_after_reordering_loop", "-1"),
        SCHEDULED,
        near="test_quantised",
    ),
    Mutation(
        "reductions of two orders stay apart",
        "fusion rule refused",
        skip("torch._inductor.scheduler:MixOrderReduction.can_fuse", "False"),
        SCHEDULED,
        near="test_two_reductions_of_many",
    ),
    Mutation(
        "loops are not merged",
        "loop ordering",
        skip(_SCHEDULER + "merge_loops"),
        SCHEDULED,
        near="test_permuted|test_transposed|test_pad",
    ),
    Mutation(
        "weak dependencies never fuse",
        "fusion rule refused",
        skip(_SCHEDULER + "fusable_weak_dep", "False"),
        SCHEDULED,
        near="test_mutation|test_in_place|test_copy",
    ),
]

INDUCTOR_MUTATIONS = [*_LOWERINGS, *_SCHEDULES]
