"""The result of a capture: the stages of one compile."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from pytest_compile_golden.common.constants import CODE_STAGES
from pytest_compile_golden.errors import (
    NotInstalled,
    StageNotCaptured,
    StageUnavailable,
)
from pytest_compile_golden.extensions import KERNEL_COMPILER, TOOLS, provided

if TYPE_CHECKING:
    from pytest_compile_golden.common.constants import KernelConfigs
    from pytest_compile_golden.facts.record import Environment, Record
    from pytest_compile_golden.formats.artifact import Answer, Artifact
    from pytest_compile_golden.formats.collectives import CollectivesArtifact
    from pytest_compile_golden.formats.costs import CompileCostArtifact
    from pytest_compile_golden.formats.dynamo import StopsArtifact
    from pytest_compile_golden.formats.exported import ExportedArtifact, PackageArtifact
    from pytest_compile_golden.formats.graph_choices import (
        CacheKeyArtifact,
        CudaGraphsArtifact,
        SpecialisationsArtifact,
    )
    from pytest_compile_golden.formats.graphs.from_record import GraphArtifact
    from pytest_compile_golden.formats.guard_tree import GuardTreeArtifact
    from pytest_compile_golden.formats.inductor_module import KernelsArtifact
    from pytest_compile_golden.formats.memory import MemoryArtifact
    from pytest_compile_golden.formats.metrics import MetricsArtifact
    from pytest_compile_golden.formats.pass_diffs import PassDiffsArtifact
    from pytest_compile_golden.formats.pass_log.from_record import PassesArtifact
    from pytest_compile_golden.formats.resources import ResourcesArtifact
    from pytest_compile_golden.formats.schedules import ScheduleArtifact
    from pytest_compile_golden.stages import GraphStage, Stage


class KernelCompiler(Protocol):
    """What is provided as `extensions.KERNEL_COMPILER`."""

    def compile_kernels(self, record: Record, *, every_config: bool) -> None:
        """Add to `record` the machine code of each of its kernels; stages become unavailable if that is impossible."""
        ...

    def same_machine_code(
        self, record: Record, before: str, without_hints: bool
    ) -> bool:
        """Whether the kernels of `record` and those in the text `before` compile to the same machine code."""
        ...

    def cpp_compiler(self) -> str:
        """The C++ compiler that is installed, or what is missing, in words."""
        ...


def kernel_compiler() -> KernelCompiler:
    """Raises NotInstalled if no installed part of this package compiles kernels."""
    tool: KernelCompiler = provided(TOOLS, KERNEL_COMPILER)
    return tool


class Capture:
    """The record of one compile, stage by stage.

    `capture["post_grad_graph"]` is that stage's artifact: rendered on first use, then cached.
    """

    def __init__(self, record: Record, kernel_configs: KernelConfigs = "first") -> None:
        self.record = record
        self._kernel_configs = kernel_configs
        self._artifacts: dict[str, Artifact | None] = {}
        self._compiled = False

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything that was recorded to a file, compressed if its name ends in `.gz`.

        The machine code of kernels is part of it if a stage that needs it was requested. Raises CannotSave for a
        probe of your own that records what JSON does not give back.
        """
        from pytest_compile_golden.facts import record

        record.write(self.record, Path(path))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Capture:
        """The capture that `save` wrote, with all its stages; needs no torch. Raises UnreadableCapture."""
        from pytest_compile_golden.facts import record

        capture = Capture(record.read(Path(path)))
        capture._compiled = capture.compiled
        return capture

    @property
    def target(self) -> str:
        """The name of the target that it was compiled for."""
        return self.record.target

    @property
    def environment(self) -> Environment:
        """The versions that it was captured with."""
        return self.record.environment

    @property
    def known(self) -> tuple[str, ...]:
        """The parameter names of inputs whose values the program asked for, and was given on a virtual GPU."""
        return self.record.known

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the captured stages, in pipeline order."""
        from pytest_compile_golden.stages import stages

        return tuple(stage.name for stage in stages() if stage.name in self)

    @property
    def unavailable(self) -> Mapping[str, str]:
        """Stages that the installed torch cannot show, each with the reason."""
        return self.record.unavailable

    @property
    def lacks(self) -> Mapping[str, str]:
        """What the target cannot do on the installed torch, each with the reason; it may have compiled another way."""
        return self.record.lacks

    def __iter__(self) -> Iterator[str]:
        """The names of the captured stages, in pipeline order, as for any mapping."""
        return iter(self.stages)

    def __contains__(self, stage: object) -> bool:
        """Whether it has that stage, so that indexing does not raise; no kernel is compiled to find out.

        Raises UnknownName for a name that no stage has.
        """
        if not isinstance(stage, str) or stage in self.unavailable:
            return False
        from pytest_compile_golden.stages import get_stage

        declared = get_stage(stage)
        # No kernel has to be compiled to know that they can be.
        return (
            self._can_have(declared)
            if declared.compiles
            else self._artifact(stage) is not None
        )

    # For type checkers: the artifacts that tests assert invariants on.
    @overload
    def __getitem__(self, stage: GraphStage) -> GraphArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["exported_graph"]) -> ExportedArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["aot_package"]) -> PackageArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["passes"]) -> PassesArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["pass_diffs"]) -> PassDiffsArtifact: ...
    @overload
    def __getitem__(
        self, stage: Literal["lowered_ir", "scheduler_nodes"]
    ) -> ScheduleArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["collectives"]) -> CollectivesArtifact: ...
    @overload
    def __getitem__(
        self, stage: Literal["triton_code", "cpp_code", "template_code"]
    ) -> KernelsArtifact: ...
    @overload
    def __getitem__(
        self, stage: Literal["graph_breaks", "recompiles"]
    ) -> StopsArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["memory"]) -> MemoryArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["compile_cost"]) -> CompileCostArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["cudagraphs"]) -> CudaGraphsArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["cache_key"]) -> CacheKeyArtifact: ...
    @overload
    def __getitem__(
        self, stage: Literal["specialisations"]
    ) -> SpecialisationsArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["guard_tree"]) -> GuardTreeArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["metrics"]) -> MetricsArtifact: ...
    @overload
    def __getitem__(self, stage: Literal["kernel_resources"]) -> ResourcesArtifact: ...
    @overload
    def __getitem__(self, stage: str) -> Artifact: ...
    def __getitem__(self, stage: str) -> Artifact:
        """The artifact of `stage`. Raises StageUnavailable or StageNotCaptured, each saying why."""
        reason = self.unavailable_because(stage)
        if reason is not None:
            raise StageUnavailable(
                f"{stage} is unavailable on torch {self.environment.torch}: {reason}. "
                "The other stages of this case were captured; `compile-golden doctor` lists what this torch offers."
            )
        artifact = self._artifact(stage)
        if artifact is None:
            raise StageNotCaptured(
                f"this compile has no {stage} ({self._why_absent(stage)}); it has: {', '.join(self.stages)}."
            )
        return artifact

    if not TYPE_CHECKING:  # it would make any attribute valid

        def __getattr__(self, name: str) -> Any:
            from pytest_compile_golden.stages import stages

            if any(stage.name == name for stage in stages()):
                raise AttributeError(
                    f"a capture has no attribute {name!r}; its stages are items: captured[{name!r}]"
                )
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}",
                name=name,
                obj=self,
            )

    def _artifact(self, name: str) -> Artifact | None:
        from pytest_compile_golden.stages import get_stage

        if name not in self._artifacts:
            stage = get_stage(name)
            # Kernels have to be compiled to read the numbers of machine code, which metrics do only if told in advance.
            if name == "metrics" and "kernel_resources" not in self.record.unwatched:
                self.unavailable_because("kernel_resources")
            watched = stage.compiles or name not in self.record.unwatched
            exists = watched and (not stage.vendor or stage.vendor == self._vendor)
            self._artifacts[name] = stage.render(self.record) if exists else None
        return self._artifacts[name]

    def unavailable_because(self, name: str) -> str | None:
        """Why the stage `name` cannot be shown, or None if it can. May have to compile kernels to find out."""
        from pytest_compile_golden.stages import get_stage, without_compiled_kernels

        stage = get_stage(name)
        if stage.compiles and self._can_have(stage) and not self._compiled:
            # The kernels below Triton and C++: slow, so done only when a stage needs it.
            self._compiled = True
            try:
                kernel_compiler().compile_kernels(
                    self.record, every_config=self._kernel_configs == "all"
                )
            except NotInstalled as error:
                without_compiled_kernels(self.record, str(error))
        return self.unavailable.get(name)

    def _can_have(self, stage: Stage) -> bool:
        """Whether the stage has kernels to compile."""
        exists = bool(self.record.get("output_code")) and stage.exists_on(
            self.record.device_type, self._vendor
        )
        return exists and stage.name not in self.unavailable

    @property
    def _vendor(self) -> str:
        from pytest_compile_golden.targets import get_target

        return get_target(self.target).vendor

    def _why_absent(self, name: str) -> str:
        from pytest_compile_golden.stages import get_stage

        stage = get_stage(name)
        if stage.costly and name in self.record.unwatched:
            return (
                f"it is expensive, and was not requested before the compile: capture with watch=[{name!r}], "
                f'or mark the test with @pytest.mark.compile_golden(stages="+{name}")'
            )
        if name in self.record.unwatched and not stage.compiles:
            return "only what its numbers count was watched"
        if self.record.device_type not in stage.devices:
            return f"it only exists on {' and '.join(sorted(stage.devices))} targets, and this is {self.target}"
        if not stage.exists_on(self.record.device_type, self._vendor):
            return f"it only exists on {stage.vendor} GPUs, and this is {self.target}"
        if stage.training_only and not self.record.training:
            return "it only exists in training; capture with train=True"
        without = stage.without_part(self.record)
        if without:
            return without
        return "nothing reached it"

    @property
    def compiled(self) -> bool:
        """Whether its kernels were compiled to machine code because a stage that needs it was requested."""
        return "machine_code" in self.record.entries

    def same_machine_code(self, kernels: str, without_hints: bool = False) -> bool:
        """Whether other kernels, in the text of `triton_code` or `cpp_code`, compile to this capture's machine code.

        Those that differ are compiled by the installed Triton or C++ compiler. False if that cannot be determined.
        without_hints: compile both sides without the cache hints of Triton's loads and stores.
        """
        from pytest_compile_golden.stages import get_stage

        if not self._can_have(get_stage("kernel_resources")):
            return False
        try:
            return kernel_compiler().same_machine_code(
                self.record, kernels, without_hints
            )
        except NotInstalled:
            return False

    def same_kernels_as(self, other: Capture) -> Answer:
        """Whether both have the same kernels, up to names, order of inputs and the like."""
        from pytest_compile_golden.formats.artifact import Answer
        from pytest_compile_golden.stages import get_stage

        of_both = [
            {name: each[name] for name in CODE_STAGES if name in each}
            for each in (self, other)
        ]
        forms = [
            {
                name: get_stage(name).format.canonical(code.text)
                for name, code in codes.items()
            }
            for codes in of_both
        ]
        kernels = [
            ", ".join(name for code in codes.values() for name in code.names) or "none"
            for codes in of_both
        ]
        return Answer(forms[0] == forms[1], f"here: {kernels[0]}; there: {kernels[1]}")

    @property
    def metrics(self) -> MetricsArtifact:
        """The metrics of this capture."""
        return self["metrics"]

    @property
    def kernels(self) -> int:
        """How many kernels there are. This and what follows is what most invariants ask, without its stage."""
        kernels: int = self.metrics.kernels
        return kernels

    @property
    def kernel(self) -> str:
        """The source of the only kernel. Raises StageNotCaptured if there is not exactly one."""
        kernels = [
            kernel
            for name in CODE_STAGES
            if name in self
            for kernel in self[name].kernels
        ]
        if len(kernels) != 1:
            there = (
                ", ".join(kernel.name for kernel in kernels)
                or "library calls and views at most"
            )
            stage = "triton_code" if self.record.device_type == "cuda" else "cpp_code"
            raise StageNotCaptured(
                f"this compile has {len(kernels)} kernels, not one: {there}. "
                f"captured[{stage!r}] has the source of each, captured['wrapper_code'] what is called."
            )
        return kernels[0].source

    @property
    def breaks(self) -> int:
        """How often Dynamo ended a graph and began another one."""
        breaks: int = self.metrics.graph_breaks
        return breaks

    @property
    def recompiles(self) -> int:
        """How often a frame was compiled again for later `calls`."""
        recompiles: int = self.metrics.recompiles
        return recompiles

    @property
    def bytes(self) -> int:
        """The bytes that all kernels together read and write, as torch counts them: `metrics.bytes_accessed`."""
        accessed: int = self.metrics.bytes_accessed
        return accessed

    @property
    def cudagraphs(self) -> CudaGraphsArtifact:
        """What is recorded as CUDA graphs, and what is not."""
        return self["cudagraphs"]

    def fused(self, *operators: str) -> Answer:
        """Whether one kernel computes all of them; `captured["scheduler_nodes"].fused`."""
        return self["scheduler_nodes"].fused(*operators)

    def matches(self, pattern: str) -> Answer:
        """How often a pattern, or the patterns of a pass, matched; `captured["passes"].matches`."""
        return self["passes"].matches(pattern)

    def count(self, operator: str) -> Answer:
        """How often an operator is in the graphs that Inductor lowers; `captured["post_grad_graph"].count`."""
        return self["post_grad_graph"].count(operator)

    def before(self, name: str, *, graph: str | None = None) -> GraphArtifact:
        """The graphs that a pass, torch's or yours, was given: `captured.before("MyPass").count("aten.slice") == 2`.

        name: as the ledger names it, or its slot or own name alone; also a pass that one of yours calls, as a pass
            manager does.
        graph: only the graph of this name, `graph_0_forward`; by default all that the pass ran on. Of one on which it
            ran several times, the graph before the first run.

        Raises UnknownPass if no such pass ran on a graph, StageUnavailable if the installed torch hides its passes.
        """
        return self._around("before", name, graph)

    def after(self, name: str, *, graph: str | None = None) -> GraphArtifact:
        """The graphs as a pass left them, after its last run on each; arguments and errors as for `before`."""
        return self._around("after", name, graph)

    def _around(
        self, side: Literal["before", "after"], name: str, graph: str | None
    ) -> GraphArtifact:
        from pytest_compile_golden.formats.graphs.from_record import graphs_artifact
        from pytest_compile_golden.stages import stage_made_by

        around = self["passes"].around(name, graph)
        shown = [
            first.graphs[0] if side == "before" else last.graphs[1]
            for first, last in around
        ]
        graphs = [self.record.get("pass_graphs")[position] for position in shown]
        own = re.sub(r"[^A-Za-z0-9_]+", "-", f"{side}-{name}")[:60]
        return graphs_artifact(
            stage_made_by(around[0][0].phase), graphs, self.record.device_type, name=own
        )

    def __repr__(self) -> str:
        return f"<Capture for {self.target}>"
