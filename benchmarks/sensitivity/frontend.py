"""Mutations of Dynamo, of AOTAutograd with its decompositions, of the partitioner and of the pre-grad passes."""

from __future__ import annotations

from benchmarks.sensitivity.mutation import Mutation
from benchmarks.sensitivity.rewrite import (
    edit,
    prepend,
    setting,
    skip,
    without,
    without_pattern,
)

_PRE = "torch._inductor.fx_passes.pre_grad:"
_SPLIT = "torch._inductor.fx_passes.split_cat:"
_PARTITION = "torch._functorch.partitioners:"
_DECOMPOSITIONS = "torch._inductor.decomposition:decompositions"

# A missing guard is noticed by the recompilation that is missing too.
DYNAMO = r"^(dynamo_graph|dynamo_bytecode|guards|guard_tree|graph_breaks|recompiles)\b|^recompilation gone"
AOT = r"^aot /"
PARTITIONED = r"^(partition|forward_graph|backward_graph)\b|^compile_cost \(partition\b"

_DYNAMO = [
    Mutation(
        "unused graph inputs stay",
        "pass skipped",
        skip("torch._dynamo.output_graph:OutputGraph.remove_unused_graphargs"),
        DYNAMO,
        near="test_list_and_dict",
    ),
    Mutation(
        "every size is dynamic",
        "heuristic",
        setting("dynamo.assume_static_by_default", False),
        DYNAMO,
        near="test_softmax",
    ),
    Mutation(
        "sizes never become dynamic",
        "heuristic",
        setting("dynamo.automatic_dynamic_shapes", False),
        DYNAMO,
        near="test_recompile_on_new_size",
    ),
    Mutation(
        "no recompilation",
        "heuristic",
        setting("dynamo.recompile_limit", 1),
        DYNAMO,
        near="test_recompile_on_new_size",
    ),
    Mutation(
        "constants are not guarded",
        "guard dropped",
        skip("torch._dynamo.guards:GuardBuilder.CONSTANT_MATCH"),
        DYNAMO,
        near="test_branch_on_python_value|test_dynamo",
    ),
    Mutation(
        "tensors are not guarded",
        "guard dropped",
        skip("torch._dynamo.guards:GuardBuilder.TENSOR_MATCH"),
        DYNAMO,
        near="test_branch_on_python_value",
    ),
]

_AOT = [
    Mutation(
        "gelu stays",
        "decomposition removed",
        without(_DECOMPOSITIONS, "aten.gelu"),
        AOT + r".*gelu",
        near="test_linear_gelu",
    ),
    Mutation(
        "silu stays",
        "decomposition removed",
        without(_DECOMPOSITIONS, "aten.silu"),
        AOT + r".*silu",
        near="test_two_products|silu",
    ),
    Mutation(
        "layer norm stays",
        "decomposition removed",
        without(_DECOMPOSITIONS, "aten.native_layer_norm"),
        AOT + r".*layer_norm",
        near="test_layer_norm_gelu",
    ),
    Mutation(
        "softmax stays",
        "decomposition removed",
        without(_DECOMPOSITIONS, "aten._softmax"),
        AOT + r".*softmax",
        near="test_softmax",
    ),
    Mutation(
        "log-softmax backward stays",
        "decomposition removed",
        without(_DECOMPOSITIONS, "aten._log_softmax_backward_data"),
        AOT + r".*log_softmax_backward",
        near="cross_entropy",
    ),
    Mutation(
        "embedding backward stays",
        "decomposition removed",
        without(_DECOMPOSITIONS, "aten.embedding_dense_backward"),
        AOT + r".*embedding_dense_backward",
        near="test_embedding_training",
    ),
    Mutation(
        "silu through sigmoid",
        "decomposition changed",
        edit(
            "torch._inductor.decomposition:silu",
            ("return x / (1 + x.neg().exp())", "return x * torch.sigmoid(x)"),
        ),
        AOT + r".*silu",
        near="test_broadcast",
    ),
    Mutation(
        "clamp by where",
        "decomposition changed",
        edit(
            "torch._inductor.decomposition:clamp",
            ("x = x.clamp_min(min)", "x = torch.where(x < min, min, x)"),
        ),
        AOT + r".*clamp",
        near="test_activations",
    ),
    Mutation(
        "equal operations stay apart",
        "pass skipped",
        setting("functorch.cse", False),
        PARTITIONED,
        near="test_same_value",
    ),
]

_PARTITIONER = [
    Mutation(
        "default partitioner",
        "partitioner decision",
        prepend(
            _PARTITION + "min_cut_rematerialization_partition",
            "return default_partition(joint_module, _joint_inputs, num_fwd_outputs=num_fwd_outputs)",
        ),
        PARTITIONED,
        near="test_training|test_mlp_training",
    ),
    Mutation(
        "nothing is banned",
        "partitioner decision",
        setting("functorch.ban_recompute_used_far_apart", False),
        PARTITIONED,
        near="test_far_from_backward",
    ),
    Mutation(
        "views are recomputed",
        "partitioner decision",
        setting("functorch.recompute_views", True),
        PARTITIONED,
        near="test_views_saved",
    ),
    Mutation(
        "aggressive recomputation",
        "partitioner decision",
        setting("functorch.aggressive_recomputation", True),
        PARTITIONED,
        near="test_saved_activations",
    ),
    Mutation(
        "reductions may be recomputed",
        "partitioner decision",
        setting("functorch.ban_recompute_reductions", False),
        PARTITIONED,
        near="test_saved_activations|layer_norm_training",
    ),
    Mutation(
        "nothing fuses, so it thinks",
        "partitioner decision",
        edit(
            _PARTITION + "solve_min_cut",
            (
                "return op_types.is_fusible(a) and op_types.is_fusible(b)",
                "return False",
            ),
        ),
        PARTITIONED,
        near="test_saved_activations",
    ),
    Mutation(
        "saving costs the same everywhere",
        "constant",
        edit(_PARTITION + "solve_min_cut", ("mem_sz * (1.1 **", "mem_sz * (1.0 **")),
        PARTITIONED,
        near="test_saved_before",
    ),
    Mutation(
        "backward in the order of the trace",
        "pass skipped",
        skip(_PARTITION + "reordering_to_mimic_autograd_engine", "gm"),
        PARTITIONED,
        near="test_mlp_training|test_training",
    ),
]

_PRE_GRAD = [
    Mutation(
        "cat stays before pointwise",
        "pass skipped",
        skip(_PRE + "sink_cat_after_pointwise", "module"),
        "pre_grad / sink_cat_after_pointwise",
        near="test_cat_split",
    ),
    Mutation(
        "cat sinks before relu only",
        "constant",
        edit(_PRE + "sink_cat_after_pointwise", ('"relu", "tanh"', '"tanh"')),
        "pre_grad / sink_cat_after_pointwise",
        near="test_cat_split",
    ),
    Mutation(
        "numpy names of arguments stay",
        "pass skipped",
        skip(
            "torch._inductor.fx_passes.misc_patterns:NumpyCompatNormalization.__call__"
        ),
        "pre_grad / numpy_compat_normalization",
        near="test_numpy_names",
    ),
    Mutation(
        "split is not normalised",
        "pattern dropped",
        without_pattern("normalize_split_default"),
        r"pre_grad / normalization_pass",
        near="test_split_and_cat_before",
    ),
    Mutation(
        "split and cat of the same stay",
        "pattern dropped",
        without_pattern("simplify_split_cat"),
        r"pre_grad / \w*(split|cat|getitem)\w*",
        near="test_split_and_cat_before",
    ),
    Mutation(
        "linears of one input are not batched",
        "pattern dropped",
        skip("torch._inductor.fx_passes.group_batch_fusion:BatchLinearLHSFusion.match"),
        "pre_grad / group_batch_fusion_passes",
        near="test_linears_of_one_input_batched",
    ),
    Mutation(
        "batch norm in eval mode is not folded",
        "pattern dropped",
        skip(
            "torch._inductor.fx_passes.efficient_conv_bn_eval:efficient_conv_bn_eval_graph_transform_inlined"
        ),
        "pre_grad / efficient_conv_bn_eval_pass",
        near="test_batch_norm_folded",
    ),
]

FRONTEND_MUTATIONS = [*_DYNAMO, *_AOT, *_PARTITIONER, *_PRE_GRAD]
