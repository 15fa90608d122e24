"""The built-in probes, one per part of the compiler, in pipeline order, and the stages that each one feeds."""

from __future__ import annotations

import sys

from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.facts.schedules import REFUSALS
from pytest_compile_golden.observe.probe import BuiltIn


def _split_for_ranks(record: Record) -> bool:
    distributed = sys.modules["torch.distributed"]
    return bool(distributed.is_available() and distributed.is_initialized())


BUILT_IN: tuple[BuiltIn, ...] = (
    # Innermost: needs the key that DynamoGraphProbe sets.
    BuiltIn("pipeline:PipelineProbe"),
    BuiltIn("dynamo:BytecodeProbe", ("dynamo_bytecode",)),
    BuiltIn("dynamo:GuardsProbe", ("guards",)),
    BuiltIn("dynamo:GuardAuthorsProbe", ("guards",)),
    BuiltIn("dynamo:DroppedGuardsProbe", ("dropped_guards",)),
    BuiltIn("dynamo:GuardTreeProbe", ("guard_tree",)),
    BuiltIn("dynamo:GraphBreakProbe", ("graph_breaks",)),
    BuiltIn("dynamo:RecompileProbe", ("recompiles",)),
    BuiltIn("specialisations:SpecialisationsProbe", ("specialisations",)),
    BuiltIn(
        "dynamo:DynamoGraphProbe",
        ("dynamo_graph",),
        tells_apart=lambda record: "dynamo" in record.parts,
    ),
    BuiltIn("dynamo:SplitsProbe", ("dynamo_graph",), tells_apart=_split_for_ranks),
    BuiltIn("graph_phases:PreGradGraphProbe", ("pre_grad_graph",)),
    BuiltIn("lowering_decisions:DecompositionsProbe", ("trail",)),
    BuiltIn("graph_phases:AotGraphProbe", ("aot_graph", "trail")),
    BuiltIn("graph_phases:OtherBackendsProbe", ("aot_graph",)),
    BuiltIn("graph_phases:JointGraphProbe", ("joint_graph",)),
    BuiltIn("graph_phases:PartitionProbe", ("forward_graph", "backward_graph")),
    # Innermost: the probes above must see the direction that it sets.
    BuiltIn("graph_phases:PostGradGraphProbe", ("post_grad_graph",)),
    BuiltIn("passes:PassesProbe", ("passes", "pass_diffs")),
    BuiltIn("lowering_decisions:PartitionerProbe", ("passes",)),
    BuiltIn("lowering_decisions:CustomLoweringsProbe", ("passes",)),
    BuiltIn("lowering_decisions:LoweringsProbe", ("trail",)),
    BuiltIn("scheduler_passes:SchedulerPassesProbe", ("passes", "pass_diffs")),
    BuiltIn("scheduler:LoweredIrProbe", ("lowered_ir",)),
    BuiltIn("scheduler:SchedulerProbe", ("scheduler_nodes",)),
    BuiltIn("scheduler:RefusalsProbe", counts=False, feature=REFUSALS),
    BuiltIn("fusion:FusionProbe", counts=False, feature=REFUSALS),
    BuiltIn("scheduler:AutotuneProbe"),
    BuiltIn("scheduler:KernelNamesProbe"),
    BuiltIn(
        "output_code:OutputCodeProbe",
        ("wrapper_code", "triton_code", "cpp_code", "template_code"),
    ),
    BuiltIn("cudagraphs:CudaGraphsProbe", ("cudagraphs",)),
    BuiltIn("cache_key:CacheKeyProbe", ("cache_key",)),
    BuiltIn("output_code:AuthorsProbe", counts=False),
    BuiltIn("output_code:LaunchesProbe", ("trail",)),
    BuiltIn("eager_kernels:EagerKernelsProbe", ("eager_kernels",), counts=False),
    BuiltIn("memory:SavedProbe", ("cost", "memory")),
    BuiltIn("memory:MemoryProbe", ("memory",)),
    BuiltIn("kernel_cost:CostProbe", ("cost", "memory")),
    BuiltIn("collectives:CollectivesProbe", ("collectives",)),
    BuiltIn("collectives:EagerCollectivesProbe", ("collectives",)),
    BuiltIn(
        "graph_phases:DirectionProbe",
        ("joint_graph",),
        tells_apart=lambda record: record.training,
    ),
    # Outermost: what the other probes do during a phase is not part of it.
    BuiltIn("compile_cost:CompileCostProbe", ("compile_cost",)),
)
