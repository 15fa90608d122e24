"""Mutations of the joint and the post-grad passes."""

from __future__ import annotations

from benchmarks.sensitivity.mutation import Mutation
from benchmarks.sensitivity.rewrite import edit, skip, without_pattern

_JOINT = "torch._inductor.fx_passes.joint_graph:"
_POST = "torch._inductor.fx_passes.post_grad:"
_REINPLACE = "torch._inductor.fx_passes.reinplace:"

_JOINT_GRAPH = [
    Mutation(
        "no-ops stay",
        "pass skipped",
        skip(_POST + "remove_noop_ops"),
        r"(joint|post_grad) / remove_noop_ops",
        near="test_operations_that_do_nothing",
    ),
    Mutation(
        "uniform values are not folded",
        "pass skipped",
        skip(_JOINT + "constant_fold_uniform_value"),
        "joint / constant_fold_uniform_value",
        near="test_constants_folded",
    ),
    Mutation(
        "additions of zero stay",
        "pass skipped",
        skip(_JOINT + "remove_no_ops"),
        "joint / constant_fold_uniform_value",
        near="test_operations_that_do_nothing",
    ),
    Mutation(
        "redundant views stay",
        "pass skipped",
        skip(_JOINT + "remove_redundant_views"),
        "joint / constant_fold_uniform_value",
        near="test_bits_there",
    ),
    Mutation(
        "pointless view stays",
        "pattern dropped",
        without_pattern("pointless_view"),
        "pattern pointless_view:",
        near="test_views_of_the_same_size",
    ),
    Mutation(
        "pair of views stays",
        "pattern dropped",
        without_pattern("pointless_view_pair"),
        "pattern pointless_view_pair:",
        near="test_views_of_the_same_size",
    ),
    Mutation(
        "pair of permutes stays",
        "pattern dropped",
        without_pattern("pointless_permute_pair"),
        "pattern pointless_permute_pair:",
        near="test_views_there",
    ),
    Mutation(
        "chain of casts stays",
        "pattern dropped",
        without_pattern("pointless_convert"),
        "pattern pointless_convert:",
        near="test_casts_there",
    ),
    Mutation(
        "batch of one stays bmm",
        "pattern dropped",
        without_pattern("bmm_to_mm"),
        "pattern bmm_to_mm:",
        near="test_batch_of_one",
    ),
    Mutation(
        "no batch of one is mm",
        "guard inverted",
        edit(_JOINT + "bmm_to_mm", ("get_gpu_type())", "get_gpu_type()) is None")),
        r"joint / (pattern bmm_to_mm|pass_pattern_\d(?! / pattern (?!bmm_to_mm)))",
        near="test_batch_of_one",
    ),
    Mutation(
        "scaled softmax, product",
        "pattern dropped",
        without_pattern("mul_softmax_pattern"),
        "pattern mul_softmax_pattern:",
        near="test_softmax_with_learned",
    ),
    Mutation(
        "scaled softmax, quotient",
        "pattern dropped",
        without_pattern("div_softmax_pattern"),
        "pattern div_softmax_pattern:",
        near="test_softmax_with_temp",
    ),
    Mutation(
        "scale may vary along the softmax",
        "guard inverted",
        edit(
            _JOINT + "_other_is_broadcasted_in_dim",
            ("== 1)", "!= 1)"),
            ("return True", "return False"),
        ),
        r"pattern (mul|div)_softmax_pattern:",
        near="test_softmax_with_",
    ),
    Mutation(
        "scatter upon a constant stays",
        "guard inverted",
        edit(
            _JOINT + "scatter_upon_const_tensor_extra_check",
            (".size(dim) == 1", ".size(dim) != 1"),
        ),
        "pattern scatter_upon_const_tensor:",
        near="test_one_hot",
    ),
    Mutation(
        "iota stays on its device",
        "pattern dropped",
        without_pattern("fix_iota_device"),
        "pattern fix_iota_device:",
        near="test_constructor_moves",
    ),
    Mutation(
        "attention by hand stays",
        "pattern dropped",
        # Which would match instead of the first.
        without_pattern("_sfdp_pattern_1", "_sfdp_pattern_3"),
        "pattern _sfdp_pattern_1:",
        near="test_by_hand",
    ),
    Mutation(
        "attention with a mask stays",
        "guard inverted",
        skip(
            "torch._inductor.fx_passes.fuse_attention:_sfdp_extra_check",
            "lambda match: False",
        ),
        r"pattern _sfdp_pattern_\d+:",
        near="test_by_hand|test_attention_with",
    ),
    Mutation(
        "products are not padded",
        "guard inverted",
        skip("torch._inductor.fx_passes.pad_mm:should_pad_mm", "False"),
        r"joint / (pass_pattern_\d / )?pattern mm_pattern",
        near="test_product_is_padded",
    ),
    Mutation(
        "padding to another alignment",
        "constant",
        edit(
            "torch._inductor.fx_passes.pad_mm:get_padded_length",
            ("(x // alignment_size + 1)", "(x // alignment_size + 2)"),
        ),
        r"joint / pass_pattern_\d",
        near="test_product_is_padded",
    ),
]

_POST_GRAD = [
    Mutation(
        "no order of locality",
        "pass skipped",
        skip(_POST + "reorder_for_locality"),
        "post_grad / reorder_for_locality",
        near="test_activations|llama",
    ),
    Mutation(
        "online softmax is not prepared",
        "guard inverted",
        skip(_POST + "prepare_softmax_extra_check", "False"),
        "pattern prepare_softmax_pattern:",
        near="test_softmax",
    ),
    Mutation(
        "sum of two products",
        "guard inverted",
        skip(_POST + "is_valid_mm_plus_mm", "False"),
        "pattern mm_plus_mm:",
        near="test_sum_of_two",
    ),
    Mutation(
        "cumsum of a constant",
        "pattern dropped",
        without_pattern("pointless_cumsum_replacement"),
        "pattern pointless_cumsum_replacement:",
        near="test_positions",
    ),
    Mutation(
        "cat of a cat's slice",
        "pattern dropped",
        without_pattern("cat_slice_cat"),
        "pattern cat_slice_cat:",
        near="test_cat_of_a_slice",
    ),
    Mutation(
        "split of a cat",
        "guard inverted",
        skip(_POST + "is_valid_cat_splitwithsizes", "False"),
        "pattern cat_splitwithsizes_replace:",
        near="test_split_of_a_cat",
    ),
    Mutation(
        "cat of a split",
        "guard inverted",
        skip(_POST + "is_valid_splitwithsizes_cat", "False"),
        "pattern splitwithsizes_cat_replace:",
        near="test_cat_of_a_split",
    ),
    Mutation(
        "bias stays in addmm",
        "guard inverted",
        skip(_POST + "should_prefer_unfused_addmm", "False"),
        "pattern (unfuse_bias_add_to_pointwise|addmm):",  # both call it
        near="test_linear_gelu",
    ),
    Mutation(
        "bias is not fused",
        "pattern dropped",
        without_pattern("addmm"),
        "pattern addmm:",
        near="test_bias_before",
    ),
    Mutation(
        "partial reduction is not reused",
        "pattern dropped",
        without_pattern("register_partial_reduction_pattern.<locals>.reuse_partial"),
        r"pattern register_partial_reduction_pattern.<locals>.reuse_partial",
        near="test_reduction_reuses",
    ),
    Mutation(
        "constructors stay on the CPU",
        "pass skipped",
        skip(_POST + "move_constructors_to_gpu"),
        "post_grad / move_constructors_to_cuda",
        near="test_constructor",
    ),
    Mutation(
        "reinplacing switched off",
        "pass skipped",
        skip(_REINPLACE + "reinplace_inplaceable_ops"),
        "post_grad / reinplace_inplaceable_ops",
        near="test_cache_update",
    ),
    Mutation(
        "no use after a write forbids reinplacing",
        "guard inverted",
        edit(
            _REINPLACE + "reinplace_inplaceable_ops_core",
            (
                "                return True\n        return False",
                "                return False\n        return False",
            ),
        ),
        "post_grad / reinplace_inplaceable_ops",
        near="test_operator_that_writes|test_value_read",
    ),
    Mutation(
        "scatter into a view stays functional",
        "heuristic",
        skip(_REINPLACE + "should_reinplace_scatter", "False"),
        "post_grad / reinplace_inplaceable_ops",
        near="test_copied_into|test_written",
    ),
    Mutation(
        "slices of everything stay",
        "guard inverted",
        skip(_POST + "slice_noop", "False"),
        r"(joint|post_grad) / remove_noop_ops",
        near="by_name",
    ),
    Mutation(
        "casts to the same stay",
        "guard inverted",
        skip(_POST + "convert_element_type_noop", "False"),
        r"(joint|post_grad) / remove_noop_ops",
        near="by_name",
    ),
    Mutation(
        "clones stay",
        "guard inverted",
        skip(_POST + "true_noop", "False"),
        r"(joint|post_grad) / remove_noop_ops",
        near="test_operations_that",
    ),
    Mutation(
        "a copy of every view's input",
        "extra copy",
        edit(
            _POST + "view_to_reshape",
            (
                "            nd.target = torch.ops.aten.reshape.default",
                "            nd.target = torch.ops.aten.reshape.default\n"
                "            with graph.inserting_before(nd):\n"
                "                copy = graph.call_function(torch.ops.aten.clone.default, (nd.args[0],))\n"
                "            copy.meta.update(nd.args[0].meta)\n"
                "            nd.replace_input_with(nd.args[0], copy)",
            ),
        ),
        "post_grad / view_to_reshape|view_to_reshape",
        near="test_batched|gpt_block",
    ),
    Mutation(
        "linears are not grouped after all",
        "pattern dropped",
        skip(
            "torch._inductor.fx_passes.group_batch_fusion:BatchPointwiseOpsPostGradFusion.match"
        ),
        "post_grad / .*group_batch_fusion_passes",
        near="test_activations_batched",
    ),
]

GRAPH_MUTATIONS = [*_JOINT_GRAPH, *_POST_GRAD]
