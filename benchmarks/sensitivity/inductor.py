"""Mutations of Inductor's lowering and of its scheduler."""

from __future__ import annotations

from benchmarks.sensitivity.mutation import Mutation
from benchmarks.sensitivity.rewrite import edit, prepend, setting, skip

_LOWERING = "torch._inductor.lowering:"
_IR = "torch._inductor.ir:"
_GRAPH = "torch._inductor.graph:GraphLowering."
_CHOICES = "torch._inductor.choices:InductorChoices."
_SCHEDULER = "torch._inductor.scheduler:Scheduler."
_SIMD = "torch._inductor.codegen.simd:SIMDScheduling."
_CPP = "torch._inductor.codegen.cpp:CppScheduling."

LOWERED = r"^(lowering /|lowered_ir\b)"
SCHEDULED = r"^(scheduler /|scheduler_nodes\b)"


def _fallback(operator: str) -> object:
    """Lower an operator to a call of the library."""

    def apply() -> None:
        import torch
        from torch._inductor.lowering import fallback_handler, lowerings

        overload = operator
        target = torch.ops.aten
        for part in overload.split("."):
            target = getattr(target, part)
        lowerings[target] = fallback_handler(target)

    return apply


_LOWERINGS = [
    *(
        Mutation(
            f"{name} is a library call", "lowering to fallback", _fallback(name), LOWERED + f"|^lowering / aten.{name}"
        )
        for name in (
            "exp.default",
            "sum.dim_IntList",
            "embedding.default",
            "index.Tensor",
            "cat.default",
            "constant_pad_nd.default",
            "gather.default",
            "cumsum.default",
            "where.self",
            "bernoulli.p",
            "_low_memory_max_pool_with_offsets.default",
        )
        if name not in ("bernoulli.p", "_low_memory_max_pool_with_offsets.default")
    ),
    Mutation(
        "a square is not unrolled",
        "constant",
        edit(_LOWERING + "pow", ("-32 < b < 32", "-2 < b < 2")),
        LOWERED,
    ),
    Mutation(
        "variance in two steps never",
        "heuristic",
        skip(_LOWERING + "use_two_step_variance", "False"),
        LOWERED,
    ),
    Mutation(
        "online softmax from nowhere on",
        "constant",
        edit(
            _LOWERING + "prepare_softmax_online",
            ("V.graph.sizevars.statically_known_geq(", "not V.graph.sizevars.statically_known_geq("),
        ),
        LOWERED,
    ),
    Mutation(
        "cat is never pointwise", "cat handling", setting("inductor.max_complex_pointwise_cat_inputs", 0), LOWERED
    ),
    Mutation("cat is always pointwise", "cat handling", setting("inductor.force_pointwise_cat", True), LOWERED),
    Mutation("padding is never a cat", "pad handling", skip(_LOWERING + "_pad_as_cat"), LOWERED),
    Mutation("reads until realised", "constant", setting("inductor.realize_reads_threshold", 1), LOWERED),
    Mutation(
        "operations until realised", "constant", setting("inductor._realize_opcount_threshold_default", 4), LOWERED
    ),
    Mutation(
        "heavy operations are recomputed",
        "heuristic",
        edit(_IR + "StorageBox.should_realize_on_reuse", ('"exp",', '"expm1",'), ('"sigmoid",', ""), ('"tanh",', "")),
        LOWERED,
    ),
    Mutation(
        "small reductions are not unrolled", "constant", setting("inductor.unroll_reductions_threshold", 1), LOWERED
    ),
    Mutation("no split reductions", "split reduction", setting("inductor.split_reductions", False), LOWERED),
    Mutation(
        "splits for more outputs",
        "split reduction",
        edit(_CHOICES + "reduction_split_factor", ("numel_hint >= 2 * num_sm", "numel_hint >= 1")),
        LOWERED,
    ),
    Mutation(
        "outer splits by other blocks",
        "split reduction",
        edit(_CHOICES + "reduction_split_factor", ("xvals_per_block = 128", "xvals_per_block = 16")),
        LOWERED,
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
    ),
    Mutation("strides are not padded", "layout", setting("inductor.comprehensive_padding", False), LOWERED),
    Mutation(
        "convolutions stay in the layout of the input",
        "layout",
        skip(_GRAPH + "decide_layout_opt", "not is_inference"),
        LOWERED,
    ),
    Mutation(
        "the first loop order",
        "loop ordering",
        setting("inductor.pick_loop_orders", False),
        LOWERED,
    ),
    Mutation(
        "loops in reverse order",
        "loop ordering",
        edit(
            "torch._inductor.scheduler:pick_loop_order",
            ("order.sort(key=index_cmp)", "order.sort(key=index_cmp, reverse=True)"),
        ),
        LOWERED,
    ),
    Mutation(
        "arguments of attention are copied",
        "extra copy",
        prepend(_LOWERING + "sdpa_constraint", "args = [clone(a) if isinstance(a, TensorBox) else a for a in args]"),
        LOWERED,
    ),
    Mutation(
        "library calls take contiguous inputs only",
        "extra copy",
        prepend(_IR + "ExternKernel.require_stride1", "return cls.copy_input(x)"),
        LOWERED,
    ),
    Mutation(
        "index_put through the library",
        "lowering to fallback",
        skip(_LOWERING + "index_put_impl_", "index_put_fallback(self, indices, values, accumulate)"),
        LOWERED,
    ),
    Mutation(
        "scatter through the library",
        "lowering to fallback",
        skip("torch._inductor.utils:needs_fallback_due_to_atomic_add_limitations", "True"),
        LOWERED,
    ),
    Mutation(
        "max and its index apart",
        "lowering changed",
        skip(_LOWERING + "_current_node_uses_all_tuple_outputs", "False"),
        LOWERED,
    ),
]

_SCHEDULES = [
    Mutation("nothing fuses", "fusion rule refused", skip(_CHOICES + "can_fuse", "False"), SCHEDULED),
    Mutation("no producer fuses", "fusion rule refused", skip(_CHOICES + "can_fuse_vertical", "False"), SCHEDULED),
    Mutation("no neighbour fuses", "fusion rule refused", skip(_CHOICES + "can_fuse_horizontal", "False"), SCHEDULED),
    Mutation(
        "groups of two",
        "constant",
        setting("inductor.max_fusion_size", 2),
        SCHEDULED,
    ),
    Mutation(
        "worst score first",
        "fusion score",
        edit(_SCHEDULER + "get_possible_fusions", ("reverse=True", "reverse=False")),
        SCHEDULED,
    ),
    Mutation(
        "far is better than near",
        "fusion score",
        edit(_CHOICES + "score_fusion", ("proximity_score = -max(", "proximity_score = max(")),
        SCHEDULED,
    ),
    Mutation(
        "memory does not count",
        "fusion score",
        skip(_SCHEDULER + "dep_size_hint", "1"),
        SCHEDULED,
    ),
    Mutation(
        "everything is far apart",
        "constant",
        edit(_SCHEDULER + "are_long_distant_nodes", ("> 64", "> 1")),
        SCHEDULED,
    ),
    Mutation(
        "peak memory forbids",
        "fusion rule refused",
        skip(_SCHEDULER + "can_fusion_increase_peak_memory", "True"),
        SCHEDULED,
    ),
    Mutation(
        "reductions take no producer on the GPU",
        "fusion rule refused",
        prepend(_SIMD + "can_fuse", "if node2.is_reduction() and not node1.is_reduction(): return False"),
        SCHEDULED,
    ),
    Mutation(
        "reductions take no consumer on the GPU",
        "fusion rule refused",
        prepend(_SIMD + "can_fuse", "if node1.is_reduction() and not node2.is_reduction(): return False"),
        SCHEDULED,
    ),
    Mutation(
        "no outer loop is shared on the CPU",
        "fusion rule refused",
        skip(_CPP + "can_fuse_vertical_outer_loop", "False"),
        SCHEDULED,
    ),
    Mutation(
        "ranges have to be equal on the CPU",
        "fusion rule refused",
        skip(_CPP + "_can_fuse_nodes_with_compatible_ranges", "False"),
        SCHEDULED,
    ),
    Mutation("no epilogue for templates", "fusion rule refused", setting("inductor.epilogue_fusion", False), SCHEDULED),
    Mutation("no prologue for templates", "fusion rule refused", setting("inductor.prologue_fusion", False), SCHEDULED),
    Mutation("dead operations stay", "pass skipped", skip(_SCHEDULER + "dead_node_elimination"), SCHEDULED),
    Mutation(
        "foreach is one by one",
        "pass skipped",
        skip(_SCHEDULER + "create_foreach_nodes"),
        SCHEDULED,
    ),
    Mutation(
        "the order of peak memory is not sought",
        "scheduler order",
        setting("inductor.reorder_for_peak_memory", False),
        SCHEDULED,
    ),
    Mutation(
        "the highest peak memory",
        "scheduler order",
        edit("torch._inductor.memory:reorder_for_peak_memory", ("best_result = min(", "best_result = max(")),
        SCHEDULED,
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
    ),
    Mutation(
        "loops are not reordered to fuse",
        "loop ordering",
        setting("inductor.loop_ordering_after_fusion", False),
        SCHEDULED,
    ),
    Mutation(
        "reductions of two orders stay apart",
        "fusion rule refused",
        skip("torch._inductor.scheduler:MixOrderReduction.can_fuse", "False"),
        SCHEDULED,
    ),
    Mutation("loops are not merged", "loop ordering", skip(_SCHEDULER + "merge_loops"), SCHEDULED),
    Mutation(
        "weak dependencies never fuse", "fusion rule refused", skip(_SCHEDULER + "fusable_weak_dep", "False"), SCHEDULED
    ),
]

INDUCTOR_MUTATIONS = [*_LOWERINGS, *_SCHEDULES]
