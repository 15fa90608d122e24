"""Changes that leave the compiler's behaviour alone: different names, meaningless orders, different text."""

from __future__ import annotations

import itertools

from benchmarks.sensitivity.mutation import Neutral
from benchmarks.sensitivity.rewrite import (
    edit,
    moved_down,
    prepend,
    reversed_table,
    value,
)

_JOINT = "torch._inductor.fx_passes.joint_graph:"
_POST = "torch._inductor.fx_passes.post_grad:"
_TRITON = "torch._inductor.codegen.triton:TritonKernel."
_COMMON = "torch._inductor.codegen.common:"
_WRAPPER = "torch._inductor.codegen.wrapper:PythonWrapperCodegen."
_GRAPH = "torch._inductor.graph:GraphLowering."

_KERNEL_NAME = "torch._inductor.utils:get_fused_kernel_name"

# Statements over a GraphModule called `gm`.
_RENAME = """
for number, node in enumerate(list({gm}.graph.nodes)):
    if node.op == "call_function":
        node._rename(f"value_{{number * 3}}")
"""
# Pointwise operations that are read only by the same one operation: for others the order in which kernels are launched,
# or in which their results are saved for backward, would change.
_SWAP = """
nodes = [node for node in {gm}.graph.nodes if node.op == "call_function"]
free = lambda node: torch.Tag.pointwise in getattr(node.target, "tags", ()) and not node.target._schema.is_mutable
def alike(first, second):
    users = [*first.users]
    return users == [*second.users] and [user.op for user in users] == ["call_function"]
for first, second in zip(nodes[::2], nodes[1::2]):
    if first not in second.all_input_nodes and free(first) and free(second) and alike(first, second):
        second.append(first)
"""
_NO_TRACES = """
for node in {gm}.graph.nodes:
    node.meta.pop("stack_trace", None)
"""

# The last dimension as a non-negative number; for amax too, since a pattern requires both to have the same.
_FROM_THE_FRONT = """
reductions = torch.ops.aten.sum.dim_IntList, torch.ops.aten.amax.default
for node in (node for target in reductions for node in gm.graph.find_nodes(op="call_function", target=target)):
    rank = node.args[0].meta["val"].dim()
    if len(node.args) > 1 and node.args[1] is not None:
        node.args = (node.args[0], [each % rank for each in node.args[1]], *node.args[2:])
"""

# Node names are part of the keys of torch's caches, so these cases rightly see them.
_KEYS = "test_cache_key|test_both_directions_can_be_kept"

_NAMES = [
    Neutral(
        "nodes of the post-grad graph",
        "names",
        prepend(_POST + "post_grad_passes", _RENAME.format(gm="gm").strip()),
    ),
    Neutral(
        "nodes of the lowered graph",
        "names",
        prepend(_POST + "view_to_reshape", _RENAME.format(gm="gm").strip()),
        left_out=_KEYS,
    ),
    Neutral(
        "nodes of the joint graph",
        "names",
        prepend(_JOINT + "joint_graph_passes", _RENAME.format(gm="graph").strip()),
        left_out=_KEYS,
    ),
    # Not through the setting: settings are part of the keys of torch's caches.
    Neutral(
        "kernels after torch functions",
        "names",
        prepend(_KERNEL_NAME, "descriptive_names = 'torch'"),
        # Names of users' operators have a dot, which kernel names may not; some nodes of patterns, branches, exported
        # programs and joint graphs with descriptors have no function.
        left_out="extension|custom|_operator_that|batch_norm_folded|cond_with_gradients|compiled_like_the_module"
        "|epilogue_in_the_kernel_of_a_library|joint_graph_with_descriptors",
    ),
    Neutral(
        "kernels after nodes",
        "names",
        prepend(_KERNEL_NAME, "descriptive_names = 'inductor_node'"),
        left_out="test_descriptive_names",  # pins this very setting
    ),
    Neutral(
        "kernels numbered from 7",
        "names",
        edit(
            _WRAPPER + "next_kernel_suffix",
            ("{next(self._names_iter)}", "{next(self._names_iter) + 7}"),
        ),
    ),
    Neutral(
        "temporaries numbered from 100",
        "names",
        edit(_COMMON + "CSE.__init__", ("itertools.count()", "itertools.count(100)")),
    ),
    Neutral(
        "temporaries of another name",
        "names",
        edit(_COMMON + "CSE.newvar", ("{self.name_prefix}", "{self.name_prefix}_")),
    ),
    # Keeps numerical and alphabetical order the same: torch frees, and so reuses, buffers in the order of their names.
    Neutral(
        "buffers numbered with a 5 in front",
        "names",
        edit(
            _GRAPH + "register_buffer",
            ('f"buf{len(self.buffers)}"', 'f"buf5{len(self.buffers)}"'),
        ),
    ),
    Neutral(
        "operations numbered with a 5 in front",
        "names",
        edit(
            _GRAPH + "register_operation",
            ('f"op{len(self.operations)}"', 'f"op5{len(self.operations)}"'),
        ),
    ),
    Neutral(
        "arguments of kernels",
        "names",
        edit(_COMMON + "KernelArgs.output", ('"out_ptr"', '"result_ptr"')),
    ),
    # Sorts them before arguments that are both read and written.
    Neutral(
        "arguments of kernels, in another order",
        "names",
        edit(_COMMON + "KernelArgs.output", ('"out_ptr"', '"a_ptr"')),
    ),
]

_ORDER = [
    Neutral(
        "independent pointwise nodes of the joint graph",
        "order",
        prepend(_JOINT + "joint_graph_passes", _SWAP.format(gm="graph").strip()),
    ),
    Neutral(
        "independent pointwise nodes of the post-grad graph",
        "order",
        prepend(_POST + "post_grad_passes", _SWAP.format(gm="gm").strip()),
    ),
    Neutral(
        "table of lowerings",
        "dict order",
        reversed_table("torch._inductor.lowering:lowerings"),
    ),
    Neutral(
        "table of decompositions",
        "dict order",
        reversed_table("torch._inductor.decomposition:decompositions"),
    ),
    Neutral("table of no-ops", "dict order", reversed_table(_POST + "noop_registry")),
    Neutral(
        "metadata of kernels",
        "dict order",
        edit(
            _TRITON + "inductor_meta_common",
            ("return inductor_meta", "return dict(reversed(inductor_meta.items()))"),
        ),
    ),
]

_TEXT = [
    Neutral(
        "comments of calls in the wrapper",
        "text",
        edit(
            "torch._inductor.utils:get_kernel_metadata",
            ("Topologically Sorted", "Sorted"),
            ("Source Nodes", "Nodes of the source"),
        ),
    ),
    Neutral(
        "a comment before every call",
        "text",
        prepend(
            _WRAPPER + "generate_kernel_call",
            'self.writeline(f"{self.comment} launch")',
        ),
    ),
    Neutral(
        "a comment in every Triton kernel",
        "text",
        prepend(
            _TRITON + "codegen_static_numels",
            'code.writeline("# sizes that are known")',
        ),
    ),
    Neutral(
        "a comment in every C++ kernel",
        "text",
        edit(
            "torch._inductor.codegen.cpp:KernelGroup.codegen_group",
            (
                "        # 3. Function body",
                '        code.writeline("// the loops")\n        # 3. Function body',
            ),
        ),
    ),
    Neutral(
        "an empty line before every call",
        "text",
        prepend(_WRAPPER + "generate_kernel_call", 'self.writeline("")'),
    ),
    Neutral(
        "no user's lines",
        "text",
        prepend(_JOINT + "joint_graph_passes", _NO_TRACES.format(gm="graph").strip()),
    ),
    Neutral(
        "the reasons not to fuse",
        "text",
        edit(
            "torch._inductor.scheduler:WhyNoFuse.__call__",
            (
                "self.reason = reason",
                'reason = "refused: " + reason\n        self.reason = reason',
            ),
        ),
    ),
    Neutral(
        "log messages",
        "text",
        edit(
            "torch._inductor.scheduler:Scheduler.fuse_nodes",
            ("===== attempting fusion", "now fusing"),
        ),
    ),
    Neutral(
        "a pass that finds nothing",
        "an idle pass",
        prepend(
            _POST + "post_grad_passes",
            "torch.fx.passes.graph_transform_observer.GraphTransformObserver(gm, 'find_nothing')"
            ".apply_graph_pass(lambda graph: None)",
        ),
    ),
    Neutral(
        "dimensions of sums from the front",
        "text",
        prepend(_POST + "view_to_reshape", _FROM_THE_FRONT.strip()),
        left_out="test_sizes_that_vary_take_symbolic_work",  # which counts the compiler's symbolic work
    ),
    Neutral(
        "a comment at the left edge of the wrapper",
        "text",
        prepend(
            _WRAPPER + "generate_kernel_call",
            'self.writeline(f"\\n{self.comment} launch")',
        ),
    ),
    Neutral(
        "metadata that nobody reads",
        "metadata",
        edit(
            _TRITON + "inductor_meta_common",
            ("return inductor_meta", "return {**inductor_meta, 'read_by_nobody': 1}"),
        ),
    ),
    Neutral(
        "matches counted twice",
        "counters",
        prepend(
            _POST + "remove_noop_ops",
            "counters['inductor']['pattern_matcher_count'] += 1",
        ),
    ),
    Neutral(
        "a counter of its own",
        "counters",
        prepend(_POST + "remove_noop_ops", "counters['inductor']['noop_passes'] += 1"),
    ),
    Neutral(
        "graphs numbered from 10",
        "names",
        value(
            "torch._inductor.scheduler:_post_grad_graph_counter", itertools.count(10)
        ),
    ),
    # Last: once a function is moved, other changes cannot find it.
    Neutral(
        "passes further down in their files",
        "text",
        moved_down(
            _POST + "remove_noop_ops",
            _POST + "reorder_for_locality",
            _JOINT + "constant_fold_uniform_value",
            _JOINT + "pointless_view",
            "torch._inductor.fx_passes.reinplace:reinplace_inplaceable_ops",
            "torch._decomp.decompositions:_softmax",
            "torch._inductor.lowering:view",
            by=37,
        ),
    ),
]

NEUTRAL_CHANGES: tuple[Neutral, ...] = (*_NAMES, *_ORDER, *_TEXT)
