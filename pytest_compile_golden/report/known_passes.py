"""One line each for the well-known passes of torch.compile: what they are for."""

from __future__ import annotations

from collections.abc import Mapping

KNOWN: Mapping[str, str] = {
    "InstructionTranslator.run": "Runs the function's bytecode symbolically, and writes down the tensor operations.",
    "aot_dispatch_base_graph": "Traces down to ATen, makes mutations functional, applies decompositions.",
    "aot_dispatch_autograd_graph": "Traces forward and backward down to ATen, functional and decomposed.",
    "numpy_compat_normalization": "Gives numpy's names of arguments (axis, keepdims) torch's.",
    "sink_cat_after_pointwise": "Moves a concatenation behind the pointwise operation that reads it.",
    "group_batch_fusion_passes": "Batches many small alike operations into one; off unless its options are set.",
    "efficient_conv_bn_eval_pass": "Folds batch norm in eval mode into the convolution before it.",
    "apply_gumbel_max_trick_pass": "Samples from a softmax without computing the softmax.",
    "stable_topological_sort": "Puts nodes after what they read, and otherwise leaves their order alone.",
    "stable_sort": "Puts nodes after what they read, and otherwise leaves their order alone.",
    "quant_lift_up": "Moves quantisation before views, towards what it can be fused with.",
    "canonicalize_aten_ir_passes": "Writes equivalent operators in one way, for the patterns that follow.",
    "remove_noop_ops": "Removes operations that give back their input: copies, slices of everything, sums with 0.",
    "constant_fold_uniform_value": "Replaces tensors that hold one value everywhere by `full`, and drops x * 1, x + 0.",
    "joint_graph.early_patterns": "Removes views and permutations that cancel out.",
    "pass_pattern_0": "The first list of patterns of this phase.",
    "pass_pattern_1": "The main list of patterns of this phase: attention, padding of matmuls, fusions of operators.",
    "pass_pattern_2": "The last list of patterns of this phase: what is left to undo or to split.",
    "replace_random_passes": "Replaces random operators by Inductor's own, which take their seeds from one tensor.",
    "min_cut_rematerialization_partition": "Cuts where least is to be saved for backward; the rest is computed again.",
    "view_to_reshape": "Turns every view into a reshape, which holds under any layout chosen later.",
    "reorder_for_locality": "Moves a node next to the node that reads it.",
    "remove_profiler_ops": "Removes record_function markers, which would keep what is around them from fusing.",
    "remove_assert_ops": "Removes assertions on sizes that tracing left in the graph.",
    "respecialize_current_device": "Puts the device back where tracing had left a symbol for it.",
    "move_constructors_to_cuda": "Makes tensors on the GPU that would be made on the CPU and copied.",
    "FakeTensorUpdater.incremental_update": "Computes shapes and strides again for the nodes that passes changed.",
    "slice_scatter_chunking": "Writes chunks into place instead of building the whole tensor slice by slice.",
    "reinplace_inplaceable_ops": "Lets operators write into a buffer that nobody reads any more, instead of a new one.",
    "fix_auto_functionalized_dtype_views": "Finds views under another dtype that need no copy before a mutation.",
    "decompose_triton_kernel_wrapper_functional": "Copies what a user's Triton kernel mutates and is still needed.",
    "decompose_auto_functionalized": "Copies what a mutating custom operator changes, where it is still needed.",
    "decompose_scan_to_while_loop": "Writes scan as a while loop.",
    "decompose_map_to_while_loop": "Writes map as a while loop.",
    "micro_pipeline_tp_pass": "Overlaps matmuls with the collectives around them.",
    "GraphLowering.run": "Calls the lowering of each operator: loops as Python functions, or a library call.",
    "decide_global_ordering_of_comms": "Keeps collectives in one order on every rank.",
    "topological_sort_schedule": "Orders operations by what they read.",
    "dead_node_elimination": "Removes operations whose results nobody reads.",
    "create_foreach_nodes": "Makes one node of each foreach operator's operations.",
    "fuse_nodes": "Fuses pairs of groups, the best first, until no pair is worth it.",
    "merge_loops": "Makes one loop of nested loops that run over contiguous memory.",
    "finalize_multi_template_buffers": "Settles between template and library call where both were kept open.",
    "_enforce_conditional_ordering": "Keeps the order of conditionals, in which collectives may hide.",
    "create_combo_kernel_nodes": "Makes one kernel of several independent ones.",
    "reorder_for_peak_memory": "Orders groups so that less memory is in use at once.",
    "reorder_compute_and_comm_for_overlap": "Moves collectives away from what waits for them.",
    "process_grouped_nodes": "Takes apart nodes that were kept together for ordering.",
    "Scheduler.codegen": "Writes each group's kernel, and the calls in order.",
    "PythonWrapperCodegen.run_wrapper_ir_passes": "Plans memory: which buffer takes over another's storage.",
    "(unobserved)": "Something other than a known pass changed the graph between two passes.",
}


def what_it_does(name: str, own: str | None) -> str:
    """Our line for a well-known pass, else what its docstring says."""
    return KNOWN.get(name) or KNOWN.get(name.rpartition(" / ")[2]) or own or ""
