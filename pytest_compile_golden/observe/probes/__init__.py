"""The built-in probes, one per part of the compiler, in pipeline order."""

from pytest_compile_golden.observe.probe import Probe
from pytest_compile_golden.observe.probes.aot import (
    AotGraphProbe,
    DirectionProbe,
    JointGraphProbe,
    OtherBackendsProbe,
    PartitionProbe,
    PostGradGraphProbe,
    PreGradGraphProbe,
)
from pytest_compile_golden.observe.probes.authors import AuthorsProbe
from pytest_compile_golden.observe.probes.cache_key import CacheKeyProbe
from pytest_compile_golden.observe.probes.codegen import OutputCodeProbe
from pytest_compile_golden.observe.probes.collectives import CollectivesProbe
from pytest_compile_golden.observe.probes.compile_cost import CompileCostProbe
from pytest_compile_golden.observe.probes.cost import CostProbe
from pytest_compile_golden.observe.probes.cudagraphs import CudaGraphsProbe
from pytest_compile_golden.observe.probes.decisions import DecompositionsProbe, LoweringsProbe
from pytest_compile_golden.observe.probes.dynamo import (
    BytecodeProbe,
    DynamoGraphProbe,
    GraphBreakProbe,
    GuardAuthorsProbe,
    GuardsProbe,
    RecompileProbe,
    SplitsProbe,
)
from pytest_compile_golden.observe.probes.eager_collectives import EagerCollectivesProbe
from pytest_compile_golden.observe.probes.fusion import FusionProbe
from pytest_compile_golden.observe.probes.guard_tree import GuardTreeProbe
from pytest_compile_golden.observe.probes.launches import LaunchesProbe
from pytest_compile_golden.observe.probes.memory import MemoryProbe, SavedProbe
from pytest_compile_golden.observe.probes.passes import PassesProbe
from pytest_compile_golden.observe.probes.pipeline import PipelineProbe
from pytest_compile_golden.observe.probes.scheduler import AutotuneProbe, LoweredIrProbe, SchedulerProbe
from pytest_compile_golden.observe.probes.scheduler_passes import SchedulerPassesProbe
from pytest_compile_golden.observe.probes.specialisations import SpecialisationsProbe
from pytest_compile_golden.observe.probes.steps import CustomLoweringsProbe, PartitionerProbe

BUILT_IN: tuple[Probe, ...] = (
    # Innermost: needs the key that DynamoGraphProbe sets.
    PipelineProbe(),
    BytecodeProbe(),
    GuardsProbe(),
    GuardAuthorsProbe(),
    GuardTreeProbe(),
    GraphBreakProbe(),
    RecompileProbe(),
    SpecialisationsProbe(),
    DynamoGraphProbe(),
    SplitsProbe(),
    PreGradGraphProbe(),
    DecompositionsProbe(),
    AotGraphProbe(),
    OtherBackendsProbe(),
    JointGraphProbe(),
    PartitionProbe(),
    # Innermost: the probes above must see the direction that it sets.
    PostGradGraphProbe(),
    PassesProbe(),
    PartitionerProbe(),
    CustomLoweringsProbe(),
    LoweringsProbe(),
    SchedulerPassesProbe(),
    LoweredIrProbe(),
    SchedulerProbe(),
    FusionProbe(),
    AutotuneProbe(),
    OutputCodeProbe(),
    CudaGraphsProbe(),
    CacheKeyProbe(),
    AuthorsProbe(),
    LaunchesProbe(),
    SavedProbe(),
    MemoryProbe(),
    CostProbe(),
    CollectivesProbe(),
    EagerCollectivesProbe(),
    DirectionProbe(),
    # Outermost: what the other probes do during a phase is not part of it.
    CompileCostProbe(),
)
